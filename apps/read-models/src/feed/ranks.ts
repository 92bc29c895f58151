import type { FeedKind } from '@carillon/contracts';
import { compareInstants, compareTexts, type Instant, later } from '@carillon/eventing';

/** The order of the feed: the oldest first, lines of the same time by their ids. */
export interface Ordered {
  readonly id: string;
  readonly kind: FeedKind;
  readonly at: Instant;
}

/** The number of a line in the account's feed and among the lines of its kind, from 1 for the oldest. */
export interface Rank {
  readonly rank: number;
  readonly kindRank: number;
}

/** How many lines of a kind an account ever had, those that are past their time included. */
export interface Total {
  readonly lines: number;
  /** The time of the newest. */
  readonly latestAt: Instant;
}

export type Totals = ReadonlyMap<FeedKind, Total>;

export const byAge = (one: Ordered, other: Ordered): number =>
  compareInstants(one.at, other.at) || compareTexts(one.id, other.id);

/** Of at least one line. */
export const oldestOf = <Line extends Ordered>(lines: readonly Line[]): Line =>
  lines.reduce((oldest, line) => (byAge(line, oldest) < 0 ? line : oldest));

/**
 * Numbers new lines of one account. List pages are ranges of these numbers, so old pages are as cheap as new ones. The
 * lines of `younger` are renumbered: those with the highest numbers, down to any. There are hardly ever any that are
 * younger than a new line: only when two lines came at once and were recorded in the other order.
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
  const count = ({ kind, at }: Ordered, by: number): number => {
    const { lines, latestAt } = counts.get(kind) ?? { lines: 0, latestAt: at };
    counts.set(kind, { lines: lines + by, latestAt: later(latestAt, at) });
    return lines + by;
  };
  for (const line of younger) count(line, -1);
  let all = [...counts.values()].reduce((sum, { lines }) => sum + lines, 0);
  const rank = (line: Ordered): Rank => ({ rank: (all += 1), kindRank: count(line, 1) });

  const ranked: (Line & Rank)[] = [];
  const moved: (Ordered & Rank)[] = [];
  const lines = [
    ...fresh.map((line) => ({ line, isNew: true as const })),
    ...younger.map((line) => ({ line, isNew: false as const })),
  ].sort((one, other) => byAge(one.line, other.line));
  for (const { line, isNew } of lines)
    if (isNew) ranked.push({ ...line, ...rank(line) });
    else moved.push({ ...line, ...rank(line) });
  return { ranked, moved, totals: counts };
}
