import { ANY, NO_STREAM, STREAM_EXISTS } from './expected';

/** What is known about a stream when somebody wants to append to it. */
export interface StreamFacts {
  /** Revision of the last event; -1 when there is none. */
  last: number;
  tombstoned: boolean;
  softDeleted: boolean;
  /** Whether somebody ever wrote metadata for it. */
  hasMetadata: boolean;
}

/** What is known about events that are already in the stream. */
export interface Committed {
  /** The revision of a recently committed event of this stream. */
  revisionOf(eventId: string): number | undefined;
  isAt(eventId: string, revision: number): boolean;
}

export type Verdict =
  | { verdict: 'append'; recreates: boolean }
  /** All events are there already; the revision is that of the last of them. */
  | { verdict: 'already-appended'; revision: number }
  | { verdict: 'wrong-expected-version' }
  | { verdict: 'stream-deleted' };

const wrong: Verdict = { verdict: 'wrong-expected-version' };

/**
 * Decides an append as the real server's commit check does: idempotent by event ids for the named expectations
 * (as far as the ids are remembered), and by comparing ids position by position for exact ones.
 */
export function decide(
  expected: number,
  eventIds: readonly string[],
  stream: StreamFacts,
  committed: Committed,
): Verdict {
  if (stream.tombstoned) return { verdict: 'stream-deleted' };
  const append: Verdict = { verdict: 'append', recreates: stream.softDeleted };

  if (expected === STREAM_EXISTS) {
    if (stream.softDeleted) return { verdict: 'stream-deleted' };
    if (stream.last < 0 && !stream.hasMetadata) return wrong;
  }

  if (expected === ANY || expected === STREAM_EXISTS) {
    let last = -1;
    for (const [index, id] of eventIds.entries()) {
      const revision = committed.revisionOf(id);
      // A first event that is known and a later one that is not: somebody reuses ids for something else.
      if (revision === undefined) return index === 0 ? append : wrong;
      last = revision;
    }
    return eventIds.length === 0 ? append : { verdict: 'already-appended', revision: last };
  }

  if (expected > stream.last) return wrong;
  if (expected === stream.last) return append;

  let revision = expected;
  for (const id of eventIds) {
    revision++;
    if (committed.isAt(id, revision)) continue;
    const isFirst = revision === expected + 1;
    return isFirst && expected === NO_STREAM && stream.softDeleted ? append : wrong;
  }
  return revision === expected ? wrong : { verdict: 'already-appended', revision };
}
