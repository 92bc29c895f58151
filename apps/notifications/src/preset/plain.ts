import { HookMessage } from '@carillon/contracts';
import { check, type Issue } from '@carillon/schema';
import { Refused } from '@carillon/eventing';
import { decoded, fieldsIn, isForm, isUtf8, jsonObject, mediaType, payloadOf, unsupported } from './body';
import type { Fields } from './preset';

/** Names that senders use for the text; the first one present counts. */
const bodyNames = ['body', 'message', 'text'] as const;
const otherNames = ['title', 'url', 'imageUrl', 'bodyFormat', 'appId'] as const;

/** A message, or the fields of a payload that has none of its names, which `auto` reads. */
export type PlainPayload = { readonly message: HookMessage } | { readonly fields: Fields };

/**
 * Carillon's own form, for scripts. Senders may be external tools that were not built for this API: unknown fields are
 * ignored, null means absent, and any line ends are accepted. Known fields must be valid.
 *
 * | Field of JSON or of a form                | Becomes                                         |
 * | ----------------------------------------- | ----------------------------------------------- |
 * | `body`, `message` or `text`, the first one | the body                                       |
 * | `title`, `url`, `imageUrl`, `bodyFormat`, `appId` | the same                                |
 * | the whole of a plain text                 | the body                                        |
 * | none of `body`, `message`, `text`         | what the preset `auto` makes of the JSON object |
 */
export function readPlain(contentType: string | undefined, raw: Buffer): PlainPayload {
  const { type, charset } = mediaType(contentType ?? '');
  if (raw.length === 0) return { message: checked({}, 'body') };
  if (!isUtf8(charset)) throw unsupported();
  if (type === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(type))
    return named(jsonObject(raw));
  if (type === 'text/plain') return { message: checked({ body: decoded(raw) }, 'body') };
  if (isForm(type)) {
    const sent = decoded(raw);
    const form = new URLSearchParams(sent);
    const given = Object.fromEntries(
      [...bodyNames, ...otherNames].filter((name) => form.has(name)).map((name) => [name, form.get(name)]),
    );
    if (Object.keys(given).length > 0) return named(given);
    // `curl -d 'hello'` and `curl -d '{"text":"hello"}'` send the content type of a form, but no form.
    const fields = payloadOf(form) ?? fieldsIn(sent);
    return fields ? named(fields) : { message: checked({ body: sent }, 'body') };
  }
  throw unsupported();
}

function named(given: Fields): PlainPayload {
  const bodyName = bodyNames.find((name) => isThere(given, name));
  if (bodyName === undefined && Object.keys(given).length > 0) return { fields: given };
  return { message: checked(given, bodyName ?? 'body') };
}

function checked(given: Fields, bodyName: string): HookMessage {
  const known: Record<string, unknown> = {};
  for (const name of otherNames) if (isThere(given, name)) known[name] = given[name];
  if (isThere(given, bodyName)) known['body'] = unixLines(given[bodyName]);
  const result = check(HookMessage, known);
  if (result.ok) return result.value;
  throw new Refused('input.invalid', {
    issues: result.issues.map((issue): Issue =>
      issue.path === 'body' ? { ...issue, path: bodyName } : issue,
    ),
  });
}

const isThere = (given: Fields, name: string): boolean =>
  Object.hasOwn(given, name) && given[name] !== null && given[name] !== undefined;

const unixLines = (text: unknown): unknown =>
  typeof text === 'string' ? text.replace(/\r\n?/g, '\n') : text;
