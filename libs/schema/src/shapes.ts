import type { Field } from './check';
import type { Rule, Shape } from './rule';
import type { JsonSchema } from './schema';
import { keywordsOf, type Together } from './together';

/** Called for a shape that another one holds; gives what points to it. */
export type Refer = (shape: Shape<unknown>) => JsonSchema;

const links = {
  https: 'An absolute https address.',
  tap: 'An absolute http or https address, or one of an app.',
  web: 'An absolute http or https address.',
  webhook: 'An absolute https address without a fragment.',
} as const;

/** What a rule asks for as JSON Schema. Lengths are in code points there as here. */
function ruleSchema({ asks }: Rule, refer: Refer): JsonSchema {
  switch (asks.kind) {
    case 'text':
      return {
        type: 'string',
        minLength: asks.min,
        maxLength: asks.max,
        pattern: asks.pattern,
        ...(asks.multiline && { description: 'May hold line breaks.' }),
      };
    case 'opaque':
    case 'formed':
    case 'point':
      return { type: 'string', minLength: asks.min, maxLength: asks.max, pattern: asks.pattern };
    case 'glyph':
      return {
        type: 'string',
        minLength: 1,
        maxLength: asks.max,
        pattern: asks.pattern,
        description: 'The name of a symbol (a-z, 0-9 and . _ -) or one emoji.',
      };
    case 'slug':
      return { type: 'string', minLength: 1, maxLength: asks.max, pattern: asks.pattern };
    case 'id':
      return {
        type: 'string',
        minLength: 1,
        maxLength: asks.max,
        pattern: asks.pattern,
        ...(asks.prefix !== undefined && { description: `An id that begins with \`${asks.prefix}_\`.` }),
      };
    case 'one_of':
      return { type: 'string', enum: asks.values };
    case 'link':
      return {
        type: 'string',
        format: 'uri',
        minLength: 1,
        maxLength: asks.max,
        pattern: asks.pattern,
        description: links[asks.link],
      };
    case 'email':
      return {
        type: 'string',
        format: 'email',
        minLength: asks.min,
        maxLength: asks.max,
        pattern: asks.pattern,
      };
    case 'when':
      return {
        type: 'string',
        format: 'date-time',
        pattern: asks.pattern,
        description:
          asks.years === undefined ? 'From 1900 to 2199.' : `At most ${asks.years} years from now.`,
      };
    case 'int':
      return { type: 'integer', minimum: asks.min, maximum: asks.max };
    case 'num':
      return { type: 'number', minimum: asks.min, maximum: asks.max };
    case 'bool':
      return { type: 'boolean' };
    case 'list':
      return {
        type: 'array',
        items: ruleSchema(asks.of, refer),
        minItems: asks.min,
        maxItems: asks.max,
        ...(asks.unique && { uniqueItems: true }),
      };
    case 'shape':
      return refer(asks.shape);
    case 'shapes':
      return { type: 'array', items: refer(asks.shape), minItems: asks.min, maxItems: asks.max };
  }
}

/** A field of a shape as JSON Schema. */
export function fieldSchema({ rule, nullable, about }: Field, refer: Refer): JsonSchema {
  const asked = rule ? ruleSchema(rule, refer) : {};
  const said = [about, asked['description']].filter((each) => each !== undefined).join(' ');
  const schema = said ? { ...asked, description: said } : asked;
  return nullable ? orNull(schema) : schema;
}

/** The same schema for which null is a value too. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, description, ...rest } = schema;
  const said = description === undefined ? {} : { description };
  if (typeof type !== 'string')
    return Object.keys(schema).length === 0 ? schema : { anyOf: [{ ...rest }, { type: 'null' }], ...said };
  return {
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
    ...rest,
    ...said,
  };
}

/** An object of these fields and no others, by these rules about several of them. */
export const closedObject = (
  fields: readonly Field[],
  refer: Refer,
  together: readonly Together[] = [],
): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, refer)])),
  required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
  additionalProperties: false,
  ...keywordsOf(together),
});
