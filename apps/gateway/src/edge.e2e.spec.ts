import { once } from 'node:events';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import {
  eventually,
  type House,
  type HouseAccount,
  type HouseAnswer,
  startGateway,
  startHouse,
} from '@carillon/testkit';

const pepper = randomBytes(32).toString('base64');
let house: House;
let agent: HouseAccount;
beforeAll(async () => {
  house = await startHouse({
    env: {
      CARILLON_PEPPER: pepper,
      CARILLON_AUTH_FAILURES_PER_MINUTE: '100000',
      CARILLON_ACCOUNT_REQUESTS_PER_MINUTE: '500',
      CARILLON_SESSION_REQUESTS_PER_MINUTE: '50',
    },
  });
  agent = await house.anotherAccount();
}, 120_000);
afterAll(() => house?.close(), 90_000);
beforeEach(() => house.advance(120));

const body = { title: 'a', body: 'b' };

/** What comes back for bytes that no client library would send. */
async function raw(text: string) {
  const { port, hostname } = new URL(house.gatewayUrl);
  const socket = connect(Number(port), hostname);
  let got = '';
  socket.setEncoding('utf8').on('data', (more: string) => (got += more));
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  const [head = '', answer = ''] = got.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]));
  return { status: Number(status.split(' ')[1]), headers, body: JSON.parse(answer) as unknown };
}

/** A token of the account with these scopes. */
const tokenWith = async (scopes: readonly string[], more: object = {}) =>
  (await agent.session('POST', '/tokens', { body: { name: 'narrow', scopes, ...more } })).body;

