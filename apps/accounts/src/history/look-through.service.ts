import type { EventStore, RawEvent } from '@carillon/event-store';

/** Maximum number of pages of the log that one answer reads. */
const maxPages = 8;
const pageSize = 500;

/**
 * Reads the events after a position, in order, until `look` returns `enough` or the maximum for one answer is reached.
 * Returns the position to continue from; null when the log has no more.
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
