import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, Nothing } from '@carillon/contracts';
import { exactly, object, resource, text } from '@carillon/schema';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import { rows } from '../gateway.module';
import type { Row } from '../request/row';
import { type Api, documentOf, docsKey } from './document';
import { agentApi, sessionApi } from './apis';
import { codesOf } from './answers';
import { documents } from './documents';

type Node = Record<string, any>;
const written = documents();
const agent = JSON.parse(written['agent.json'] as string) as Node;
const session = JSON.parse(written['session.json'] as string) as Node;
const folder = join(import.meta.dirname, '../../../../docs/openapi');

const apis: [string, Api, Node][] = [
  ['agent', agentApi, agent],
  ['session', sessionApi, session],
];

/** The responses of an operation by their status, each error with its codes and without a reference. */
function responsesIn(document: Node, operation: Node): Node {
  const whole = ([status, given]: [string, Node]): [string, Node] => {
    const shared = given['$ref'] && document['components'].responses[given['$ref'].split('/').at(-1)];
    const codes = operation['x-error-codes']?.[status];
    return [status, { ...shared, ...given, ...(codes && { 'x-error-codes': codes }) }];
  };
  return Object.fromEntries(Object.entries(operation['responses'] as Node).map(whole));
}

const operationOf = (document: Node, row: Row, base: string): Node | undefined =>
  document['paths'][row.path.slice(base.length).replace(/:(\w+)/g, '{$1}')]?.[row.method.toLowerCase()];

