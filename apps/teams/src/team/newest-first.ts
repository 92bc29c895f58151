/** What a team has of one kind, in the order of its lists, behind the last entry of the page before. */
export function newestFirst<Entry extends { readonly createdAt: string }>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  after: { readonly at: string; readonly id: string } | undefined,
): Entry[] {
  const keyOf = (entry: Entry): string => `${entry.createdAt} ${idOf(entry)}`;
  return entries
    .filter((entry) => !after || keyOf(entry) < `${after.at} ${after.id}`)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
}
