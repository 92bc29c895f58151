import type { EventStore, RawEvent } from '@carillon/event-store';

/** So many events of the log are looked at for one answer, in pages. */
const maxPages = 8;
const pageSize = 500;

/**
 * Looks at the events after a position, in order, until `look` says that it is enough or this is as many as one answer may
 * take. Gives the position to go on from; null when the log has no more.
 */
export async function lookThrough(
  store: EventStore,
  after: bigint,
  look: (event: RawEvent) => Promise<'enough' | 'more'>,
): Promise<bigint | null> {
  let at = after;
  for (let page = 0; page < maxPages; page += 1) {
    const { events, last, end } = await store.readAll(at, pageSize);
    for (const event of events) {
      at = event.position;
      if ((await look(event)) === 'enough') return at;
    }
    if (end || last === undefined) return null;
    at = last;
  }
  return at;
}
