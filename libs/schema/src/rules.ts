import type { ValidationArguments } from 'class-validator';
import { ECDH } from 'node:crypto';
import { ValidateBy, ValidateIf, ValidateNested } from './class-validator';
import { appForm, isUrl, linkForm, neverSchemes, webForm } from './link-form';
import { firstMoment, lastMoment, moment, momentInYears, yearMs } from './moment';
import { type Asks, type LinkKind, nothing, type Problem, Rule, type Shape } from './rule';
import { atLeast, atMost, controls, faultOf, normalised } from './text';

// ---------------------------------------------------------------------------------------------------- text

const one = (code: Problem['code'], message: string): readonly Problem[] => [{ code, message }];

const notText = one('invalid_type', 'must be a string');
const hasControls = one('control_character', 'must not have control characters');
const hasControlsInLines = one(
  'control_character',
  'must not have control characters but line breaks and tabs',
);
const brokenUnicode = one('invalid_format', 'must be well-formed Unicode');

const characters = (count: number): string => `${count} character${count === 1 ? '' : 's'}`;

const cleanText = (value: unknown): unknown => (typeof value === 'string' ? normalised(value) : value);
const asItIs = (value: unknown): unknown => value;

/** Length and characters first, then what the rule itself says of the text. */
function textRule(
  asks: Asks,
  { min, max, multiline = false }: { min: number; max: number; multiline?: boolean },
  fault: (text: string) => readonly Problem[] = () => nothing,
  normalise: (value: unknown) => unknown = cleanText,
): Rule {
  const tooShort = one(
    'too_short',
    min === 1 ? 'must not be empty' : `must have at least ${characters(min)}`,
  );
  const tooLong = one('too_long', `must have at most ${characters(max)}`);
  return new Rule(
    asks,
    (value) => {
      if (typeof value !== 'string') return notText;
      if (!atLeast(value, min)) return tooShort;
      if (!atMost(value, max)) return tooLong;
      const found = faultOf(value, multiline);
      if (found === 'control_character') return multiline ? hasControlsInLines : hasControls;
      if (found === 'broken_unicode') return brokenUnicode;
      return fault(value);
    },
    normalise,
  );
}

const pattern = (form: RegExp, message: string): ((text: string) => readonly Problem[]) => {
  const wrong = one('invalid_format', message);
  return (text) => (form.test(text) ? nothing : wrong);
};

/** The characters that no text of several lines has, as they stand in a class of a pattern. */
const controlsInLines = '\\u0000-\\u0008\\u000b-\\u001f\\u007f';
const unprintable = '\\u0080-\\u009f\\u2028\\u2029';

/** Something other than white space, and none of these characters. */
const visible = (without: string, min = 1): string => {
  const form = `[^\\s${without}][^${without}]*`;
  return `^\\s*${min === 0 ? `(?:${form})?` : form}$`;
};

const text = (min: number, max: number, { multiline = false }: { multiline?: boolean } = {}): Rule =>
  textRule(
    {
      kind: 'text',
      min,
      max,
      pattern: visible(multiline ? controlsInLines : controls, min),
      multiline,
    },
    { min, max, multiline },
  );

const printable = pattern(new RegExp(`^[^${unprintable}]*$`), 'must have printable characters only');

const opaque = (min: number, max: number): Rule =>
  textRule(
    { kind: 'opaque', min, max, pattern: `^[^${controls}${unprintable}]*$` },
    { min, max },
    printable,
    asItIs,
  );

/** A text that is taken as it is and must have a form. */
const formed = (min: number, max: number, form: RegExp, message: string): Rule =>
  textRule({ kind: 'formed', min, max, pattern: form.source }, { min, max }, pattern(form, message), asItIs);

