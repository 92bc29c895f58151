import { compareTexts } from '@carillon/eventing';
import { type JsonSchema, type Schema, text } from '@carillon/schema';
import { refusalOf } from '../errors/refusals';
import { wrongCell } from '../errors/wrong-cell';
import { type Row, rowName } from '../request/row';
import { inputsOf } from './inputs';

/** Errors of the edge itself, before or after the call to a service. */
const edgeSays = {
  UNSUPPORTED_API_VERSION: 'This service speaks version 1 of the API.',
  VALIDATION_FAILED: 'The request is not valid; `issues` names what is wrong.',
  INVALID_ID: 'The id in the path is not valid.',
  INVALID_JSON: 'The body must be a JSON object.',
  EMPTY_UPDATE: 'The update changes nothing.',
  INVALID_IDEMPOTENCY_KEY: 'The idempotency key must be 1 to 255 printable ASCII characters.',
  UNAUTHENTICATED: 'The request needs a bearer token.',
  TOKEN_INVALID: 'The token is not valid.',
  TOKEN_REVOKED: 'The token has been revoked.',
  TOKEN_EXPIRED: 'The token has expired.',
  REAUTH_REQUIRED: 'Sign in again to do this.',
  INSUFFICIENT_SCOPE: 'The token lacks a scope that this route needs; `required` names all of them.',
  ACCOUNT_SUSPENDED: 'The account is suspended.',
  HUMAN_SESSION_REQUIRED: 'Only a signed-in person can do this, not a token.',
  CSRF_REJECTED: 'The request came from another site.',
  WRONG_CELL: wrongCell.sentence,
  PAYLOAD_TOO_LARGE: 'The body is larger than 64 KiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be application/json.',
  RATE_LIMITED: 'Too many requests. Try again later.',
  INTERNAL: 'Something went wrong on our side.',
  UNAVAILABLE: 'A part of the service cannot be reached. Try again.',
  DEADLINE_EXCEEDED:
    'What was asked may have happened. Ask again with the same Idempotency-Key, or look first.',
} as const;
type EdgeCode = keyof typeof edgeSays;

const ofTokens: readonly EdgeCode[] = ['UNAUTHENTICATED', 'TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'];

/** The codes of an error status, each with what it means. */
export type Codes = ReadonlyMap<number, ReadonlyMap<string, string>>;

const isCounted = ({ access, rate }: Row): boolean => access !== 'public' || rate !== undefined;

/** All errors that a row can answer with. */
export function codesOf(row: Row): Codes {
  const codes = new Map<number, Map<string, string>>();
  const say = (status: number, code: string, sentence: string): void => {
    const known = codes.get(status) ?? new Map<string, string>();
    codes.set(status, known);
    if (!known.has(code)) known.set(code, sentence);
  };
  const edge = (status: number, ...given: readonly EdgeCode[]): void => {
    for (const code of given) say(status, code, edgeSays[code]);
  };
  const reasons = (...given: readonly string[]): void => {
    for (const { status, code, sentence } of given.map(refusalOf)) say(status, code, sentence);
  };

  const changes = row.method !== 'GET';
  edge(400, 'VALIDATION_FAILED', 'UNSUPPORTED_API_VERSION');
  if (changes) {
    edge(400, 'INVALID_JSON');
    edge(413, 'PAYLOAD_TOO_LARGE');
    edge(415, 'UNSUPPORTED_MEDIA_TYPE');
  }
  if (row.method === 'PATCH') edge(400, 'EMPTY_UPDATE');
  if (inputsOf(row).path.length > 0) edge(400, 'INVALID_ID');
  if (row.access !== 'public') edge(401, ...ofTokens);
  if (row.access === 'token' && row.scopes.length > 0) edge(403, 'INSUFFICIENT_SCOPE');
  if (row.access === 'session' || row.access === 'app') edge(403, 'HUMAN_SESSION_REQUIRED');
  if (row.access !== 'token' && changes) edge(403, 'CSRF_REJECTED');
  if (row.access !== 'public') edge(403, 'ACCOUNT_SUSPENDED');
  if (row.access !== 'public') edge(421, 'WRONG_CELL');
  if (row.recent) edge(401, 'REAUTH_REQUIRED');
  if (isCounted(row)) edge(429, 'RATE_LIMITED');
  reasons(...(row.contract?.refuses ?? []));
  if (row.idempotent) {
    edge(400, 'INVALID_IDEMPOTENCY_KEY');
    reasons('idempotency.in_progress', 'idempotency.key_reused');
  }
  if (row.contract && changes) reasons('stream.concurrent_update');
  for (const said of row.errors ?? []) say(...said);
  edge(500, 'INTERNAL');
  edge(503, 'UNAVAILABLE');
  edge(504, 'DEADLINE_EXCEEDED');
  return new Map([...codes].sort(([one], [other]) => one - other));
}

/** Error responses that routes share unless a route adds to them. */
const common: Readonly<Record<number, readonly [name: string, ...codes: EdgeCode[]]>> = {
  401: ['Unauthorized', ...ofTokens],
  403: ['Forbidden', 'INSUFFICIENT_SCOPE', 'ACCOUNT_SUSPENDED'],
  413: ['PayloadTooLarge', 'PAYLOAD_TOO_LARGE'],
  415: ['UnsupportedMediaType', 'UNSUPPORTED_MEDIA_TYPE'],
  421: ['Misdirected', 'WRONG_CELL'],
  429: ['TooManyRequests', 'RATE_LIMITED'],
  500: ['InternalError', 'INTERNAL'],
  503: ['Unavailable', 'UNAVAILABLE'],
  504: ['DeadlineExceeded', 'DEADLINE_EXCEEDED'],
};

