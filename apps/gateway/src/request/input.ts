import { Refused } from '@carillon/eventing';
import { check, type Issue } from '@carillon/schema';
import { fingerprint } from '@carillon/signing';
import type { FastifyRequest } from 'fastify';
import { insufficientScope } from '../errors/challenge';
import { ApiError, appRequired, invalid } from '../errors/api-error';
import { fromRefusal } from '../errors/refusals';
import type { EdgeRequest, FieldScopes, ReadRequest } from './row';

/** Form of an id in a path. */
export const idForm = /^[A-Za-z0-9_:.-]{1,200}$/;
export const positionForm = /^[0-9]{1,20}$/;
export const versionForm = /^1(\.[0-9]+){0,2}$/;
/** 1 to 255 printable characters of ASCII: bare, or a quoted string as structured fields have it. */
export const idempotencyKeyForm = /^(?:[!#-+\--~]{1,255}|"(?:[ !#-[\]-~]|\\["\\]){1,255}")$/;

/** Reads path, query, headers and body, in this order, and checks them against the row's contract. */
export function readRequest(request: EdgeRequest): ReadRequest {
  const { http, row } = request;
  const path = http.params;
  for (const value of Object.values(path))
    if (!idForm.test(value)) throw new ApiError(400, 'INVALID_ID', 'The id in the path is not valid.');

  const version = http.headers['agent-api-version'];
  if (version !== undefined && !versionForm.test(String(version)))
    throw new ApiError(400, 'UNSUPPORTED_API_VERSION', 'This service speaks version 1 of the API.');
  const after = header(request, 'carillon-position');
  if (after !== undefined && !positionForm.test(after))
    throw invalid('Carillon-Position', 'must be a log position');

  const shape = row.contract?.input;
  const reading = row.method === 'GET';
  const given = reading ? queryOf(request) : bodyOf(request);
  if (row.alsoNeeds) insistOnScopes(request, row.alsoNeeds, given);
  if (request.session?.kind !== 'app' && row.onlyInApp?.({ ...given })) throw appRequired();
  const refused = row.refusesUnread?.({ ...given });
  if (refused !== undefined) throw fromRefusal(new Refused(refused));
  if (row.method === 'PATCH' && Object.keys(given).length === 0) throw emptyUpdate();
  const checked = shape
    ? check(shape, given, reading ? { query: true, path } : { path })
    : ({ ok: true, value: {} } as const);
  if (!checked.ok) throw checked.empty ? emptyUpdate() : refuse(checked.issues, path);

  const key = row.idempotent ? idempotencyKey(request) : undefined;
  return {
    input: checked.value,
    ...(key !== undefined && { idempotency: { key, fingerprint: fingerprint(checked.value) } }),
    ...(after !== undefined && { after }),
  };
}

const queryOf = ({ http: { query }, row }: EdgeRequest): object =>
  row.applies ? row.applies({ ...query }) : (query ?? {});

const emptyUpdate = (): ApiError => fromRefusal(new Refused('input.empty_update'));

/** When only ids in the path are malformed, the error names the id instead of fields. */
function refuse(issues: readonly Issue[], path: Readonly<Record<string, string>>): ApiError {
  if (issues.every(({ path: at, code }) => code !== 'unknown_field' && Object.hasOwn(path, at)))
    return new ApiError(400, 'INVALID_ID', 'The id in the path is not valid.');
  return new ApiError(400, 'VALIDATION_FAILED', 'The request is not valid.', { issues });
}

/** Some fields need a scope of their own. It is checked before the rest of the body is validated. */
function insistOnScopes({ row, token }: EdgeRequest, needs: FieldScopes, given: object): void {
  const more = Object.keys(needs).flatMap((field) =>
    Object.hasOwn(given, field) ? (needs[field] ?? []) : [],
  );
  if (!more.every((scope) => token?.scopes.includes(scope)))
    throw insufficientScope([...row.scopes, ...more]);
}

/** Refuses bodies with a content encoding. */
export function refuseEncoded({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw new ApiError(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must come without a content encoding.',
    {},
    { 'accept-encoding': 'identity' },
  );
}

/** The body as an object; an absent body is an empty object. */
function bodyOf({ http }: EdgeRequest): object {
  const raw = http.body;
  if (!raw || raw.length === 0) return {};
  refuseEncoded(http);
  const type = http.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(type))
    throw new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  return objectIn(raw);
}

/** Parses a body that must be a JSON object. */
export function objectIn(raw: Uint8Array): object {
  // Created only when it is thrown: an error captures its stack.
  const notJson = (): ApiError => new ApiError(400, 'INVALID_JSON', 'The body must be a JSON object.');
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(raw));
  } catch {
    throw notJson();
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notJson();
  return body;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function idempotencyKey(request: EdgeRequest): string | undefined {
  const given = header(request, 'idempotency-key');
  if (given === undefined) return undefined;
  if (!idempotencyKeyForm.test(given))
    throw new ApiError(
      400,
      'INVALID_IDEMPOTENCY_KEY',
      'The idempotency key must be 1 to 255 printable ASCII characters.',
    );
  return given.startsWith('"') ? given.slice(1, -1).replace(/\\(["\\])/g, '$1') : given;
}

/** A header that must not be repeated. */
function header({ http }: EdgeRequest, name: string): string | undefined {
  const value = http.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
