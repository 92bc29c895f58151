import { Refused } from '@carillon/eventing';
import { type Fields, isFields, unfit } from './preset';

/** How deep the JSON of a sender may nest. */
const deepest = 64;

export const unsupported = (): Refused => new Refused('hook.unsupported_media_type');

/** The JSON object that this is; undefined for anything else, also what is no UTF-8. */
export function fieldsIn(body: Buffer | string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(typeof body === 'string' ? body : utf8.decode(body));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function jsonObject(raw: Buffer): Fields {
  const fields = fieldsIn(raw);
  if (!fields) throw new Refused('hook.not_json');
  return fields;
}

export function decoded(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch {
    throw unfit('body', 'must be UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function mediaType(contentType: string): { type: string; charset: string } {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? '' };
}

export const isUtf8 = (charset: string): boolean => /^(?:utf-?8|us-ascii)?$/.test(charset);
export const isForm = (type: string): boolean => type === 'application/x-www-form-urlencoded';

/** The JSON object in the field `payload` of a form, as GitHub sends it. */
export function payloadOf(form: URLSearchParams): Fields | undefined {
  const payload = form.get('payload');
  return payload === null ? undefined : fieldsIn(payload);
}

/** Refused `input.invalid` when it nests so deep that it could not be shown. */
export function insistOnShallow(fields: Fields): Fields {
  let level: readonly unknown[] = [fields];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest + 1) throw unfit('', `must not nest deeper than ${deepest} levels`);
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return fields;
}