describe('a gateway that is being stopped', () => {
  it('ends what it has begun, and answers what comes after on the same connection in the usual form', async () => {
    const sender = await house.anotherAccount();
    const { url, stop } = await startGateway(house, pepper);
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    let got = '';
    socket.setEncoding('utf8').on('data', (more: string) => (got += more));
    const closed = once(socket, 'close');
    const text = JSON.stringify(body);
    const head = (line: string, more = ''): string =>
      `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${sender.apiToken}\r\n${more}\r\n`;
    const begun = head(
      'POST /api/agent/notifications',
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`,
    );
    socket.write(begun + text.slice(0, 5));
    // The gateway is processing the request when it answers a later one.
    await fetch(`${url}/healthz/live`);
    const stopped = stop();
    await eventually(
      async () =>
        await fetch(`${url}/healthz/live`).then(
          () => undefined,
          () => true,
        ),
      () => 'it still takes connections',
    );
    socket.write(text.slice(5) + head('GET /api/agent/auth/status'));
    await closed;
    const [first = '', second = ''] = got.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 201 /);
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second).toMatch(/\r\nx-request-id: /i);
    expect(second).toContain('"code":"UNAVAILABLE"');
    await stopped;
  }, 60_000);
});

describe('every answer', () => {
  it('carries the standard headers', async () => {
    const answer = await agent.api('GET', '/auth/status');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer.headers.get('agent-api-version')).toBe('1.0.0');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('ratelimit-policy')).toContain('"token";q=600;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(/^"[a-z]+";r=\d+;t=\d+$/);
  });

  it('takes the caller’s own request id when it is a good one', async () => {
    const idOf = async (id: string) =>
      (await agent.api('GET', '/auth/status', { headers: { 'x-request-id': id } })).headers.get(
        'x-request-id',
      );
    expect(await idOf('my-request.1')).toBe('my-request.1');
    expect(await idOf('short')).not.toBe('short');
  });
});

describe('a path', () => {
  it('that does not exist is ROUTE_NOT_FOUND, with or without a token', async () => {
    for (const token of [null, agent.apiToken])
      expect(await agent.api('GET', '/no-such-route', { token })).toMatchObject({
        status: 404,
        body: { code: 'ROUTE_NOT_FOUND' },
      });
    for (const path of ['/auth/status/', '/services/', '/inbox/notifications/', '/services/svc_1/'])
      expect(await agent.api('GET', path)).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
    expect(await house.http('GET', '/')).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND' } });
  });

  it('with another method is METHOD_NOT_ALLOWED and names the right ones', async () => {
    const answer = await agent.api('DELETE', '/notifications');
    expect(answer).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
    expect(answer.headers.get('allow')).toBe('POST');
    expect((await agent.api('HEAD', '/auth/status')).status).toBe(405);
  });

  it.each([
    '/inbox/notifications/%zz',
    `/inbox/notifications/${'x'.repeat(201)}`,
    '/inbox/notifications/a%20b',
  ])('%s is INVALID_ID', async (path) =>
    expect(await agent.api('GET', path)).toMatchObject({ status: 400, body: { code: 'INVALID_ID' } }),
  );
});

describe('an id', () => {
  it('of another kind cannot be withdrawn', async () =>
    expect(await agent.api('POST', '/notifications/evt_1/withdraw')).toMatchObject({
      status: 400,
      body: { code: 'INVALID_ID' },
    }));

  it('that cannot be decoded is looked at after the token', async () => {
    for (const path of ['/services/%zz', '/services/%ff', `/services/${'x'.repeat(5_000)}`]) {
      expect(await agent.api('GET', path, { token: null })).toMatchObject({ status: 401 });
      expect(await agent.api('GET', path)).toMatchObject({ status: 400, body: { code: 'INVALID_ID' } });
    }
  });
});

describe('bytes that are no request', () => {
  const agentPath = 'GET /api/agent/auth/status HTTP/1.1\r\n';
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [
      'a bad length',
      `POST /api/agent/notifications HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n`,
      400,
      'VALIDATION_FAILED',
    ],
    [
      'two lengths',
      `POST /api/agent/notifications HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a length and chunks',
      `POST /api/agent/notifications HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'VALIDATION_FAILED',
    ],
    [
      'a chunk that has no length',
      `POST /api/agent/notifications HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n`,
      400,
      'VALIDATION_FAILED',
    ],
    [
      'headers of 20 KB',
      `${agentPath}Host: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['no Host', `${agentPath}Connection: close\r\n\r\n`, 400, 'VALIDATION_FAILED'],
    [
      'a name of somebody else that leads here',
      `${agentPath}Host: evil.example\r\nConnection: close\r\n\r\n`,
      404,
      'ROUTE_NOT_FOUND',
    ],
    [
      'an expectation',
      `${agentPath}Host: localhost\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n`,
      401,
      'UNAUTHENTICATED',
    ],
  ])('with %s are answered like any other mistake', async (_what, text, status, code) => {
    const answer = await raw(text);
    expect(answer).toMatchObject({ status, body: { error: expect.any(String), code } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('agent-api-version')).toBe('1.0.0');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

describe('a body', () => {
  const post = (raw: string, headers: Record<string, string> = {}) =>
    agent.api('POST', '/notifications', { body: raw, headers });

  it('of more than 64 KiB is refused', async () => {
    const limit = 65_536;
    const frame = '{"title":"a","body":""}';
    expect(await post(`{"title":"a","body":"${'x'.repeat(limit + 1 - frame.length)}"}`)).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    });
    expect(await post(`{"title":"a","body":"${'x'.repeat(limit - frame.length)}"}`)).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION_FAILED',
        issues: [expect.objectContaining({ path: 'body', code: 'too_long' })],
      },
    });
  });

  it('of another kind is refused', async () => {
    expect(await post('title=a', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    expect(await post('{"title":"a"', {})).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
    expect(await post('[1]', {})).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
  });

  it('of no type at all, or compressed, is refused after the token', async () => {
    const others: Record<string, string>[] = [{ 'content-type': ',,' }, { 'content-encoding': 'gzip' }];
    for (const headers of others) {
      const given = { body: '{"title":"a","body":"b"}', headers };
      expect(await agent.api('POST', '/notifications', { ...given, token: null })).toMatchObject({
        status: 401,
      });
      expect(await agent.api('POST', '/notifications', given)).toMatchObject({
        status: 415,
        body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
      });
    }
  });

  it('of a DELETE is checked like any other', async () =>
    expect(await agent.api('DELETE', '/services/svc_1', { body: { force: true } })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', issues: [{ path: 'force', code: 'unknown_field' }] },
    }));

  it('that names an on-call group needs both scopes, whether or not there is such a group', async () => {
    const { secret } = await tokenWith(['notifications:send']);
    const answer = await agent.api('POST', '/notifications', {
      token: secret,
      body: { oncall: 'ocg_1', nonsense: 1 },
    });
    const required = ['notifications:send', 'oncall:write'];
    expect(answer).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE', required } });
    expect(answer.headers.get('www-authenticate')).toContain('scope="notifications:send oncall:write"');
    expect(await agent.api('POST', '/notifications', { body: { ...body, oncall: 'ocg_1' } })).toMatchObject({
      status: 404,
      body: { code: 'ONCALL_GROUP_NOT_FOUND' },
    });
  });

  it.each([
    ['/notifications', { oncall: 'ocg_1' }, ['notifications:send', 'oncall:write']],
    ['/interactions', { escalateTo: {} }, ['interactions:create', 'oncall:write']],
    ['/notifications', { title: '"oncall"' }, ['notifications:send']],
  ])('of a token without any scope of %s with %j is told of all of them', async (path, given, required) => {
    const { secret } = await tokenWith(['devices:read']);
    expect(await agent.api('POST', path, { token: secret, body: given })).toMatchObject({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE', required },
    });
  });

  it.each([
    ...['/inbox/notifications', '/inbox/projects', '/interactions', '/activities', '/devices', '/services'],
    ...['/webhooks', '/teams', '/apps', '/connectors', '/auth/status'],
  ])('of %s with a position that no log has means its end', async (path) => {
    const headers = { 'carillon-position': '99999999999999999999' };
    expect(await agent.api('GET', path, { headers })).toMatchObject({ status: 200 });
  });

  it.each([
    ['{"title":"","body":"b"}', 'title'],
    ['{"title":"   ","body":"b"}', 'title'],
    [`{"title":"${'x'.repeat(121)}","body":"b"}`, 'title'],
    ['{"title":"a\\u0000b","body":"b"}', 'title'],
    ['{"title":"a\\nb","body":"b"}', 'title'],
    ['{"title":1,"body":"b"}', 'title'],
    ['{"title":null,"body":"b"}', 'title'],
    ['{"body":"b"}', 'title'],
    ['{"title":"a","body":"b","imageUrl":"http://plain.test/x.png"}', 'imageUrl'],
    ['{"title":"a","body":"b","url":"javascript:alert(1)"}', 'url'],
    ['{"title":"a","body":"b","url":"https://user:pass@x.test/"}', 'url'],
    ['{"title":"a","body":"b","projectId":"-no"}', 'projectId'],
    ['{"title":"a","body":"b","deviceIds":[]}', 'deviceIds'],
    ['{"title":"a","body":"b","deviceIds":["dev 1"]}', 'deviceIds'],
    ['{"title":"a","body":"b","deviceIds":["dev_1","dev_1"]}', 'deviceIds'],
    ['{"title":"a","body":"b","urgent":true}', 'urgent'],
    ['{"title":"a","body":"b","__proto__":{"x":1}}', '__proto__'],
    ['{"title":"a","body":"b","constructor":{}}', 'constructor'],
  ])('%s is refused and %s is named', async (raw, path) => {
    const answer = await post(raw);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', error: expect.any(String) },
    });
    expect(answer.body.issues.some((issue: { path: string }) => issue.path.startsWith(path))).toBe(true);
  });

  it('nested too deep is refused', async () =>
    expect(await post(`{"title":"a","body":"b","x":${'['.repeat(50)}${']'.repeat(50)}}`)).toMatchObject({
      status: 400,
    }));

  it('leaves nothing half done', async () =>
    expect((await agent.api('GET', '/inbox/notifications')).body.items).toEqual([]));
});

