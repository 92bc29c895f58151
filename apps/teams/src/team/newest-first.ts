import { type Instant, millis } from '@carillon/eventing';
import { sortedBy, type SortKey } from '@carillon/signing';

/** How the lists of a team's parts are sorted. */
export const newestFirst = sortedBy(['at', 'desc'], ['id', 'desc']);

/** A part of a team as a row of its list. */
interface Listed<Entry> {
  readonly at: number;
  readonly id: string;
  readonly entry: Entry;
}

/** Parts of a team in list order, from the end of the previous list page on. */
export const listed = <Entry extends { readonly createdAt: Instant }>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  after: SortKey<'at' | 'id'> | undefined,
): Listed<Entry>[] =>
  newestFirst.sorted(
    entries.map((entry) => ({ at: millis(entry.createdAt), id: idOf(entry), entry })),
    after,
  );
