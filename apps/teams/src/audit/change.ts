import { isDeepStrictEqual } from 'node:util';

export type ChangedFields = Readonly<Record<string, unknown>>;

/** The change that an entry records: all fields of a created or deleted object, else only the fields that differ. */
export function change(before: ChangedFields | null, after: ChangedFields | null): ChangedFields {
  if (!before || !after) return { ...(before && { before }), ...(after && { after }) };
  const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return { changed, before: only(before, changed), after: only(after, changed) };
}

const only = (fields: ChangedFields, names: readonly string[]): ChangedFields =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