describe('a token', () => {
  it('describes itself', async () => {
    const { authenticated, token } = (await agent.api('GET', '/auth/status')).body;
    const { lastUsedAt, ...shown } = token;
    expect({ authenticated, token: shown }).toEqual({
      authenticated: true,
      token: {
        id: expect.stringMatching(/^tok_/),
        name: expect.any(String),
        prefix: expect.stringMatching(/^carillon_pat_0[0-9A-Za-z]{4}$/),
        scopes: expect.arrayContaining(['notifications:send']),
        createdAt: expect.any(String),
        expiresAt: null,
      },
    });
    // This use of it is written down a moment later, those before it may be.
    expect([null, expect.stringMatching(/^\d{4}-.*Z$/)]).toContainEqual(lastUsedAt);
  });

  it.each(['carillon_pat_', 'nonsense', `carillon_pat_${'a'.repeat(38)}`, 'carillon_ses_x'])(
    '%s is not valid',
    async (token) =>
      expect(await agent.api('GET', '/auth/status', { token })).toMatchObject({
        status: 401,
        body: { code: 'TOKEN_INVALID' },
      }),
  );

  it('ends itself, and the second time is 401', async () => {
    const { secret } = await tokenWith(['inbox:read']);
    expect((await agent.api('POST', '/auth/revoke', { token: secret })).body).toEqual({ ok: true });
    expect(await agent.api('POST', '/auth/revoke', { token: secret })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_REVOKED' },
    });
  });

  it('ends when its time is over', async () => {
    const expiresAt = new Date(Date.parse(await house.advance(0)) + 60_000).toISOString();
    const { secret } = await tokenWith(['inbox:read'], { expiresAt });
    expect((await agent.api('GET', '/auth/status', { token: secret })).status).toBe(200);
    await house.advance(61);
    expect(await agent.api('GET', '/auth/status', { token: secret })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_EXPIRED' },
    });
  });

  it('is refused where only a person may act', async () =>
    expect(await agent.session('GET', '/me', { token: agent.apiToken })).toMatchObject({
      status: 403,
      body: { code: 'HUMAN_SESSION_REQUIRED' },
    }));

  it('of a person is refused at the Agent API', async () =>
    expect(await agent.api('GET', '/auth/status', { token: await agent.signIn() })).toMatchObject({
      status: 401,
    }));
});

