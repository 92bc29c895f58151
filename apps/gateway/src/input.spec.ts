import { auditRows } from './audit/audit.controller';
import { ApiError } from './errors/api-error';
import { agentTable } from './table/agent.table';
import type { EdgeRequest } from './request/row';
import { readRequest } from './request/input';

interface Given {
  route: string;
  body?: string;
  headers?: Record<string, string>;
  params?: Record<string, string>;
  query?: Record<string, string>;
}

const reading = ({ route, body, headers = {}, params = {}, query = {} }: Given) => {
  const row = [...agentTable, auditRows.agent].find(
    (each) => `${each.method} ${each.path.replace('/api/agent', '')}` === route,
  );
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const http = { params, query, headers: { ...type, ...headers }, body: body && Buffer.from(body) };
  return () => readRequest({ row, http } as unknown as EdgeRequest);
};

const refusal = (given: Given): ApiError => {
  try {
    reading(given)();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was accepted');
};

const send = (body: string, headers?: Record<string, string>): Given => ({
  route: 'POST /notifications',
  body,
  ...(headers && { headers }),
});
const valid = '{"title":"Build finished","body":"main is green"}';

describe('a body', () => {
  it('passes with what the contract asks for', () =>
    expect(reading(send(valid))().input).toMatchObject({ title: 'Build finished', body: 'main is green' }));

  it('is refused when it is compressed, and taken when it says that it is not', () => {
    for (const encoding of ['gzip', 'br', 'identity, gzip'])
      expect(refusal(send(valid, { 'content-encoding': encoding }))).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    expect(reading(send(valid, { 'content-encoding': 'identity' }))().input).toMatchObject({
      body: 'main is green',
    });
  });

  it('of a DELETE may be empty and has no fields', () => {
    const route = 'DELETE /services/:id';
    const params = { id: 'svc_1' };
    for (const body of [undefined, '', '{}'])
      expect(reading({ route, params, ...(body !== undefined && { body }) })().input).toEqual({
        id: 'svc_1',
      });
    expect(refusal({ route, params, body: '{"force":true}' })).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      members: { issues: [{ path: 'force', code: 'unknown_field' }] },
    });
  });

  it.each([
    ['cut short', '{"title":'],
    ['a list', '[]'],
    ['a text', '"hello"'],
    ['null', 'null'],
    ['a number', '1'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1')],
  ])('is INVALID_JSON when it is %s', (_what, body) =>
    expect(refusal(send(body)).code).toMatch(/INVALID_JSON|VALIDATION/),
  );

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    '',
  ])('is refused as %s', (type) =>
    expect(refusal(send(valid, { 'content-type': type }))).toMatchObject({ status: 415 }),
  );

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
  ])('passes as %s', (type) => expect(reading(send(valid, { 'content-type': type }))).not.toThrow());

  it('may be absent where nothing is asked for', () =>
    expect(reading({ route: 'POST /auth/revoke' })().input).toEqual({}));

  it('names an unknown field', () =>
    expect(refusal(send('{"title":"a","body":"b","urgent":true}')).members['issues']).toEqual([
      expect.objectContaining({ path: 'urgent', code: 'unknown_field' }),
    ]));

  it('cannot bring the id of the path', () =>
    expect(
      refusal({
        route: 'POST /inbox/notifications/:id/read',
        params: { id: 'notification:anot_1' },
        body: '{"id":"notification:anot_2"}',
      }),
    ).toMatchObject({ status: 400 }));

  it('does not reach the prototype', () =>
    expect(refusal(send('{"title":"a","body":"b","__proto__":{"admin":true}}'))).toMatchObject({
      status: 400,
    }));
});

