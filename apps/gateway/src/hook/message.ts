import { HookMessage } from '@carillon/contracts';
import { check, type Issue } from '@carillon/schema';
import { ApiError } from '../errors/api-error';
import { decoded, isJsonObject, jsonObject, mediaType, type Named, unsupported } from './body';

/** Names that senders use for the text; the first one present counts. */
const bodyNames = ['body', 'message', 'text'] as const;
const otherNames = ['title', 'url', 'imageUrl', 'bodyFormat', 'appId'] as const;

/**
 * Reads the message of a sender. Senders are external tools that were not built for this API: unknown fields are
 * ignored, null means absent, and any line ends are accepted. Known fields must be valid.
 */
export function readMessage(contentType: string | undefined, raw: Buffer | null | undefined): HookMessage {
  const text = raw && raw.length > 0 ? raw : undefined;
  const { type, charset } = mediaType(contentType ?? '');
  if (text && !/^(?:utf-?8|us-ascii)?$/.test(charset)) throw unsupported();
  if (!text) return checked({}, 'body');
  if (type === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(type))
    return named(jsonObject(text));
  if (type === 'text/plain') return checked({ body: decoded(text) }, 'body');
  if (type === 'application/x-www-form-urlencoded') {
    const sent = decoded(text);
    const form = new URLSearchParams(sent);
    const given = Object.fromEntries(
      [...bodyNames, ...otherNames].filter((name) => form.has(name)).map((name) => [name, form.get(name)]),
    );
    if (Object.keys(given).length > 0) return named(given);
    // `curl -d 'hello'` and `curl -d '{"text":"hello"}'` send the content type of a form, but no form.
    return isJsonObject(sent) ? named(jsonObject(text)) : checked({ body: sent }, 'body');
  }
  throw unsupported();
}

const named = (given: Named): HookMessage =>
  checked(given, bodyNames.find((name) => isThere(given, name)) ?? 'body');

function checked(given: Named, bodyName: string): HookMessage {
  const known: Record<string, unknown> = {};
  for (const name of otherNames) if (isThere(given, name)) known[name] = given[name];
  if (isThere(given, bodyName)) known['body'] = unixLines(given[bodyName]);
  const result = check(HookMessage, known);
  if (result.ok) return result.value;
  throw new ApiError(400, 'VALIDATION_FAILED', 'The request is not valid.', {
    issues: result.issues.map((issue): Issue =>
      issue.path === 'body' ? { ...issue, path: bodyName } : issue,
    ),
  });
}

const isThere = (given: Named, name: string): boolean =>
  Object.hasOwn(given, name) && given[name] !== null && given[name] !== undefined;

const unixLines = (text: unknown): unknown =>
  typeof text === 'string' ? text.replace(/\r\n?/g, '\n') : text;