const headerName = (): Rule =>
  formed(1, 64, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header');
const headerValue = (): Rule =>
  formed(1, 1024, /^[!-~](?:[ -~]*[!-~])?$/, 'must be visible ASCII, with spaces only inside');
const timeOfDay = (): Rule =>
  formed(1, 8, /^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day from 00:00 to 23:59');
const label = (max: number): Rule => formed(1, max, /^[ -~]+$/, 'must be printable ASCII');
const sha256 = (): Rule => formed(64, 64, /^[0-9A-Fa-f]{64}$/, 'must be 64 hexadecimal digits');
/** 32 to 86 digits, of which one alone is never over. */
const signingSecret = (): Rule =>
  formed(
    38,
    94,
    /^whsec_(?:[A-Za-z0-9+/]{32}(?:[A-Za-z0-9+/]{4}){0,12}(?:[A-Za-z0-9+/]{2,3})?|[A-Za-z0-9+/]{84}(?:[A-Za-z0-9+/]{2})?)=*$/,
    'must be "whsec_" and the base64 of 24 to 64 bytes',
  );

/** 65 bytes as base64url: an uncompressed point of the curve P-256. */
const curvePoint = (): Rule => {
  const form = /^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$/;
  const wrong = one('invalid_format', 'must be the base64url of an uncompressed point of P-256, 65 bytes');
  return textRule(
    { kind: 'point', min: 87, max: 87, pattern: form.source },
    { min: 87, max: 87 },
    (value) => (form.test(value) && isOnCurve(value) ? nothing : wrong),
    asItIs,
  );
};

function isOnCurve(point: string): boolean {
  try {
    ECDH.convertKey(point, 'prime256v1', 'base64url');
    return true;
  } catch {
    return false;
  }
}

const sixteenBytes = (): Rule =>
  formed(22, 22, /^[A-Za-z0-9_-]{21}[AQgw]$/, 'must be the base64url of 16 bytes');

/** A name that is trimmed and must have a form. */
const nameOf = (max: number, form: RegExp, message: string): Rule =>
  textRule({ kind: 'slug', max, pattern: form.source }, { min: 1, max }, pattern(form, message));

const slug = (): Rule =>
  nameOf(
    64,
    /^[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'must begin with a letter or digit and have only letters, digits and . _ : -',
  );
const tunnelId = (): Rule => nameOf(128, /^[A-Za-z0-9._:-]+$/, 'must have only letters, digits and . _ : -');
const routeName = (): Rule =>
  nameOf(
    40,
    /^[a-z0-9][a-z0-9-]*$/,
    'must begin with a small letter or a digit and have only those and hyphens',
  );
const hue = (): Rule => nameOf(7, /^#[0-9A-Fa-f]{6}$/, 'must be a colour such as #1f883d');

const hostForm = /^[^\s/?#@:[\]\\%*\u0000-\u001f\u007f]+\.[^\s/?#@:[\]\\%*\u0000-\u001f\u007f]+$/;
const hostName = (): Rule =>
  textRule(
    { kind: 'formed', min: 4, max: 253, pattern: hostForm.source },
    { min: 4, max: 253 },
    pattern(hostForm, 'must be a name with at least one dot, without scheme, port, path or wildcard'),
  );

const symbolForm = /^[a-z0-9._-]+$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** One visible character that is a picture, a flag or a key. */
const emojiForm = /\p{Extended_Pictographic}|^\p{Regional_Indicator}{2}$|^[0-9#*]\uFE0F?\u20E3$/u;
const isEmoji = (text: string): boolean => emojiForm.test(text) && [...graphemes.segment(text)].length === 1;
const glyph = (): Rule => {
  const wrong = one('invalid_format', 'must be the name of a symbol (a-z, 0-9 and . _ -) or one emoji');
  const form = `^(?:[a-z0-9._-]+|[ -~]*[^\\u0000-\\u007f][^${controls}]*)$`;
  return textRule({ kind: 'glyph', max: 64, pattern: form }, { min: 1, max: 64 }, (value) =>
    symbolForm.test(value) || isEmoji(value) ? nothing : wrong,
  );
};

/** A line as a terminal shows it, which may be empty; nothing that would steer a terminal. */
const line = (max: number): Rule =>
  textRule(
    { kind: 'text', min: 0, max, pattern: visible(controls + unprintable, 0), multiline: false },
    { min: 0, max },
    printable,
  );

const idForm = /^[A-Za-z0-9_:.-]+$/;
/**
 * An id as callers may write it. The prefix is for the description only: an id of another form is a resource that
 * does not exist, which is for the service to say.
 */
const id = (prefix?: string): Rule =>
  textRule(
    { kind: 'id', max: 200, pattern: idForm.source, ...(prefix === undefined ? {} : { prefix }) },
    { min: 1, max: 200 },
    pattern(idForm, 'must be an id: letters, digits and _ : . -'),
  );

/** An id of a form that the caller can know. */
const idLike = (form: RegExp, message: string): Rule =>
  textRule({ kind: 'id', max: 200, pattern: form.source }, { min: 1, max: 200 }, pattern(form, message));

const oneOf = (values: readonly string[]): Rule => {
  const known = new Set(values);
  const wrong = one('invalid_value', `must be one of ${values.join(', ')}`);
  return new Rule(
    { kind: 'one_of', values },
    (value) => (typeof value !== 'string' ? notText : known.has(value) ? nothing : wrong),
    cleanText,
  );
};

/** Letters and digits of all languages, but those of double width. */
const letters = 'A-Za-z0-9\\u00a1-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uff00\\uff5f-\\uffef';
const atom = `[${letters}!#$%&'*+/=?^_\`{|}~-]+`;
const emailForm = new RegExp(
  `^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:[${letters}](?:[${letters}-]{0,61}[${letters}])?\\.)+` +
    `(?:[${letters.replace('0-9', '')}]{2,63}|[Xx][Nn][A-Za-z0-9-]{1,60}[A-Za-z0-9])$`,
  'u',
);
const email = (): Rule =>
  textRule(
    { kind: 'email', min: 3, max: 254, pattern: emailForm.source },
    { min: 3, max: 254 },
    pattern(emailForm, 'must be an email address'),
  );

// --------------------------------------------------------------------------------------------------- links

const link = (kind: LinkKind): Rule => {
  const wrong = one(
    'invalid_format',
    `must be an absolute ${kind === 'tap' ? 'http, https or app' : kind === 'web' ? 'http or https' : 'https'} address`,
  );
  const schemeRefused = one('invalid_value', 'must not have this scheme');
  const withUser = one('invalid_format', 'must not hold a user name or password');
  const withFragment = one('invalid_format', 'must not have a fragment');
  const portZero = one('invalid_value', 'must not have port 0');
  return textRule(
    { kind: 'link', link: kind, max: 2048, pattern: linkForm(kind) },
    { min: 1, max: 2048 },
    (address) => {
      const web = webForm.exec(address);
      if (web) {
        if (kind !== 'tap' && kind !== 'web' && web[1]!.toLowerCase() !== 'https') return wrong;
        if (web[2]!.includes('@')) return withUser;
        if (kind === 'webhook' && web[3]!.includes('#')) return withFragment;
        if (kind === 'webhook' && /:0+$/.test(web[2]!)) return portZero;
        return isUrl(address) ? nothing : wrong;
      }
      if (kind !== 'tap' || /^https?:/i.test(address)) return wrong;
      if (neverSchemes.test(address)) return schemeRefused;
      const app = appForm.exec(address);
      if (!app) return wrong;
      if (app[1]?.includes('@')) return withUser;
      return isUrl(address) ? nothing : wrong;
    },
  );
};

// ---------------------------------------------------------------------------------------------------- time

/** With `years` so far from now at most, by the clock of the machine. */
const whenWithin = (years?: number): Rule => {
  const wrong = one('invalid_format', 'must be a date and time such as 2026-11-20T17:29:00Z');
  const tooSmall = one(
    'too_small',
    years === undefined ? 'must not be before 1900' : `must be at most ${years} years ago`,
  );
  const tooBig = one(
    'too_big',
    years === undefined ? 'must not be after 2199' : `must be at most ${years} years ahead`,
  );
  const first = Date.parse(firstMoment);
  const last = Date.parse(lastMoment);
  return new Rule(
    { kind: 'when', pattern: momentInYears, ...(years !== undefined && { years }) },
    (value) => {
      if (typeof value !== 'string') return notText;
      if (moment(value) !== value) return wrong;
      const ms = Date.parse(value);
      const now = Date.now();
      if (ms < first || (years !== undefined && ms < now - years * yearMs)) return tooSmall;
      return ms > last || (years !== undefined && ms > now + years * yearMs) ? tooBig : nothing;
    },
    (value) => (typeof value === 'string' ? (moment(value.trim()) ?? value) : value),
  );
};

// ------------------------------------------------------------------------------------------------- numbers

const withoutMinusZero = (value: unknown): unknown => (value === 0 ? 0 : value);

function range(kind: 'int' | 'num', min: number, max: number, word: string, form: RegExp): Rule {
  const wrong = one('invalid_type', `must be a ${word}`);
  const tooSmall = one('too_small', `must be at least ${min}`);
  const tooBig = one('too_big', `must be at most ${max}`);
  return new Rule(
    { kind, min, max },
    (value) => {
      if (typeof value !== 'number' || !(kind === 'int' ? Number.isInteger(value) : Number.isFinite(value)))
        return wrong;
      if (value < min) return tooSmall;
      return value > max ? tooBig : nothing;
    },
    withoutMinusZero,
    (given) => (form.test(given) ? Number(given) : given),
  );
}

const int = (min: number, max: number): Rule => range('int', min, max, 'whole number', /^-?\d{1,15}$/);
const num = (min: number, max: number): Rule =>
  range('num', min, max, 'number', /^-?\d{1,15}(?:\.\d{1,15})?$/);

const bool = (): Rule => {
  const wrong = one('invalid_type', 'must be true or false');
  return new Rule(
    { kind: 'bool' },
    (value) => (typeof value === 'boolean' ? nothing : wrong),
    asItIs,
    (given) => (given === 'true' ? true : given === 'false' ? false : given),
  );
};

// --------------------------------------------------------------------------------------------------- lists

export interface ListLimits {
  readonly min: number;
  readonly max: number;
  readonly unique?: boolean;
}

const notList = one('invalid_type', 'must be a list');
const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

function sizeRule({ min, max }: ListLimits): (list: readonly unknown[]) => readonly Problem[] {
  const tooShort = one('too_short', `must have at least ${entries(min)}`);
  const tooLong = one('too_long', `must have at most ${entries(max)}`);
  return (list) => (list.length < min ? tooShort : list.length > max ? tooLong : nothing);
}

/** A list that is too long is cut before anything is done with its entries; one more than allowed tells the tale. */
export const upTo = (list: readonly unknown[], max: number): readonly unknown[] =>
  list.length > max ? list.slice(0, max + 1) : list;

const listOf = (of: Rule, limits: ListLimits): Rule => {
  const { min, max, unique = false } = limits;
  const size = sizeRule(limits);
  return new Rule(
    { kind: 'list', of, min, max, unique },
    (value) => {
      if (!Array.isArray(value)) return notList;
      const wrongSize = size(value);
      if (wrongSize !== nothing) return wrongSize;
      let problems = nothing;
      const seen = unique ? new Set<unknown>() : undefined;
      for (let at = 0; at < value.length; at += 1) {
        const entry: unknown = value[at];
        for (const problem of of.problems(entry)) problems = [...problems, { ...problem, at }];
        if (!seen) continue;
        if (seen.has(entry))
          problems = [...problems, { code: 'not_unique', message: 'must not be there twice', at }];
        seen.add(entry);
      }
      return problems;
    },
    (value) => (Array.isArray(value) ? upTo(value, max).map((entry) => of.normalise(entry)) : value),
    of.fromText,
  );
};

const notObject: Problem = { code: 'invalid_type', message: 'must be an object' };

const shapeOf = (shape: Shape<object>): Rule =>
  new Rule({ kind: 'shape', shape }, (value) => (value instanceof shape ? nothing : [notObject]), asItIs);

const shapesOf = (shape: Shape<object>, limits: ListLimits): Rule => {
  const size = sizeRule(limits);
  return new Rule(
    { kind: 'shapes', shape, min: limits.min, max: limits.max },
    (value) => {
      if (!Array.isArray(value)) return notList;
      const wrongSize = size(value);
      if (wrongSize !== nothing) return wrongSize;
      let problems = nothing;
      for (let at = 0; at < value.length; at += 1)
        if (!(value[at] instanceof shape)) problems = [...problems, { ...notObject, at }];
      return problems;
    },
    asItIs,
  );
};

// ---------------------------------------------------------------------------------------------- decorators

/** Gives a rule to class-validator as one of its own; the rule itself is the constraint that it stores. */
const heldBy = (rule: Rule): PropertyDecorator =>
  ValidateBy({
    name: rule.asks.kind,
    constraints: [rule],
    validator: {
      validate: (value: unknown) => rule.problems(rule.normalise(value)) === nothing,
      defaultMessage: (given?: ValidationArguments) =>
        rule.problems(rule.normalise(given?.value))[0]?.message ?? 'is not valid',
    },
  });

/** A decorator, and the rule alone as `.rule(…)` for the entries of a list. */
const decorator = <Parameters extends readonly unknown[]>(rule: (...parameters: Parameters) => Rule) =>
  Object.assign((...parameters: Parameters): PropertyDecorator => heldBy(rule(...parameters)), { rule });

const all =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };

/** A text that is normalised and trimmed, then measured in code points. */
export const Text = decorator(text);
/** A text that is taken as it is: secrets, tokens, cursors. Measured in code points, printable. */
export const Opaque = decorator(opaque);
/** A name as RFC 9110 has it, 1 to 64. */
export const HeaderName = decorator(headerName);
/** What may stand in one line of a request, 1 to 1024. */
export const HeaderValue = decorator(headerValue);
/** Printable ASCII, taken as it is: a key of the caller's own. */
export const Label = decorator(label);
/** `whsec_` and base64; its consumer checks the number of bytes. */
export const SigningSecret = decorator(signingSecret);
/** What a provider of tunnels calls one of them, 1 to 128. */
export const TunnelId = decorator(tunnelId);
/** What a connector calls one of its routes, 1 to 40. */
export const RouteName = decorator(routeName);
/** A SHA-256 as 64 hexadecimal digits. */
export const Sha256 = decorator(sha256);
/** The public key of a browser's push subscription: a point of P-256, 65 bytes as base64url. */
export const CurvePoint = decorator(curvePoint);
/** 16 bytes as base64url, without padding. */
export const SixteenBytes = decorator(sixteenBytes);
/** `HH:mm` on a clock of 24 hours. */
export const TimeOfDay = decorator(timeOfDay);
/** A name of the caller's own for a thing of his, 1 to 64. */
export const Slug = decorator(slug);
/** A name of a host as people write it, 4 to 253 characters; its consumer converts it for DNS. */
export const HostName = decorator(hostName);
/** A colour as `#rrggbb`. */
export const Hue = decorator(hue);
/** The name of a symbol, or one emoji. */
export const Glyph = decorator(glyph);
export const Line = decorator(line);
export const Id = decorator(id);
export const IdLike = decorator(idLike);
export const OneOf = decorator(oneOf);
export const Link = decorator(link);
export const Email = decorator(email);
/** An RFC 3339 date and time with any offset, from 1900 to 2199; becomes UTC with milliseconds and `Z`. */
export const When = decorator(() => whenWithin());
/** The date of a question, such as `from`: the same, at most 20 years from now. */
export const WhenAsked = decorator(() => whenWithin(20));
export const Int = decorator(int);
export const Num = decorator(num);
export const Bool = decorator(bool);
export const ListOf = decorator(listOf);

/** An object of another shape. */
export const Nested = (shape: Shape<object>): PropertyDecorator =>
  all(heldBy(shapeOf(shape)), ValidateNested());

/** A list of objects of another shape. */
export const ListOfShapes = (shape: Shape<object>, limits: ListLimits): PropertyDecorator =>
  all(heldBy(shapesOf(shape, limits)), ValidateNested({ each: true }));

export const optionalMark = { carillon: 'optional' } as const;
export const nullableMark = { carillon: 'nullable' } as const;

/** The field may be absent. It may not be null. */
export const Optional = (): PropertyDecorator =>
  ValidateIf((_, value: unknown) => value !== undefined, { context: optionalMark });

/** The field may be null. */
export const Nullable = (): PropertyDecorator =>
  ValidateIf((_, value: unknown) => value !== null, { context: nullableMark });

const saidOf = new WeakMap<object, Map<PropertyKey, string>>();

/** What the API's description says of a field. */
export const About =
  (said: string): PropertyDecorator =>
  (target, key) => {
    const known = saidOf.get(target) ?? new Map<PropertyKey, string>();
    saidOf.set(target, known.set(key, said));
  };

export function aboutOf(shape: Shape<unknown>, name: string): string | undefined {
  for (
    let at: unknown = shape.prototype;
    typeof at === 'object' && at !== null;
    at = Object.getPrototypeOf(at)
  ) {
    const said = saidOf.get(at)?.get(name);
    if (said !== undefined) return said;
  }
  return undefined;
}
