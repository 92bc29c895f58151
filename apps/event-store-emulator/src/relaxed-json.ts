/**
 * JSON as the server's library reads it: with comments, commas too many, quotes of either kind and names without any.
 * Numbers stay as they were written, for metadata holds some that JavaScript would round.
 */
export type Json = string | boolean | null | undefined | NumberText | Json[] | JsonObject;
export type JsonObject = Map<string, Json>;

/** A number as written. */
export class NumberText {
  constructor(readonly text: string) {}

  /** The whole number that it is, if it is one and fits into 64 bits with a sign. */
  whole(): bigint | undefined {
    if (!/^-?\d+$/.test(this.text)) return undefined;
    const value = BigInt(this.text);
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }
}

export interface Parsed {
  value: Json;
  /** Where it ends; there may be more text. */
  end: number;
  hasComments: boolean;
}

const DEEPEST = 64;
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const NAME = /[\p{L}\p{N}_$]+/uy;
const WORDS: Record<string, Json> = { true: true, false: false, null: null, undefined };
const SPECIAL = ['NaN', 'Infinity', '-Infinity'];
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Reads one value from the start of a text. Throws a SyntaxError when there is none. */
export function parseRelaxed(text: string): Parsed {
  let at = 0;
  let hasComments = false;

  const fail = (): never => {
    throw new SyntaxError(`no JSON at ${at}`);
  };

  const space = () => {
    for (;;) {
      while (/\s/.test(text[at] ?? '')) at++;
      if (text[at] !== '/') return;
      hasComments = true;
      if (text[at + 1] === '*') {
        const end = text.indexOf('*/', at + 2);
        if (end < 0) fail();
        at = end + 2;
      } else if (text[at + 1] === '/') {
        const end = text.indexOf('\n', at);
        at = end < 0 ? text.length : end + 1;
      } else fail();
    }
  };

  const match = (expression: RegExp): string => {
    expression.lastIndex = at;
    const found = expression.exec(text)?.[0];
    if (found === undefined) return fail();
    at += found.length;
    return found;
  };

  const string = (): string => {
    const quote = text[at++];
    let result = '';
    for (;;) {
      const letter = text[at++];
      if (letter === undefined) return fail();
      if (letter === quote) return result;
      if (letter !== '\\') {
        result += letter;
        continue;
      }
      const escaped = text[at++];
      if (escaped === undefined) return fail();
      if (escaped === 'u') {
        const digits = text.slice(at, at + 4);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail();
        result += String.fromCharCode(parseInt(digits, 16));
        at += 4;
      } else if (ESCAPES[escaped] !== undefined) result += ESCAPES[escaped];
      else if ('"\'\\/'.includes(escaped)) result += escaped;
      else fail();
    }
  };

  const word = (): Json => {
    for (const special of SPECIAL)
      if (text.startsWith(special, at)) {
        at += special.length;
        return new NumberText(special);
      }
    for (const [name, value] of Object.entries(WORDS))
      if (text.startsWith(name, at)) {
        at += name.length;
        return value;
      }
    return new NumberText(match(NUMBER));
  };

  const object = (depth: number): JsonObject => {
    const members: JsonObject = new Map();
    at++;
    for (;;) {
      space();
      if (text[at] === '}') break;
      const name = text[at] === '"' || text[at] === "'" ? string() : match(NAME);
      space();
      if (text[at++] !== ':') fail();
      members.set(name, value(depth));
      space();
      if (text[at] === ',') at++;
      else if (text[at] !== '}') fail();
    }
    at++;
    return members;
  };

  const array = (depth: number): Json[] => {
    const members: Json[] = [];
    at++;
    for (;;) {
      space();
      if (text[at] === ']') break;
      members.push(value(depth));
      space();
      if (text[at] === ',') at++;
      else if (text[at] !== ']') fail();
    }
    at++;
    return members;
  };

  const value = (depth: number): Json => {
    // The server's library goes no deeper either.
    if (depth > DEEPEST) fail();
    space();
    switch (text[at]) {
      case '{':
        return object(depth + 1);
      case '[':
        return array(depth + 1);
      case '"':
      case "'":
        return string();
      default:
        return word();
    }
  };

  const result = value(0);
  return { value: result, end: at, hasComments };
}

/** Writes a value without spaces. */
export function stringifyRelaxed(value: Json): string {
  if (value instanceof Map)
    return `{${[...value].map(([name, each]) => `${JSON.stringify(name)}:${stringifyRelaxed(each)}`).join(',')}}`;
  if (Array.isArray(value)) return `[${value.map(stringifyRelaxed).join(',')}]`;
  if (value instanceof NumberText)
    return SPECIAL.includes(value.text) ? JSON.stringify(value.text) : value.text;
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
