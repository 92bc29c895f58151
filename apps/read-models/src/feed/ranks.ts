import type { FeedKind } from '@carillon/contracts';
import { compareInstants, compareTexts, type Instant } from '@carillon/eventing';

/** What orders the feed: the oldest first, those of one moment by their ids. */
export interface Ordered {
  readonly id: string;
  readonly kind: FeedKind;
  readonly at: Instant;
}

/** Its number in the account's feed and among those of its kind, counted from the oldest, which is 1. */
export interface Rank {
  readonly rank: number;
  readonly kindRank: number;
}

export type Totals = ReadonlyMap<FeedKind, number>;

export const byAge = (one: Ordered, other: Ordered): number =>
  compareInstants(one.at, other.at) || compareTexts(one.id, other.id);

/**
 * Numbers new lines of one account. Pages are found by these numbers alone, however far back they are. Whatever is
 * younger than the oldest new line is numbered anew; `younger` must hold all such lines. That is hardly ever any:
 * two that came at once and were recorded the other way round.
 */
export function numbered<Line extends Ordered>(
  totals: Totals,
  fresh: readonly Line[],
  younger: readonly Ordered[],
): {
  readonly ranked: readonly (Line & Rank)[];
  readonly moved: readonly (Ordered & Rank)[];
  readonly totals: Totals;
} {
  const counts = new Map(totals);
  const count = (kind: FeedKind, by: number): number => {
    const now = (counts.get(kind) ?? 0) + by;
    counts.set(kind, now);
    return now;
  };
  for (const { kind } of younger) count(kind, -1);
  let all = [...counts.values()].reduce((sum, total) => sum + total, 0);
  const rank = (kind: FeedKind): Rank => ({ rank: (all += 1), kindRank: count(kind, 1) });

  const ranked: (Line & Rank)[] = [];
  const moved: (Ordered & Rank)[] = [];
  const lines = [
    ...fresh.map((line) => ({ line, isNew: true as const })),
    ...younger.map((line) => ({ line, isNew: false as const })),
  ].sort((one, other) => byAge(one.line, other.line));
  for (const { line, isNew } of lines)
    if (isNew) ranked.push({ ...line, ...rank(line.kind) });
    else moved.push({ ...line, ...rank(line.kind) });
  return { ranked, moved, totals: counts };
}
