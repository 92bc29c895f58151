/** A JSON Schema, as far as published fields need one. */
export interface FieldSchema {
  readonly type: string | readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * A field of a published event: an id, state, count or time. No kind of field accepts free text, so that none can be
 * published. `Value` is the type of the event's own field; a missing state does not compile.
 */
export interface Field<in Value> {
  readonly schema: FieldSchema;
  /** The publishable part of the value; undefined if the value is not of this kind. */
  keep(value: unknown): unknown;
  /** Only for the type checker; never set. */
  readonly covers?: (value: Value) => void;
}

const idForm = /^[a-z]{1,16}_[0-9a-hjkmnp-tv-z]{26}$/;
const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const matching = (form: RegExp, schema: Record<string, unknown>): Field<string> => ({
  schema: { type: 'string', ...schema },
  keep: (value) => (typeof value === 'string' && form.test(value) ? value : undefined),
});

/** One of our ids: a prefix and 26 characters. */
export const id: Field<string> = matching(idForm, { pattern: idForm.source });

/** A time in UTC with milliseconds. */
export const instant: Field<string> = matching(instantForm, { format: 'date-time' });

export const count: Field<number> = {
  schema: { type: 'integer', minimum: 0 },
  keep: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? value : undefined),
};

export const flag: Field<boolean> = {
  schema: { type: 'boolean' },
  keep: (value) => (typeof value === 'boolean' ? value : undefined),
};

/** A state out of a closed list. */
export const oneOf = <const Value extends string>(...values: readonly Value[]): Field<Value> => ({
  schema: { type: 'string', enum: values },
  keep: (value) => (values.includes(value as Value) ? value : undefined),
});

/** Also null if the event lacks the field, such as events from before it was added. */
export const nullable = <Value>(field: Field<Value>): Field<Value | null | undefined> => ({
  schema: {
    ...field.schema,
    type: [field.schema.type, 'null'].flat(),
    ...(Array.isArray(field.schema['enum']) && { enum: [...field.schema['enum'], null] }),
  },
  keep: (value) => (value === null || value === undefined ? null : field.keep(value)),
});

export const listOf = <Value>(field: Field<Value>): Field<readonly Value[]> => ({
  schema: { type: 'array', items: field.schema },
  keep: (value) => {
    if (!Array.isArray(value)) return undefined;
    const kept = value.map((item) => field.keep(item));
    return kept.includes(undefined) ? undefined : kept;
  },
});