describe('the limits', () => {
  it('let 300 sends a minute pass, then refuse, then pass again', async () => {
    const busy = await house.anotherAccount();
    await house.beginWindow();
    const answers = await Promise.all(
      Array.from({ length: 310 }, () => busy.api('POST', '/notifications', { body })),
    );
    const passed = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 429);
    expect(passed).toHaveLength(300);
    expect(refused).toHaveLength(10);
    for (const answer of refused) {
      expect(answer.body).toMatchObject({ code: 'RATE_LIMITED', limit: 300, retryAfter: expect.any(Number) });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    const phone = await busy.addPhone('android');
    const ring = () => busy.session('POST', `/devices/${phone.deviceId}/test`);
    expect(await ring()).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', limit: 300 } });
    expect((await busy.api('GET', '/inbox/notifications')).status).toBe(200);
    expect((await agent.api('POST', '/notifications', { body })).status).toBe(201);
    await house.advance(120);
    expect((await ring()).status).toBe(201);
    await house.expectPushes(phone, 1);
    expect((await busy.api('POST', '/notifications', { body })).status).toBe(201);
    await house.expectPushes(phone, 1);
  }, 60_000);

  it.each([
    ['the token may not send', 403, { body }, ['devices:read']],
    ['its body is not valid', 400, { body: { title: 7 } }, ['notifications:send']],
    [
      'its key stands for something else',
      422,
      { body, headers: { 'idempotency-key': 'k' } },
      ['notifications:send'],
    ],
  ])('take nothing for sends from what is refused because %s', async (_, status, request, scopes) => {
    const account = await house.anotherAccount();
    const first = { body: { ...body, title: 'first' }, headers: { 'idempotency-key': 'k' } };
    const made = await account.session('POST', '/tokens', { body: { name: 'sender', scopes } });
    const token: string = made.body.secret;
    await house.beginWindow();
    if (status === 422) await account.api('POST', '/notifications', { ...first, token });
    const answers: HouseAnswer[] = [];
    // A request that only its service can refuse is refunded with the answer.
    const atOnce = status === 422 ? 40 : 320;
    while (answers.length < 320)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: atOnce }, () => account.api('POST', '/notifications', { ...request, token })),
        )),
      );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
    expect((await account.api('POST', '/notifications', { body })).status).toBe(201);
  });
});

describe('a busy console', () => {
  it('uses up nothing of what the agents of its account may ask', async () => {
    const account = await house.anotherAccount();
    await house.beginWindow();
    const left = async () => (await account.api('GET', '/auth/status')).headers.get('ratelimit');
    expect(await left()).toMatch(/^"requests";r=499;/);
    const answers = [];
    for (let n = 0; n < 60; n += 1) answers.push(await account.session('GET', '/me'));
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"session";q=50;w=60');
    expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', limit: 50 } });
    expect(await left()).toMatch(/^"requests";r=498;/);
  });
});

