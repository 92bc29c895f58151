import type { Field, FieldSchema } from './fields';

export type PublishedFields<Value> = { readonly [Key in keyof Value]?: Field<Value[Key]> };

/** The named fields of an object, and nothing else of it. */
export const record = <Value extends object>(fields: PublishedFields<Value>): Field<Value> => ({
  schema: schemaOf(fields),
  keep: (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const { data, unfit } = keepFields(fields, value);
    return unfit.length === 0 ? data : undefined;
  },
});

const entries = (fields: object): [string, Field<never>][] => Object.entries(fields);

export const schemaOf = (fields: object): FieldSchema => ({
  type: 'object',
  properties: Object.fromEntries(entries(fields).map(([name, { schema }]) => [name, schema])),
  required: Object.keys(fields),
});

/** The publishable fields, and the names of fields whose value is not of its kind. */
export function keepFields(
  fields: object,
  value: object,
): { data: Readonly<Record<string, unknown>>; unfit: readonly string[] } {
  const data: Record<string, unknown> = {};
  const unfit: string[] = [];
  for (const [name, field] of entries(fields)) {
    const kept = field.keep((value as Record<string, unknown>)[name]);
    if (kept === undefined) unfit.push(name);
    else data[name] = kept;
  }
  return { data, unfit };
}
