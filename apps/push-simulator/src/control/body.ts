import type { FastifyRequest } from 'fastify';
import { BadInput } from './problem.js';

/** Checks one value; throws BadInput that names it. */
export type Check<Value> = (value: unknown, name: string) => Value;

/** A text of at most so many characters. */
export const text =
  (max: number): Check<string> =>
  (value, name) => {
    if (typeof value !== 'string' || value === '' || value.length > max)
      throw new BadInput(`${name} must be a text of 1 to ${max} characters`);
    return value;
  };

/** True or false. */
export const flag: Check<boolean> = (value, name) => {
  if (typeof value !== 'boolean') throw new BadInput(`${name} must be true or false`);
  return value;
};

/** A whole number within limits. */
export const whole =
  (min: number, max: number): Check<number> =>
  (value, name) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
      throw new BadInput(`${name} must be a whole number from ${min} to ${max}`);
    return value as number;
  };

/** A number within limits. */
export const within =
  (min: number, max: number): Check<number> =>
  (value, name) => {
    if (typeof value !== 'number' || !(value >= min && value <= max))
      throw new BadInput(`${name} must be a number from ${min} to ${max}`);
    return value;
  };

/** One of a few words. */
export const oneOf =
  <Word extends string>(...words: Word[]): Check<Word> =>
  (value, name) => {
    if (!words.includes(value as Word)) throw new BadInput(`${name} must be one of ${words.join(', ')}`);
    return value as Word;
  };

/** An absolute http or https address. */
export const httpUrl: Check<string> = (value, name) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new BadInput(`${name} must be an http or https URL`);
  return value as string;
};

/** The same check for a value that may be left out. */
export const optional =
  <Value>(check: Check<Value>): Check<Value | undefined> =>
  (value, name) =>
    value === undefined ? undefined : check(value, name);

/** The same check for a value that may be null. */
export const nullable =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value, name) =>
    value === null ? null : check(value, name);

/** An object of these fields and no others. */
export const shape =
  <Fields extends Record<string, Check<unknown>>>(
    fields: Fields,
  ): Check<{ [Name in keyof Fields]: ReturnType<Fields[Name]> }> =>
  (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new BadInput(`${name} must be an object`);
    for (const given of Object.keys(value))
      if (!Object.hasOwn(fields, given))
        throw new BadInput(
          `${name} has no field ${given}; it has ${Object.keys(fields).join(', ') || 'none'}`,
        );
    const entries = Object.entries(fields).map(([field, check]) => [
      field,
      check((value as Record<string, unknown>)[field], name === 'body' ? field : `${name}.${field}`),
    ]);
    return Object.fromEntries(entries) as { [Name in keyof Fields]: ReturnType<Fields[Name]> };
  };

/** The body of a request, checked; a missing one counts as an empty object. */
export function bodyOf<Value>(request: FastifyRequest, check: Check<Value>): Value {
  const raw = (request.body as string | undefined) ?? '';
  return check(raw === '' ? {} : parse(raw), 'body');
}

/** What the body of a request must be that needs none. */
export const nothing = shape({});

const parse = (raw: string): unknown => {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    throw new BadInput('the body is not JSON');
  }
};