describe.each(apis)('the document of the %s API', (name, api, document) => {
  it('is valid under the meta-schema of OpenAPI 3.1', async () => {
    const verdict = await new Validator().validate(structuredClone(document));
    expect(verdict).toEqual({ valid: true });
    expect(document['openapi']).toBe('3.1.0');
  });

  it('has only schemas that are valid under JSON Schema 2020-12', () => {
    // A rule about several fields stands beside the object that has them.
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
    ajv.addVocabulary(['x-extensible-enum', 'components']);
    for (const format of ['uri', 'date-time', 'email']) ajv.addFormat(format, true);
    ajv.addSchema({ $id: 'document', components: document['components'] } as object, 'document');
    const pointTo = (schema: unknown): object =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object;
    for (const schema of Object.values(document['components'].schemas as Node))
      expect(() => ajv.compile(pointTo(schema))).not.toThrow();
    for (const item of Object.values(document['paths'] as Node))
      for (const operation of Object.values(item as Node))
        for (const { content } of Object.values(operation['responses'] as Node) as Node[])
          for (const { schema } of Object.values((content ?? {}) as Node) as Node[])
            expect(() => ajv.compile(pointTo(schema))).not.toThrow();
  });

  it('has every route of the table and no other', () => {
    const described = api.rows.filter(({ undescribed }) => !undescribed);
    for (const row of described)
      expect([docsKey(row, api), operationOf(document, row, api.base)]).toEqual([
        docsKey(row, api),
        expect.objectContaining({ operationId: expect.any(String) }),
      ]);
    const count = Object.values(document['paths'] as Node).flatMap((item) =>
      Object.keys(item as Node),
    ).length;
    expect(count).toBe(described.length);
    expect(
      rows.filter(({ path, undescribed }) => path.startsWith(`${api.base}/`) && !undescribed),
    ).toHaveLength(count);
  });

  it('has no words for a route that is not there', () =>
    expect(Object.keys(api.docs).sort()).toEqual(api.rows.map((row) => docsKey(row, api)).sort()));

  it('calls no two operations alike', () => {
    const ids = Object.values(api.docs).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('tells an id that names nothing from one that cannot be', () => {
    for (const row of api.rows.filter(({ path }) => path.includes(':'))) {
      const responses = responsesIn(document, operationOf(document, row, api.base) as Node);
      expect([row.path, responses[400]['x-error-codes']]).toEqual([
        row.path,
        expect.arrayContaining(['INVALID_ID']),
      ]);
      expect([row.path, Object.keys(responses)]).toEqual([row.path, expect.arrayContaining(['404'])]);
    }
  });

  it('lists every error of the table under its status, with its code, its sentence and its headers', () => {
    for (const row of api.rows.filter(({ undescribed }) => !undescribed)) {
      const responses = responsesIn(document, operationOf(document, row, api.base) as Node);
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      const listed = errors.map(([status, error]) => [
        Number(status),
        error['x-error-codes'],
        error.description,
      ]);
      expect([docsKey(row, api), listed]).toEqual([
        docsKey(row, api),
        [...codesOf(row)].map(([status, codes]) => [
          status,
          [...codes.keys()],
          [...codes].map(([code, sentence]) => `\`${code}\`: ${sentence}`).join('\n'),
        ]),
      ]);
      for (const [status, { headers, content }] of errors) {
        const isLimited =
          (row.access !== 'public' || row.rate) && !['401', '413', '421', '500'].includes(status);
        const isChallenged = status === '401' || codesOf(row).get(Number(status))?.has('INSUFFICIENT_SCOPE');
        expect([docsKey(row, api), status, Object.keys(headers)]).toEqual([
          docsKey(row, api),
          status,
          [
            ...['X-Request-Id', 'Agent-Api-Version', 'Cache-Control'],
            ...(isLimited ? ['RateLimit-Policy', 'RateLimit'] : []),
            ...(isChallenged ? ['WWW-Authenticate'] : []),
            ...(['409', '429', '503'].includes(status) ? ['Retry-After'] : []),
          ],
        ]);
        expect(content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Error' } } });
      }
    }
  });

  it('shares no response that no operation refers to', () =>
    expect(
      Object.keys(document['components'].responses as Node).filter((name) => name.startsWith('Error')),
    ).toEqual(
      [...new Set(JSON.stringify(document['paths']).match(/(?<=components\/responses\/)Error\w*/g))].sort(),
    ));

  it('is the same as the copy in docs/openapi', () => {
    const file = `${name}.yaml`;
    const copy = readFileSync(join(folder, file), 'utf8');
    if (copy !== written[file])
      throw new Error(`docs/openapi/${file} is not what the tables say: run node tools/openapi.mjs`);
  });

  it('says the same in YAML', () => expect(load(written[`${name}.yaml`] as string)).toEqual(document));
});

describe('an operation of the agent API', () => {
  const send = agent['paths']['/notifications'].post as Node;
  const responses = responsesIn(agent, send);

  it('names its scopes where machines look and where people do', () => {
    expect(send['x-required-scopes']).toEqual(['notifications:send']);
    expect(send['security']).toEqual([{ bearerAuth: ['notifications:send'] }]);
    expect(send['description']).toMatch(/Needs the scope `notifications:send`\.$/);
    for (const item of Object.values(agent['paths'] as Node))
      for (const operation of Object.values(item as Node))
        expect(operation['responses']).toHaveProperty('401');
  });

  it('asks for a closed body', () => {
    expect(send['requestBody']).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/SendNotification' } } },
    });
    expect(agent['components'].schemas.SendNotification).toMatchObject({
      required: ['title', 'body'],
      additionalProperties: false,
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 120 },
        imageUrl: { type: ['string', 'null'], format: 'uri', maxLength: 2048 },
        deviceIds: { type: 'array', maxItems: 20, uniqueItems: true },
      },
    });
  });

  it('has no body where the id in the path is all that is asked for', () => {
    const read = agent['paths']['/inbox/notifications/{id}/read'].post as Node;
    expect(read['requestBody']).toBeUndefined();
    expect(read['parameters'][0]).toMatchObject({ name: 'id', in: 'path', required: true });
  });

  it('takes its query as parameters', () => {
    const list = agent['paths']['/inbox/notifications'].get as Node;
    const query = (list['parameters'] as Node[]).filter((each) => each['in'] === 'query');
    expect(query.map((each) => [each['name'], each['required'], each['schema'].type])).toEqual(
      expect.arrayContaining([
        ['projectId', false, 'string'],
        ['unread', false, 'boolean'],
        ['limit', false, 'integer'],
        ['cursor', false, 'string'],
      ]),
    );
    expect(query.find((each) => each['name'] === 'limit')?.['schema']).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 50,
    });
  });

  it('says what a repeated Idempotency-Key does', () => {
    expect(send['parameters']).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
    expect(responses[200].headers).toHaveProperty('Idempotency-Replayed');
    expect(responses[201].headers).not.toHaveProperty('Idempotency-Replayed');
    expect(responses[409]['x-error-codes']).toEqual(['IDEMPOTENCY_IN_PROGRESS', 'CONCURRENT_UPDATE']);
    expect(responses[422]['x-error-codes']).toEqual(['IDEMPOTENCY_KEY_REUSED']);
    expect(responses[400]['x-error-codes']).toContain('INVALID_IDEMPOTENCY_KEY');
  });

  it('lists what the service may say no with', () => {
    expect(responses[404]['x-error-codes']).toEqual([
      'APP_NOT_FOUND',
      'DEVICE_NOT_FOUND',
      'DEVICE_GROUP_NOT_FOUND',
      'ONCALL_GROUP_NOT_FOUND',
    ]);
    const withdraw = agent['paths']['/notifications/{id}/withdraw'].post as Node;
    expect(responsesIn(agent, withdraw)[502]['x-error-codes']).toEqual(['WITHDRAW_NOT_ACCEPTED']);
  });

  it('lets answers grow', () =>
    expect(JSON.stringify(agent['components'].schemas.Device)).not.toContain('additionalProperties'));
});