describe('a line that nobody is known on', () => {
  let stop: () => Promise<void>;
  let url: string;
  beforeAll(async () => {
    const gateway = await startGateway(house, pepper, {
      CARILLON_TRUSTED_PROXIES: '127.0.0.1,::1',
      CARILLON_PUBLIC_REQUESTS_PER_MINUTE: '20',
      CARILLON_SIGNUPS_PER_HOUR: '3',
      CARILLON_AUTH_FAILURES_PER_MINUTE: '5',
      CARILLON_OAUTH_REGISTER_PER_HOUR: '2',
      CARILLON_OAUTH_TOKEN_PER_MINUTE: '2',
      CARILLON_OAUTH_DEVICE_PER_MINUTE: '2',
    });
    ({ url, stop } = gateway);
  }, 30_000);
  beforeEach(() => house.beginWindow(3_600));
  afterAll(() => stop?.());

  const ask = async (method: string, path: string, from: string, given?: object, token?: string) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-forwarded-for': from,
        ...(given && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(given && { body: JSON.stringify(given) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as { code?: string },
    };
  };
  const times = async (count: number, one: (n: number) => ReturnType<typeof ask>) => {
    const answers = [];
    for (let n = 0; n < count; n += 1) answers.push(await one(n));
    return answers;
  };
  const limited = (limit: number) => ({
    status: 429,
    body: { code: 'RATE_LIMITED', limit, retryAfter: expect.any(Number) },
  });

  it('may ask for so much a minute, the whole /64 of it together', async () => {
    const from = (n: number) => `2001:db8:1:2::${n + 1}`;
    const answers = await times(21, (n) => ask('GET', '/openapi/agent.json', from(n)));
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"public";q=20;w=60');
    expect(answers[19]?.status).toBe(200);
    expect(answers[20]).toMatchObject(limited(20));
    expect(answers[20]?.headers.get('ratelimit')).toMatch(/^"public";r=0;t=\d+$/);
    expect((await ask('GET', '/openapi/agent.json', '2001:db8:1:3::1')).status).toBe(200);
  });

  it('may sign up so often an hour', async () => {
    const newcomer = (n: number) => ({
      email: `flood-${n}@test.invalid`,
      name: 'Flood',
      password: `a long password ${n}`,
    });
    const answers = await times(4, (n) => ask('POST', '/api/session/signup', '192.0.2.7', newcomer(n)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
    expect(answers[3]).toMatchObject(limited(3));
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"public";q=20;w=60, "sign-up";q=3;w=3600');
    // The others of the house are on another line.
    expect((await ask('POST', '/api/session/signup', '192.0.2.8', newcomer(9))).status).toBe(201);
  });

  it.each(['/oauth/register', '/oauth/token', '/oauth/revoke', '/oauth/device_authorization'])(
    'may post to %s so often, whatever the answer',
    async (path) => {
      // Another address for each route: a client is counted with its address.
      const from = `198.51.100.${path.length}`;
      const answers = await times(3, () => ask('POST', path, from, {}));
      expect(answers.slice(0, 2).map(({ status }) => status)).not.toContain(429);
      expect(answers[2]).toMatchObject(limited(2));
      expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  it('may sign up four times as often an hour as a whole /48', async () => {
    const newcomer = (n: number) => ({
      email: `site-${n}@test.invalid`,
      name: 'Site',
      password: `a long password ${n}`,
    });
    const answers = await times(13, (n) =>
      ask('POST', '/api/session/signup', `2001:db8:48:${n + 1}::1`, newcomer(n)),
    );
    expect(answers.slice(0, 12).map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(answers[12]).toMatchObject(limited(12));
    expect((await ask('POST', '/api/session/signup', '2001:db8:49:1::1', newcomer(99))).status).toBe(201);
  });

  it.each([
    ['refresh tokens', 'POST', '/api/session/refresh', { refreshToken: 'carillon_srt_nonsense' }, 401],
    ['URLs of services', 'POST', '/hooks/carillon_hook_nonsense', { body: 'b' }, 404],
    ['API tokens', 'GET', '/api/agent/auth/status', undefined, 401],
  ])('may guess %s so often a minute', async (what, method, path, given, status) => {
    const from = `198.51.100.${what.length}`;
    const answers = await times(6, () => ask(method, path, from, given));
    expect(answers.slice(0, 5).map((answer) => answer.status)).toEqual(Array(5).fill(status));
    expect(answers[5]).toMatchObject(limited(5));
    // Valid credentials still pass.
    expect((await ask('GET', '/api/agent/auth/status', from, undefined, agent.apiToken)).status).toBe(200);
  });
});

describe('what an operator sees of a house', () => {
  const metrics = async (): Promise<string> =>
    (await Promise.all(house.metricsUrls.map(async (url) => (await fetch(url)).text()))).join('\n');
  /** Of all processes together. */
  const value = (text: string, series: string): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${series} `))
      .reduce((sum, line) => sum + Number(line.slice(series.length + 1)), 0);
  const routesIn = (text: string): string[] => [
    ...new Set(
      [...text.matchAll(/^carillon_http_requests_total\{.*route="([^"]*)"/gm)].map(([, route]) => route!),
    ),
  ];

  it('is on a port of its own, and not on the one of the world', async () => {
    for (const url of house.metricsUrls) expect(url).not.toContain(new URL(house.state.baseUrl).host);
    expect((await house.http('GET', '/metrics')).status).toBe(404);
  });

  it('counts requests by route and status; made-up paths and methods make no new label', async () => {
    const sends = 'carillon_http_requests_total{method="POST",route="/api/agent/notifications",status="201"}';
    const before = await metrics();
    await agent.api('POST', '/notifications', { body });
    for (let n = 0; n < 20; n += 1) {
      await house.http('GET', `/made/up/${randomBytes(4).toString('hex')}`);
      await agent.api('GET', `/interactions/int_${randomBytes(8).toString('hex')}`);
      await agent.api('GET', `/inbox/notifications?q=${n}&made${n}=up`);
    }
    await fetch(`${house.state.baseUrl}/healthz/live`, { method: 'PROPFIND' });
    const after = await metrics();
    expect(value(after, sends) - value(before, sends)).toBe(1);
    const fresh = routesIn(after).filter((route) => !routesIn(before).includes(route));
    expect(fresh.filter((route) => !/^\/api\/agent\/[a-z/:A-Z]+$/.test(route))).toEqual([]);
    expect(fresh.length).toBeLessThan(4);
    expect(after).not.toContain('PROPFIND');
    expect(after).not.toContain(agent.id);
  });

  it('tells of the bus, the log, every projection and every queue', async () => {
    const text = await metrics();
    const series = [
      'carillon_bus_request_seconds_count{service="notifications",outcome="answered"}',
      'carillon_command_seconds_count{subject="rpc.notifications.notification.send",outcome="answered"}',
      'carillon_append_seconds_count{outcome="stored"}',
      'carillon_projection_current{service="read-models",projection="inbox"}',
      'carillon_projection_active{service="push",projection="devices"}',
    ];
    expect(series.filter((each) => !(value(text, each) > 0))).toEqual([]);
    expect(text).toMatch(/^carillon_projection_lag_events\{service="read-models",projection="inbox"\} \d+$/m);
    expect(text).toMatch(
      /^carillon_projection_lag_seconds\{service="read-models",projection="inbox"\} \S+$/m,
    );
    for (const [service, queue] of [
      ['push', 'deliveries'],
      ['push', 'lanes'],
      ['webhooks', 'replies'],
      ['teams', 'page_commands'],
    ])
      for (const name of ['queue_due', 'queue_oldest_seconds', 'queue_leased'])
        expect(text).toContain(`carillon_${name}{service="${service}",queue="${queue}"} `);
    expect(text).toContain('\ncarillon_log_outage_seconds 0\n');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
  });

  it('tells which waits are open', async () => {
    const { body: asked } = await agent.api('POST', '/interactions', {
      body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' },
    });
    const waiting = agent.api('GET', `/interactions/${asked.interaction?.id}/wait?timeoutSeconds=1`);
    await eventually(
      async () => value(await metrics(), 'carillon_waits_open') === 1 || undefined,
      () => 'no wait was seen',
    );
    await house.advance(2);
    await waiting;
    expect(value(await metrics(), 'carillon_waits_open')).toBe(0);
  });
});

describe('what is known of a house', () => {
  it('says that it is ready', async () => {
    expect((await house.http('GET', '/healthz/ready')).status).toBe(200);
    expect((await house.http('GET', '/healthz/live')).status).toBe(200);
  });

  it('has no secret in any log', async () => {
    const lines = house
      .logs()
      .map((line) => line.text)
      .join('\n');
    for (const secret of [agent.apiToken, agent.password, house.owner.apiToken, house.owner.password])
      expect(lines).not.toContain(secret);
  });
});
