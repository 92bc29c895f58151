import {
  type Field,
  fieldsOf,
  type JsonSchema,
  Paged,
  pageLimit,
  type Rule,
  type Shape,
} from '@carillon/contracts';
import type { Method, Row } from '../table/row';

type AnyShape = Shape<unknown>;

/** Called for a shape that a description points to. */
export type Refer = (shape: AnyShape) => JsonSchema;

/** The fields of a row's input by the place where a caller puts them. */
export interface Inputs {
  readonly path: readonly { readonly name: string; readonly field?: Field }[];
  readonly query: readonly Field[];
  readonly body: readonly Field[];
}

export const pathNames = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1));

const inQuery: readonly Method[] = ['GET', 'DELETE'];

export function inputsOf({ method, path, contract }: Row): Inputs {
  const fields = contract ? fieldsOf(contract.input) : [];
  const names = pathNames(path);
  const others = fields.filter(({ name }) => !names.includes(name));
  const reading = inQuery.includes(method);
  return {
    path: names.map((name) => {
      const field = fields.find((each) => each.name === name);
      return { name, ...(field && { field }) };
    }),
    query: reading ? others : [],
    body: reading ? [] : others,
  };
}

const links = {
  https: 'An absolute https address.',
  tap: 'An absolute http or https address, or one of an app.',
  webhook: 'An absolute https address without a fragment.',
} as const;

const idPattern = '^[A-Za-z0-9_:.-]+$';

/** What a rule asks for as JSON Schema. Lengths are in code points there as here. */
export function ruleSchema({ asks }: Rule, refer: Refer): JsonSchema {
  switch (asks.kind) {
    case 'text':
      return {
        type: 'string',
        minLength: asks.min,
        maxLength: asks.max,
        ...(asks.multiline && { description: 'May hold line breaks.' }),
      };
    case 'opaque':
      return { type: 'string', minLength: asks.min, maxLength: asks.max };
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
        description: links[asks.link],
      };
    case 'email':
      return { type: 'string', format: 'email', minLength: asks.min, maxLength: asks.max };
    case 'when':
      return { type: 'string', format: 'date-time' };
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

/** An object of these fields and no others. */
export const closedObject = (fields: readonly Field[], refer: Refer): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, refer)])),
  required: fields.filter(({ optional }) => !optional).map(({ name }) => name),
  additionalProperties: false,
});

/** The parameters in path and query. */
export function parametersOf(row: Row, refer: Refer): JsonSchema[] {
  const { path, query } = inputsOf(row);
  const paged = row.contract && row.contract.input.prototype instanceof Paged;
  return [
    ...path.map(({ name, field }) => {
      const { description, ...schema } = field
        ? fieldSchema(field, refer)
        : { type: 'string', minLength: 1, maxLength: 200, pattern: idPattern };
      return { name, in: 'path', required: true, ...(description !== undefined && { description }), schema };
    }),
    ...query.map((field) => {
      const { description, ...schema } = fieldSchema(field, refer);
      return {
        name: field.name,
        in: 'query',
        required: !field.optional,
        ...(description !== undefined && { description }),
        schema: paged && field.name === 'limit' ? { ...schema, default: pageLimit({}) } : schema,
      };
    }),
  ];
}