/** Headers of a response: those that every response has, and some more. */
const headers = (...more: readonly string[]): JsonSchema =>
  Object.fromEntries(
    ['X-Request-Id', 'Agent-Api-Version', 'Cache-Control', ...more].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );

const limits = ['RateLimit-Policy', 'RateLimit'];
/** Errors that are answered before the request is counted. */
const uncounted = new Set([401, 413, 421, 500]);
const later = new Set([409, 429, 503]);

/** The headers of an error beside those that every response has, and the name of the response that has them. */
function errorForm(status: number, codes: ReadonlyMap<string, string>, counted: boolean) {
  const limited = counted && !uncounted.has(status);
  const challenged = status === 401 || codes.has('INSUFFICIENT_SCOPE');
  const retried = later.has(status);
  const name = `Error${limited ? 'WithLimits' : ''}${challenged ? 'WithChallenge' : ''}${retried ? 'WithRetryAfter' : ''}`;
  return {
    name,
    headers: headers(
      ...(limited ? limits : []),
      ...(challenged ? ['WWW-Authenticate'] : []),
      ...(retried ? ['Retry-After'] : []),
    ),
  };
}

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

const sentencesOf = (codes: ReadonlyMap<string, string>): string =>
  [...codes].map(([code, sentence]) => `\`${code}\`: ${sentence}`).join('\n');

const commonResponses = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(common).map(([status, [name, ...usual]]) => {
      const codes = new Map(usual.map((code) => [code, edgeSays[code]]));
      const response = {
        description: sentencesOf(codes),
        headers: errorForm(Number(status), codes, true).headers,
        content,
        'x-error-codes': usual,
      };
      return [name, response];
    }),
  );

/** The body of a success; throws when the row describes none. */
export function bodyOf(row: Row): Schema<unknown> {
  const body = row.body ?? row.contract?.output ?? (row.media === undefined ? undefined : text());
  if (!body)
    throw new Error(`${rowName(row)} has no described body: give its contract one, or the row with its view`);
  return body;
}

const reasonPhrases: Readonly<Record<number, string>> = { 200: 'Done.', 201: 'Created.' };

function successes(row: Row, said: string | undefined): [number, JsonSchema][] {
  const counted = isCounted(row) ? limits : [];
  const positioned = row.contract ? ['Carillon-Position'] : [];
  const response = (description: string, ...more: string[]): JsonSchema => ({
    description,
    headers: headers(...counted, ...positioned, ...(row.alsoAs?.headers ?? []), ...more),
    content: {
      [row.media ?? 'application/json']: { schema: bodyOf(row).json },
      ...(row.alsoAs && { [row.alsoAs.media]: { schema: text().json } }),
    },
  });
  const status = row.status ?? 200;
  const usual = said ?? reasonPhrases[status] ?? 'Done.';
  const all = new Map<number, JsonSchema>();
  if (row.idempotent)
    all.set(
      200,
      response('Done before with this `Idempotency-Key`: the same answer again.', 'Idempotency-Replayed'),
    );
  if (row.otherStatus !== undefined)
    all.set(row.otherStatus, response(reasonPhrases[row.otherStatus] ?? 'Done.'));
  all.set(status, response(usual, ...(status === 200 && row.idempotent ? ['Idempotency-Replayed'] : [])));
  return [...all];
}

const isCommon = (row: Row, status: number, codes: ReadonlyMap<string, string>): boolean => {
  const [name, ...usual] = common[status] ?? [];
  return name !== undefined && row.access !== 'public' && [...codes.keys()].join() === usual.join();
};

/** The errors of a row that no common response describes. */
const ownErrors = (row: Row) => [...codesOf(row)].filter(([status, codes]) => !isCommon(row, status, codes));

/** The responses that the operations of a document share. */
export function sharedResponses(rows: readonly Row[]): JsonSchema {
  const forms = rows.flatMap((row) =>
    ownErrors(row).map(([status, codes]) => errorForm(status, codes, isCounted(row))),
  );
  const named = new Map(
    forms.map(({ name, ...form }) => [name, { description: 'An error.', ...form, content }]),
  );
  return {
    ...commonResponses(),
    ...Object.fromEntries([...named].sort(([one], [other]) => compareTexts(one, other))),
  };
}

/** All responses of a row by their status, and the codes of those errors that no common response describes. */
export function responsesOf(row: Row, said?: string): JsonSchema {
  const own = new Map(ownErrors(row));
  const errors = [...codesOf(row)].map(([status, codes]): [number, JsonSchema] => [
    status,
    own.has(status)
      ? { ...pointTo(errorForm(status, codes, isCounted(row)).name), description: sentencesOf(codes) }
      : pointTo(common[status]?.[0]),
  ]);
  return {
    responses: Object.fromEntries([...successes(row, said), ...errors].sort(([one], [other]) => one - other)),
    ...(own.size > 0 && {
      'x-error-codes': Object.fromEntries([...own].map(([status, codes]) => [status, [...codes.keys()]])),
    }),
  };
}

const pointTo = (name: string | undefined): JsonSchema => ({ $ref: `#/components/responses/${name}` });
