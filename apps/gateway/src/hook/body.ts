import { ApiError, invalid } from '../errors/api-error';

/** The fields of a body. */
export type Named = Readonly<Record<string, unknown>>;

export function isJsonObject(text: string): boolean {
  try {
    return text.trimStart().startsWith('{') && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function jsonObject(raw: Buffer): Named {
  // Created only when it is thrown: an error captures its stack.
  const notJson = (): ApiError => new ApiError(400, 'INVALID_JSON', 'The body must be a JSON object.');
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(raw));
  } catch {
    throw notJson();
  }
  if (!isObject(value)) throw notJson();
  return value;
}

export function decoded(raw: Buffer): string {
  try {
    return utf8.decode(raw);
  } catch {
    throw invalid('body', 'must be UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function mediaType(contentType: string): { type: string; charset: string } {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? '' };
}

export const unsupported = (): ApiError =>
  new ApiError(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must be JSON, plain text or a URL-encoded form, in UTF-8.',
  );