describe('what asks for a workplace team', () => {
  const asking = (body: object) => refusal({ route: 'POST /teams', body: JSON.stringify(body) });
  it.each([
    {},
    { name: 'Acme' },
    { kind: 'team', name: 'Acme' },
    { kind: 'team' },
    { kind: 'team', name: 7 },
    { kind: 'team', name: '', seats: 3 },
    { name: null, colour: 'red' },
  ])('is told that there is none here before anything else of it is looked at: %j', (body) =>
    expect(asking(body)).toMatchObject({ status: 403, code: 'TEAM_SIGNUP_UNAVAILABLE' }),
  );
  it.each([{ kind: 'family' }, { kind: 'club', name: 'Ours' }, { kind: null, name: 'Ours' }])(
    'is not what asks for something else: %j',
    (body) => expect(asking(body)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' }),
  );
  it('is read like any other where everybody makes them', () => {
    process.env['TEAMS_MODE'] = 'open';
    try {
      expect(asking({ kind: 'team', name: 7 })).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
      expect(reading({ route: 'POST /teams', body: '{"name":"Acme"}' })().input).toEqual({ name: 'Acme' });
    } finally {
      delete process.env['TEAMS_MODE'];
    }
  });
});

describe('an audit log', () => {
  const route = 'GET /teams/:id/audit';
  const params = { id: 'team_1' };
  it('as a file knows no pages', () => {
    const query = { format: 'csv', limit: '500', cursor: 'x', action: 'team.updated' };
    expect(reading({ route, params, query })().input).toEqual({
      id: 'team_1',
      format: 'csv',
      action: 'team.updated',
    });
  });
  it('as JSON holds a page to 200 entries', () => {
    for (const query of [{ limit: '201' }, { limit: '201', format: 'json' }] as Record<string, string>[])
      expect(refusal({ route, params, query })).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('a path id', () => {
  it.each(['a b', 'x'.repeat(201), 'ä', '../etc', 'a/b', ''])('%j is INVALID_ID', (id) =>
    expect(refusal({ route: 'GET /inbox/notifications/:id', params: { id } })).toMatchObject({
      status: 400,
      code: 'INVALID_ID',
    }),
  );
});

describe('an Idempotency-Key', () => {
  const keyOf = (key: string) => reading(send(valid, { 'idempotency-key': key }))().idempotency?.key;

  it('may be bare or quoted, and means the same', () => {
    expect(keyOf('deploy-42')).toBe('deploy-42');
    expect(keyOf('"deploy-42"')).toBe('deploy-42');
    expect(keyOf('"a \\"quoted\\" key"')).toBe('a "quoted" key');
  });

  it.each(['', '""', 'x'.repeat(256), 'two words', '"open', 'tab\tkey', 'schlüssel', 'a, b'])(
    '%j is refused',
    (key) => expect(refusal(send(valid, { 'idempotency-key': key })).code).toBe('INVALID_IDEMPOTENCY_KEY'),
  );

  it('is ignored where it means nothing', () =>
    expect(
      reading({ route: 'POST /auth/revoke', headers: { 'idempotency-key': '' } })().idempotency,
    ).toBeUndefined());

  it('stands for the same request whatever the order of its fields', () => {
    const mark = (body: string) => reading(send(body, { 'idempotency-key': 'k' }))().idempotency?.fingerprint;
    expect(mark('{"title":"a","body":"b"}')).toBe(mark('{"body":"b","title":" a "}'));
    expect(mark('{"title":"a","body":"b"}')).not.toBe(mark('{"title":"a","body":"c"}'));
  });
});

describe('the version', () => {
  it('may be asked for', () => expect(reading(send(valid, { 'agent-api-version': '1' }))).not.toThrow());
  it.each(['2', '0', 'one', '1.x'])('%j is not spoken here', (version) =>
    expect(refusal(send(valid, { 'agent-api-version': version })).code).toBe('UNSUPPORTED_API_VERSION'),
  );
});

describe('a query', () => {
  const list = (query: Record<string, string>): Given => ({ route: 'GET /inbox/notifications', query });
  it('has numbers and truth values as text', () =>
    expect(reading(list({ limit: '20', unread: 'true' }))().input).toMatchObject({
      limit: 20,
      unread: true,
    }));
  it('may hold what we do not know', () => expect(reading(list({ utm_source: 'x' }))).not.toThrow());
  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', 'ten'],
    ['unread', 'yes'],
    ['q', ''],
  ])('is refused with %s=%j', (name, value) =>
    expect(refusal(list({ [name]: value }))).toMatchObject({ status: 400 }),
  );
});
