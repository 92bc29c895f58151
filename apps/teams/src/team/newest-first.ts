import { compareInstants, compareTexts, type Instant } from '@carillon/eventing';

interface Place {
  readonly at: Instant;
  readonly id: string;
}

/** Entries of a team in list order, from the end of the previous list page on. */
export function newestFirst<Entry extends { readonly createdAt: Instant }>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  after: Place | undefined,
): Entry[] {
  const placeOf = (entry: Entry): Place => ({ at: entry.createdAt, id: idOf(entry) });
  return entries
    .filter((entry) => !after || byAge(placeOf(entry), after) < 0)
    .sort((a, b) => byAge(placeOf(b), placeOf(a)));
}

const byAge = (one: Place, other: Place): number =>
  compareInstants(one.at, other.at) || compareTexts(one.id, other.id);
