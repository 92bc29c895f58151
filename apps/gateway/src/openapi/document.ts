import {
  closedObject,
  type Field,
  fieldsOf,
  int,
  type Issue,
  issueCodes,
  type JsonSchema,
  list,
  oneOfKnown,
  optional,
  resource,
  type Schema,
  type Shape,
  text,
  togetherOf,
  either,
  object,
} from '@carillon/schema';
import { compareTexts } from '@carillon/eventing';
import { idempotencyKeyForm } from '../request/input';
import { type RouteAccess, type Row, rowName } from '../request/row';
import { bodyOf, responsesOf, sharedResponses } from './answers';
import { inputsOf, parametersOf } from './inputs';

/** The documentation of a route that is written by hand. */
export interface RouteDocs {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The description of a success, where it is more than "Done." or "Created." */
  readonly success?: string;
}

export interface Api {
  readonly title: string;
  readonly description: string;
  /** The path that all its routes begin with. */
  readonly base: string;
  readonly rows: readonly Row[];
  /** By method and path without the base, such as `GET /devices`. */
  readonly docs: Readonly<Record<string, RouteDocs>>;
  readonly tags: Readonly<Record<string, string>>;
  /** Security schemes, by the access of a route. */
  readonly security: Readonly<Partial<Record<RouteAccess, readonly string[]>>>;
  readonly securitySchemes: JsonSchema;
  /** Headers that a request may have, by their component's name. */
  readonly headers: Readonly<Record<string, JsonSchema>>;
}

export type OpenApi = JsonSchema;

const issue: Schema<Issue> = resource('Issue', {
  path: text('Which field, such as `receipts.0.receivedAt`; empty for the body as a whole.'),
  message: text('Part of a sentence that goes on after the path.'),
  code: oneOfKnown(issueCodes),
});

/** The body of every error. */
const errorBody = resource(
  'Error',
  {
    error: text('One sentence for people.'),
    code: text('For programs. More may come under a status that is known.'),
    issues: optional(
      either(
        list(issue, 'What is wrong with the request, field by field.'),
        object({ host: text(), expected: text(), found: list(text()) }),
      ),
    ),
    required: optional(list(text(), 'All scopes that the route needs.')),
    limit: optional(int('The limit that was met.')),
    retryAfter: optional(int('Seconds to wait.')),
    status: optional(text('The state that something is in.')),
    activityId: optional(text('The live activity that is in the way.')),
    deviceIds: optional(list(text(), 'The devices that are in the way.')),
    requestId: optional(text()),
  },
  'Why there is no other answer.',
);

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this request: sent again within 24 hours with the same key, it is done once and answered alike. ' +
    'Bare or as a quoted string.',
  schema: { type: 'string', pattern: idempotencyKeyForm.source },
};

const header = (description: string, schema: JsonSchema, always = false): JsonSchema => ({
  description,
  ...(always && { required: true }),
  schema,
});
const string = { type: 'string' };

const responseHeaders: JsonSchema = {
  'X-Request-Id': header('Names this request in our logs: the caller’s own or a new one.', string, true),
  'Agent-Api-Version': header('The version of this description.', string, true),
  'Cache-Control': header('Nothing may be kept.', { const: 'no-store' }, true),
  'RateLimit-Policy': header('Each limit that applies: its name, quota and window in seconds.', string),
  RateLimit: header('The limit with the least left: how much is left, and when it resets.', string),
  'Retry-After': header('Whole seconds to wait.', { type: 'integer', minimum: 1 }),
  'WWW-Authenticate': header('What a caller lacks.', string),
  'Carillon-Position': header(
    'How far the log has been followed. A read that is sent with it shows this write also to another account.',
    { type: 'string', pattern: '^[0-9]{1,20}$' },
  ),
  'Content-Disposition': header('What a file is called, where the answer is one.', string),
  'X-Audit-Truncated': header('There when there are more entries than an export holds.', { const: 'true' }),
  'Idempotency-Replayed': header('There when the answer is that of an earlier request.', { const: 'true' }),
};

