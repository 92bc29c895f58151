import { isObject } from '../json.js';
import { BadInput } from './problem.js';

/** Checks one value; throws BadInput that names it. */
export type ValueCheck<Value> = (value: unknown, name: string) => Value;

/** A text of at most so many characters. */
export const text =
  (max: number): ValueCheck<string> =>
  (value, name) => {
    if (typeof value !== 'string' || value === '' || value.length > max)
      throw new BadInput(`${name} must be a text of 1 to ${max} characters`);
    return value;
  };

/** True or false. */
export const flag: ValueCheck<boolean> = (value, name) => {
  if (typeof value !== 'boolean') throw new BadInput(`${name} must be true or false`);
  return value;
};

/** A whole number within limits. */
export const whole =
  (min: number, max: number): ValueCheck<number> =>
  (value, name) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      throw new BadInput(`${name} must be a whole number from ${min} to ${max}`);
    return value;
  };

/** A number within limits. */
export const within =
  (min: number, max: number): ValueCheck<number> =>
  (value, name) => {
    if (typeof value !== 'number' || !(value >= min && value <= max))
      throw new BadInput(`${name} must be a number from ${min} to ${max}`);
    return value;
  };

/** One of a few words. */
export const oneOf =
  <Word extends string>(...words: Word[]): ValueCheck<Word> =>
  (value, name) => {
    const word = words.find((each) => each === value);
    if (word === undefined) throw new BadInput(`${name} must be one of ${words.join(', ')}`);
    return word;
  };

/** An absolute http or https address. */
export const httpUrl: ValueCheck<string> = (value, name) => {
  if (typeof value !== 'string' || !URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new BadInput(`${name} must be an http or https URL`);
  return value;
};

/** The same check for a value that may be left out. */
export const optional =
  <Value>(check: ValueCheck<Value>): ValueCheck<Value | undefined> =>
  (value, name) =>
    value === undefined ? undefined : check(value, name);

/** The same check for a value that may be null. */
export const nullable =
  <Value>(check: ValueCheck<Value>): ValueCheck<Value | null> =>
  (value, name) =>
    value === null ? null : check(value, name);

/** An object of these fields and no others. */
export const shape =
  <Fields extends Record<string, ValueCheck<unknown>>>(
    fields: Fields,
  ): ValueCheck<{ [Name in keyof Fields]: ReturnType<Fields[Name]> }> =>
  (value, name) => {
    if (!isObject(value)) throw new BadInput(`${name} must be an object`);
    for (const given of Object.keys(value))
      if (!Object.hasOwn(fields, given))
        throw new BadInput(
          `${name} has no field ${given}; it has ${Object.keys(fields).join(', ') || 'none'}`,
        );
    const entries = Object.entries(fields).map(([field, check]) => [
      field,
      check(value[field], name === 'body' ? field : `${name}.${field}`),
    ]);
    return Object.fromEntries(entries) as { [Name in keyof Fields]: ReturnType<Fields[Name]> };
  };
