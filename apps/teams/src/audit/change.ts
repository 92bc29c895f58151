import { isDeepStrictEqual } from 'node:util';

export type ChangedFields = Readonly<Record<string, unknown>>;

/** What became of something, as an entry tells it: all of what is new or gone, and of the rest what is another now. */
export function change(before: ChangedFields | null, after: ChangedFields | null): ChangedFields {
  if (!before || !after) return { ...(before && { before }), ...(after && { after }) };
  const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return { changed, before: only(before, changed), after: only(after, changed) };
}

const only = (fields: ChangedFields, names: readonly string[]): ChangedFields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