/** The OpenAPI 3.1 document of an API (ADR 11). */
export function documentOf(api: Api): OpenApi {
  const rows = api.rows.filter(({ undescribed }) => !undescribed);
  const schemas = new Map<string, JsonSchema>();

  const name = (as: string, schema: JsonSchema): JsonSchema => {
    const known = schemas.get(as);
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`Two different things are called ${as}`);
    schemas.set(as, schema);
    return { $ref: `#/components/schemas/${as}` };
  };
  const under = new Set<string>();
  const refer = (shape: Shape<unknown>): JsonSchema => {
    // A shape may be recursive.
    if (under.has(shape.name)) return { $ref: `#/components/schemas/${shape.name}` };
    under.add(shape.name);
    const schema = closedObject(fieldsOf(shape), refer, togetherOf(shape));
    under.delete(shape.name);
    return name(shape.name, schema);
  };
  const tell = (body: Schema<unknown>): void => {
    for (const part of body.parts) name(part.name, part.described);
  };

  const bodySchema = (row: Row, fields: readonly Field[]): JsonSchema => ({
    ...closedObject(fields, refer, row.contract && togetherOf(row.contract.input)),
    ...(row.method === 'PATCH' && { minProperties: 1 }),
  });

  const operation = (row: Row): JsonSchema => {
    const docs = docsOf(row, api);
    const fields = inputsOf(row).body;
    const isUpdate = row.method === 'PATCH';
    tell(bodyOf(row));
    const ways = api.security[row.access] ?? [];
    return {
      operationId: docs.operationId,
      tags: [docs.tag],
      summary: docs.summary,
      description: `${docs.description}${scopeSentence(row)}`,
      ...(row.access === 'token' && { 'x-required-scopes': row.scopes }),
      security: ways.map((way) => ({ [way]: row.scopes })),
      parameters: [
        ...parametersOf(row, refer),
        ...(row.idempotent ? ['IdempotencyKey'] : []).map(parameter),
        ...Object.keys(api.headers).map(parameter),
      ],
      ...(fields.length > 0 && {
        requestBody: {
          required: isUpdate || fields.some(({ optional: may }) => !may),
          content: { 'application/json': { schema: name(bodyName(row), bodySchema(row, fields)) } },
        },
      }),
      ...responsesOf(row, docs.success),
    };
  };

  const paths = new Map<string, Record<string, JsonSchema>>();
  for (const row of rows) {
    const path = relative(row, api).replace(/:([A-Za-z]+)/g, '{$1}');
    paths.set(path, { ...paths.get(path), [row.method.toLowerCase()]: operation(row) });
  }
  tell(errorBody);
  const used = new Set(rows.map((row) => docsOf(row, api).tag));
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: '1.0.0',
      description: api.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: api.base }],
    tags: Object.entries(api.tags)
      .filter(([tag]) => used.has(tag))
      .map(([tag, description]) => ({ name: tag, description })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries([...schemas].sort(([one], [other]) => compareTexts(one, other))),
      responses: sharedResponses(rows),
      parameters: {
        ...(rows.some((row) => row.idempotent) && { IdempotencyKey: idempotencyKey }),
        ...api.headers,
      },
      headers: responseHeaders,
      securitySchemes: api.securitySchemes,
    },
  };
}

const parameter = (as: string): JsonSchema => ({ $ref: `#/components/parameters/${as}` });

/** The schema of a request body is named after its class, without the ids of the path. */
const bodyName = (row: Row): string => row.contract?.input.name ?? '';

const relative = ({ path }: Row, { base }: Api): string => path.slice(base.length);

export const docsKey = (row: Row, api: Pick<Api, 'base'>): string =>
  rowName({ method: row.method, path: row.path.slice(api.base.length) });

function docsOf(row: Row, api: Api): RouteDocs {
  const docs = api.docs[docsKey(row, api)];
  if (!docs) throw new Error(`The route ${docsKey(row, api)} has no words in the description`);
  if (!(docs.tag in api.tags)) throw new Error(`The tag "${docs.tag}" has no words in the description`);
  return docs;
}

function scopeSentence({ access, scopes }: Row): string {
  if (access !== 'token') return '';
  if (scopes.length === 0) return '\n\nAny valid token may do this.';
  const named = scopes.map((scope) => `\`${scope}\``).join(' and ');
  return `\n\nNeeds the scope${scopes.length > 1 ? 's' : ''} ${named}.`;
}
