import { compareInstants, compareTexts, type Instant } from '@carillon/eventing';

interface Place {
  readonly at: Instant;
  readonly id: string;
}

/** What a team has of one kind, in the order of its lists, behind the last entry of the page before. */
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
