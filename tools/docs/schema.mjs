// Puts the JSON Schemas of the descriptions into words.

/** The last part of a `$ref`. */
export const refOf = ({ $ref } = {}) => $ref?.split('/').at(-1);

export const escapedCell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const coded = (value) => `\`${value === null ? 'null' : value}\``;

function range(low, high, what) {
  if (low === undefined && high === undefined) return '';
  if (low === high) return `, ${low}${what}`;
  if (high === undefined) return low === 0 ? '' : `, at least ${low}${what}`;
  return low === undefined || low === 0 ? `, at most ${high}${what}` : `, ${low} to ${high}${what}`;
}

function simple(schema, type, named) {
  if (schema.const !== undefined) return coded(schema.const);
  if (schema.enum)
    return schema.enum
      .filter((each) => each !== null)
      .map(coded)
      .join(', ');
  if (schema['x-extensible-enum'])
    return `${schema['x-extensible-enum'].map(coded).join(', ')}; more may come`;
  switch (type) {
    case 'string':
      return `${schema.format ?? 'string'}${range(schema.minLength, schema.maxLength, ' characters')}`;
    case 'integer':
    case 'number':
      return `${type}${range(schema.minimum, schema.maximum, '')}`;
    case 'array':
      return `list${range(schema.minItems, schema.maxItems, '')}, of ${typeOf(schema.items ?? {}, named)}`;
    default:
      return type ?? 'any';
  }
}

/** What a value may be, in words. `named` collects the names of the types that it refers to. */
export function typeOf(schema, named) {
  const name = refOf(schema);
  if (name) {
    named.add(name);
    return `[${name}](#type-${name})`;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (either && !schema.properties) return either.map((each) => typeOf(each, named)).join(' or ');
  const types = [schema.type].flat().filter((each) => each !== 'null');
  const isNullable = Array.isArray(schema.type) && schema.type.includes('null');
  const said = types.map((type) => simple(schema, type, named)).join(' or ');
  const unlessSaid = schema.default === undefined ? '' : `; default ${coded(schema.default)}`;
  return `${said}${isNullable ? ', or null' : ''}${unlessSaid}`;
}

/** The fields of an object; those of objects within it come after it, with its name before theirs. */
export function fieldsOf(schema, named, before = '') {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, each]) => {
    const at = `${before}${name}`;
    const inner = [each, ...(each.anyOf ?? []), ...(each.oneOf ?? [])]
      .map((way) =>
        way.items?.properties ? { schema: way.items, at: `${at}[].` } : { schema: way, at: `${at}.` },
      )
      .flatMap((way) => fieldsOf(way.schema, named, way.at));
    const field = {
      name: at,
      required: required.includes(name),
      type: typeOf(each, named),
      words: each.description ?? '',
    };
    return [field, ...inner];
  });
}
