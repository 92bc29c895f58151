/** A schema in the words of JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * What a value in an answer looks like. The description for the world and the type for the compiler are one thing:
 * `export const Device = resource('Device', {…}); export type Device = Static<typeof Device>;`
 */
export interface Schema<T> {
  readonly json: JsonSchema;
  /** Named schemas that it points to. */
  readonly parts: readonly Resource<unknown>[];
  /** Only there for the compiler: never set. */
  readonly type?: T;
}

/** A schema that the description names and others point to. */
export interface Resource<T> extends Schema<T> {
  readonly name: string;
  /** What `json` points to. */
  readonly described: JsonSchema;
}

/** The value of a property that may be absent. */
export interface MayLack<T> extends Schema<T> {
  readonly mayLack: true;
}

/** The type of what a schema describes. */
export type Static<S> = S extends Schema<infer T> ? T : never;

export type Properties = Readonly<Record<string, Schema<unknown>>>;

type ObjectOf<P extends Properties> = {
  -readonly [Name in keyof P as P[Name] extends MayLack<unknown> ? never : Name]: Static<P[Name]>;
} & {
  -readonly [Name in keyof P as P[Name] extends MayLack<unknown> ? Name : never]?: Static<P[Name]>;
};
type Flat<T> = { [Name in keyof T]: T[Name] };

/** An object's own properties can be taken over into another: `{ ...Device.properties, more: text() }`. */
interface WithProperties<P extends Properties> {
  readonly properties: P;
}

const simple = <T>(json: JsonSchema, about?: string): Schema<T> => ({
  json: about === undefined ? json : { ...json, description: about },
  parts: [],
});

export const text = (about?: string): Schema<string> => simple({ type: 'string' }, about);
export const bool = (about?: string): Schema<boolean> => simple({ type: 'boolean' }, about);
export const num = (about?: string): Schema<number> => simple({ type: 'number' }, about);
export const int = (about?: string): Schema<number> => simple({ type: 'integer' }, about);
/** A whole number that is not negative. */
export const count = (about?: string): Schema<number> => simple({ type: 'integer', minimum: 0 }, about);
/** UTC with milliseconds and `Z`. */
export const when = (about?: string): Schema<string> =>
  simple({ type: 'string', format: 'date-time' }, about);
export const uri = (about?: string): Schema<string> => simple({ type: 'string', format: 'uri' }, about);
/** An id that begins with one of these prefixes, such as `dev`. */
export const id = (prefixes: string | readonly string[], about?: string): Schema<string> =>
  simple({ type: 'string', maxLength: 200, pattern: `^${prefixPattern(prefixes)}_` }, about);

const prefixPattern = (prefixes: string | readonly string[]): string =>
  typeof prefixes === 'string' ? prefixes : `(${prefixes.join('|')})`;

export const exactly = <const T extends string | number | boolean>(value: T, about?: string): Schema<T> =>
  simple({ const: value }, about);

export const oneOf = <const T extends string>(values: readonly T[], about?: string): Schema<T> =>
  simple({ type: 'string', enum: values }, about);

/** One of these today; more may come, so a caller must take what it does not know. */
export const oneOfKnown = <const T extends string>(values: readonly T[], about?: string): Schema<T> =>
  simple({ type: 'string', 'x-extensible-enum': values }, about);

export const list = <T>(of: Schema<T>, about?: string): Schema<T[]> => ({
  ...simple({ type: 'array', items: of.json }, about),
  parts: of.parts,
});

/** The value, or null where there is none. */
export function nullable<T>(of: Schema<T>): Schema<T | null> {
  const { type, enum: values } = of.json;
  if (typeof type !== 'string') return { json: { anyOf: [of.json, { type: 'null' }] }, parts: of.parts };
  return {
    json: {
      ...of.json,
      type: [type, 'null'],
      ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
    },
    parts: of.parts,
  };
}

/** The property may be absent. */
export const optional = <T>(of: Schema<T>): MayLack<T> => ({ json: of.json, parts: of.parts, mayLack: true });

/** What fits one of these. */
export const either = <const S extends readonly Schema<unknown>[]>(
  ...schemas: S
): Schema<Static<S[number]>> => ({
  json: { anyOf: schemas.map(({ json }) => json) },
  parts: schemas.flatMap(({ parts }) => parts),
});

/** An object, described where it stands. */
export function object<P extends Properties>(
  properties: P,
  about?: string,
): Schema<Flat<ObjectOf<P>>> & WithProperties<P> {
  const all = Object.entries(properties);
  return {
    ...simple(
      {
        type: 'object',
        properties: Object.fromEntries(all.map(([name, { json }]) => [name, json])),
        required: all.filter(([, schema]) => !('mayLack' in schema)).map(([name]) => name),
      },
      about,
    ),
    parts: all.flatMap(([, { parts }]) => parts),
    properties,
  };
}

/** An object that may have other properties too, of any type. */
export function openObject<P extends Properties>(properties: P, about?: string): Schema<Flat<ObjectOf<P>>> {
  const { json, parts } = object(properties, about);
  return { json: { ...json, additionalProperties: true }, parts };
}

/** A schema under a name of its own. */
export function named<T>(name: string, schema: Schema<T>): Resource<T> {
  const self: Resource<T> = {
    json: { $ref: `#/components/schemas/${name}` },
    name,
    described: schema.json,
    get parts() {
      return [self, ...schema.parts];
    },
  };
  return self;
}

/** An object that the description names. */
export function resource<P extends Properties>(
  name: string,
  properties: P,
  about?: string,
): Resource<Flat<ObjectOf<P>>> & WithProperties<P> {
  return Object.assign(named(name, object(properties, about)), { properties });
}
