import type { IssueCode, Shape } from './rule';
import type { JsonSchema } from './schema';

type Bag = Readonly<Record<string, unknown>>;

interface Fault {
  readonly path: string;
  readonly message: string;
  readonly code: IssueCode;
}

/** A rule about several fields of an input, in both languages. */
export interface Together {
  /** Keywords that stand beside those of an object. */
  readonly schema: JsonSchema;
  /** What is wrong with an input each of whose fields is right by itself. */
  readonly faults: (value: Bag) => readonly Fault[];
  /** An input that breaks it asks for no change at all. */
  readonly empty?: true;
}

const held = new WeakMap<object, Together[]>();

const holds =
  (rule: Together) =>
  (shape: Shape<object>): void => {
    held.set(shape.prototype, [rule, ...(held.get(shape.prototype) ?? [])]);
  };

/** The rules of a shape and of those that it extends. */
export function togetherOf(shape: Shape<unknown>): readonly Together[] {
  const found: Together[] = [];
  for (
    let at: unknown = shape.prototype;
    typeof at === 'object' && at !== null;
    at = Object.getPrototypeOf(at)
  )
    found.push(...(held.get(at) ?? []));
  return found;
}

const nothing: readonly Fault[] = [];
const isThere = (value: Bag, name: string): boolean => value[name] !== undefined;
const isValue = (value: Bag, name: string): boolean => value[name] !== undefined && value[name] !== null;
const wrong = (path: string, message: string, code: IssueCode = 'invalid_value'): readonly Fault[] => [
  { path, message, code },
];

/** Where the one field is there, the others are not. */
export const NotBeside = (field: string, others: readonly string[]) =>
  holds({
    schema: {
      dependentSchemas: {
        [field]: { properties: Object.fromEntries(others.map((other) => [other, false])) },
      },
    },
    faults: (value) =>
      isThere(value, field)
        ? others
            .filter((other) => isThere(value, other))
            .flatMap((other) => wrong(other, `cannot be combined with ${field}`))
        : nothing,
  });

/** At most one of two fields has a value that is not null. */
export const NotBoth = (field: string, other: string) =>
  holds({
    schema: {
      not: {
        properties: { [field]: { not: { type: 'null' } }, [other]: { not: { type: 'null' } } },
        required: [field, other],
      },
    },
    faults: (value) =>
      isValue(value, field) && isValue(value, other)
        ? wrong(other, `must not come with \`${field}\``)
        : nothing,
  });

/** Just one of two fields is there. */
export const EitherOr = (field: string, other: string) =>
  holds({
    schema: { oneOf: [{ required: [field] }, { required: [other] }] },
    faults: (value) => {
      if (isThere(value, field) !== isThere(value, other)) return nothing;
      return isThere(value, field)
        ? wrong(other, `must not come with a ${field}`)
        : wrong(field, `is required, or a ${other}`, 'required');
    },
  });

/** A field that is true goes with another one only. */
export const TrueNeeds = (field: string, needed: string) =>
  holds({
    schema: {
      anyOf: [{ required: [needed] }, { properties: { [field]: { const: false } } }],
    },
    faults: (value) =>
      value[field] === true && !isThere(value, needed) ? wrong(field, `needs a ${needed}`) : nothing,
  });

/** Fields that may be there, and be more than null, only where another one is one of these texts. */
export const OnlyWhere = (
  fields: readonly string[],
  where: string,
  texts: readonly string[],
  message: string,
) =>
  holds({
    schema: {
      anyOf: [
        { properties: { [where]: { enum: texts } }, required: [where] },
        { properties: Object.fromEntries(fields.map((field) => [field, { type: 'null' }])) },
      ],
    },
    faults: (value) =>
      texts.includes(String(value[where]))
        ? nothing
        : fields.filter((field) => isValue(value, field)).flatMap((field) => wrong(field, message)),
  });

/** Fields that must be there where another one is one of these texts. */
export const NeededWhere = (fields: readonly string[], where: string, texts: readonly string[]) =>
  holds({
    schema: {
      anyOf: [{ required: fields }, { not: { properties: { [where]: { enum: texts } }, required: [where] } }],
    },
    faults: (value) =>
      texts.includes(String(value[where]))
        ? fields
            .filter((field) => !isThere(value, field))
            .flatMap((field) => wrong(field, 'is required', 'required'))
        : nothing,
  });

/** A number that has a lower limit where another field is this text. */
export const AtMostWhere = (field: string, max: number, where: string, text: string) =>
  holds({
    schema: {
      anyOf: [
        { properties: { [field]: { type: 'integer', maximum: max } } },
        { not: { properties: { [where]: { const: text } }, required: [where] } },
      ],
    },
    faults: (value) =>
      value[where] === text && typeof value[field] === 'number' && value[field] > max
        ? wrong(field, `must be at most ${max}`, 'too_big')
        : nothing,
  });

/** An update names at least one of these fields. */
export const ChangesAnyOf = (...fields: readonly string[]) =>
  holds({
    schema: { anyOf: fields.map((field) => ({ required: [field] })) },
    faults: (value) =>
      fields.some((field) => isThere(value, field))
        ? nothing
        : wrong('', 'must change something', 'required'),
    empty: true,
  });

/** An object in this field, where it is there, has at least one property, unless one of the other fields is there. */
export const SomethingIn = (field: string, others: readonly string[] = []) => {
  const filled: JsonSchema = { properties: { [field]: { type: 'object', minProperties: 1 } } };
  return holds({
    schema:
      others.length === 0 ? filled : { anyOf: [filled, ...others.map((other) => ({ required: [other] }))] },
    faults: (value) =>
      !isThere(value, field) ||
      others.some((other) => isThere(value, other)) ||
      Object.values(value[field] as object).some((each) => each !== undefined)
        ? nothing
        : wrong(field, 'must change something', 'required'),
    empty: true,
  });
};

/** The keywords of several rules beside each other. */
export const keywordsOf = (rules: readonly Together[]): JsonSchema =>
  rules.length === 0 ? {} : { allOf: rules.map(({ schema }) => schema) };
