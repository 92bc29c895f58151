import { type Field, fieldSchema, type JsonSchema, type Schema } from '@carillon/schema';

/** Fields whose name says enough: each tool that has them would repeat their description. */
const plain = new Set([
  'deviceIds',
  'deviceGroupId',
  'projectId',
  'url',
  'limit',
  'cursor',
  'status',
  'subtitle',
  'replace',
]);

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with these fields. That a route refuses others is not said again in each tool. */
export const objectOf = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/**
 * A field of an input, as short as a list of tools can have it: its type, its values and what it is for. The route
 * checks everything else, and its refusal names what is wrong.
 */
export function briefField({ name, rule, about, ...field }: Field): JsonSchema {
  const asked = fieldSchema({ ...field, name, ...(rule && { rule }), nullable: false }, () => ({
    type: 'object',
  }));
  const items = asked['items'];
  return {
    ...typed(asked),
    ...(isSchema(items) && { items: typed(items) }),
    ...(about !== undefined && !plain.has(name) && { description: about }),
  };
}

const typed = ({ type, enum: values }: JsonSchema): JsonSchema => ({
  type,
  ...(values !== undefined && { enum: values }),
});

/** The fields that every such answer has. What they hold is described by the documents of the API. */
export function outline({ json, parts }: Schema<unknown>): JsonSchema {
  const described = '$ref' in json ? parts[0]?.described : json;
  const { properties, required } = described ?? {};
  const names = Array.isArray(required) ? (required as string[]) : [];
  const schemas = isSchema(properties) ? properties : {};
  return objectOf(Object.fromEntries(names.map((name) => [name, { type: shallowType(schemas[name]) }])));
}

function shallowType(schema: unknown): unknown {
  const { type, const: value, anyOf } = isSchema(schema) ? schema : {};
  if (anyOf) return ['object', 'null'];
  return type ?? (value === undefined ? 'object' : typeof value);
}
