import { ApiDescription } from './description';

const json = (schema: object, more: object = {}) => ({
  description: 'x',
  content: { 'application/json': { schema } },
  ...more,
});
const document = {
  openapi: '3.1.0',
  info: { title: 'Bells', version: '1.0.0' },
  servers: [{ url: '/api/bells' }],
  paths: {
    '/bells': {
      get: {
        responses: {
          200: json(
            {
              type: 'object',
              properties: { bells: { type: 'array', items: { $ref: '#/components/schemas/Bell' } } },
              required: ['bells'],
            },
            { headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } } },
          ),
          404: { $ref: '#/components/responses/NotFound' },
          409: { $ref: '#/components/responses/Error', description: 'x' },
        },
        'x-error-codes': { 409: ['CRACKED'] },
      },
    },
    '/bells/{id}': {
      get: { responses: { 200: json({ $ref: '#/components/schemas/Bell' }) } },
    },
    '/bells/all': {
      get: { responses: { 200: { description: 'x', content: { 'text/csv': {} } } } },
    },
  },
  components: {
    schemas: {
      Bell: {
        type: 'object',
        properties: {
          type: { type: ['string', 'null'], 'x-extensible-enum': ['big', 'small'] },
          castAt: { type: 'string', format: 'date-time' },
        },
        required: ['castAt'],
      },
      Error: {
        type: 'object',
        properties: { error: { type: 'string' }, code: { type: 'string' } },
        required: ['error', 'code'],
      },
    },
    responses: {
      NotFound: json({ $ref: '#/components/schemas/Error' }, { 'x-error-codes': ['NOT_FOUND'] }),
      Error: json({ $ref: '#/components/schemas/Error' }),
    },
    headers: { 'X-Request-Id': { required: true, schema: { type: 'string' } } },
  },
};
const description = new ApiDescription(document);
const castAt = '2026-11-20T17:29:00.000Z';

const faults = (
  path: string,
  status: number,
  body: unknown,
  {
    method = 'GET',
    headers = { 'x-request-id': 'r', 'content-type': 'application/json; charset=utf-8' },
  } = {},
) => description.faults(method, `/api/bells${path}`, { status, body, headers: new Headers(headers) });

describe('an answer', () => {
  it('that is as it is described has no fault', () => {
    expect(faults('/bells?limit=1', 200, { bells: [{ castAt }] })).toEqual([]);
    expect(faults('/bells/7', 200, { castAt, type: null })).toEqual([]);
    expect(faults('/bells/all', 200, 'a,b', { headers: { 'content-type': 'text/csv' } as never })).toEqual(
      [],
    );
    expect(faults('/bells', 404, { error: 'No.', code: 'NOT_FOUND' })).toEqual([]);
    expect(faults('/bells', 409, { error: 'No.', code: 'CRACKED' })).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['lacks a property', {}, /required property 'bells'/],
    ['has a property too many', { bells: [], more: 1 }, /additional properties.*more/],
    ['has one too many deep inside', { bells: [{ castAt, more: 1 }] }, /\/bells\/0 must NOT/],
    ['has a value of another type', { bells: 1 }, /must be array/],
    ['has a time in another form', { bells: [{ castAt: '2026-11-20T17:29:00Z' }] }, /date-time/],
    ['has a value that is not known', { bells: [{ castAt, type: 'huge' }] }, /allowed values/],
  ])('that %s has a fault', (_, body, fault) =>
    expect(faults('/bells', 200, body)).toEqual([expect.stringMatching(fault)]),
  );

  it('with a status, a code, a header or a media type that is not described has a fault', () => {
    expect(faults('/bells', 418, { code: 'TEAPOT' })).toEqual([
      'GET /bells 418: this status is not described (TEAPOT)',
    ]);
    expect(faults('/bells', 404, { error: 'No.', code: 'GONE_OUT' })).toEqual([
      'GET /bells 404: the code GONE_OUT is not described',
    ]);
    expect(faults('/bells', 409, { error: 'No.', code: 'NOT_FOUND' })).toEqual([
      'GET /bells 409: the code NOT_FOUND is not described',
    ]);
    expect(faults('/bells', 200, '', { headers: { 'content-type': 'text/html' } as never })).toEqual([
      'GET /bells 200: the header X-Request-Id is missing',
      'GET /bells 200: the media type "text/html" is not described',
    ]);
  });

  it('of a route that is not there must say so', () => {
    const no = { error: 'No.', code: 'ROUTE_NOT_FOUND' };
    expect(faults('/nothing', 404, no)).toEqual([]);
    expect(faults('/bells', 405, no, { method: 'POST' })).toEqual([]);
    expect(faults('/bells', 405, '', { method: 'HEAD' })).toEqual([]);
    expect(faults('/nothing', 200, {})).toEqual(['GET /nothing 200: this route is not described']);
    expect(faults('/nothing', 404, { message: 'Not found' })).not.toEqual([]);
  });
});
