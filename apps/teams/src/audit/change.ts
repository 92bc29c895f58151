import { isDeepStrictEqual } from 'node:util';

export type Fields = Readonly<Record<string, unknown>>;

/** What became of something, as an entry tells it: all of what is new or gone, and of the rest what is another now. */
export function change(before: Fields | null, after: Fields | null): Fields {
  if (!before || !after) return { ...(before && { before }), ...(after && { after }) };
  const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return { changed, before: only(before, changed), after: only(after, changed) };
}

const only = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
