import { compareInstants, compareTexts, type Instant } from '@carillon/eventing';

interface SortKey {
  readonly at: Instant;
  readonly id: string;
}

/** Entries of a team in list order, from the end of the previous list page on. */
export function newestFirst<Entry extends { readonly createdAt: Instant }>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  after: SortKey | undefined,
): Entry[] {
  const sortKeyOf = (entry: Entry): SortKey => ({ at: entry.createdAt, id: idOf(entry) });
  return entries
    .filter((entry) => !after || byAge(sortKeyOf(entry), after) < 0)
    .sort((a, b) => byAge(sortKeyOf(b), sortKeyOf(a)));
}

const byAge = (one: SortKey, other: SortKey): number =>
  compareInstants(one.at, other.at) || compareTexts(one.id, other.id);