describe('a document', () => {
  const bell = resource('Bell', { id: text() });
  const ring = answers(bell)('bells.bell.ring', Nothing);
  const row: Row = {
    method: 'POST',
    path: '/api/x/ring',
    access: 'token',
    scopes: [],
    contract: ring as never,
  };
  const api: Api = {
    ...agentApi,
    base: '/api/x',
    rows: [row],
    docs: { 'POST /ring': { operationId: 'ring', tag: 'Inbox', summary: 'Ring', description: 'Rings.' } },
  };

  it('is written from rows and words alone', () =>
    expect(documentOf(api)).toMatchObject({
      servers: [{ url: '/api/x' }],
      tags: [{ name: 'Inbox' }],
      paths: {
        '/ring': { post: { operationId: 'ring', description: 'Rings.\n\nAny valid token may do this.' } },
      },
    }));

  it('tells of what is not JSON, and of what one route alone says no with', () => {
    const stream: Row = {
      ...{ method: 'GET', path: '/api/x/ring', access: 'token', scopes: [], media: 'text/event-stream' },
      errors: [[429, 'TOO_MANY_WAITS', 'Too many bells ring already.']],
    };
    const docs = {
      'GET /ring': { operationId: 'hear', tag: 'Inbox', summary: 'Hear', description: 'Hears.' },
    };
    const document: Node = documentOf({ ...api, rows: [stream], docs });
    const responses = responsesIn(document, document['paths']['/ring'].get);
    expect(responses[200].content).toEqual({ 'text/event-stream': { schema: { type: 'string' } } });
    expect(responses[429]['x-error-codes']).toEqual(['RATE_LIMITED', 'TOO_MANY_WAITS']);
  });

  it('is not written while a route has no words', () =>
    expect(() => documentOf({ ...api, docs: {} })).toThrow('The route POST /ring has no words'));

  it('is not written while nobody has said what a route answers', () => {
    const silent = answers<string>()('bells.bell.ring', Nothing);
    expect(() => documentOf({ ...api, rows: [{ ...row, contract: silent as never }] })).toThrow(
      'POST /api/x/ring has no described body',
    );
  });

  it('is not written while a reason to say no has no status', () => {
    const odd = answers(bell)('bells.bell.ring', Nothing, ['bell.cracked']);
    expect(() => documentOf({ ...api, rows: [{ ...row, contract: odd as never }] })).toThrow(
      'The reason "bell.cracked" is missing in the map of refusals',
    );
  });

  it('calls no two things alike', () => {
    const other = resource('Bell', { size: exactly(1) });
    expect(() => documentOf({ ...api, rows: [{ ...row, body: object({ bell, other }) }] })).toThrow(
      'Two different things are called Bell',
    );
  });
});
