import { mintSecret, newId } from '@carillon/signing';
import {
  eventually,
  freePort,
  listen,
  PlayedCarillon,
  type PlayedQuestion,
  PrivateApp,
} from '@carillon/testkit';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { type RunningProgram, startProgram } from '../program';
import { Targets } from '../routing/targets';
import { defaultLimits } from './limits';

const connectorId = newId('con', 1_700_000_000_000);
const appId = newId('app', 1_700_000_000_000);
const hostname = 'tools.example.test';
const user = { id: newId('usr', 1_700_000_000_000), name: 'Zoë', email: 'zoe@example.test' };
/** Whether the address of the person is known to be theirs. */
let emailVerified: boolean;
const no = (status: number, code: string) => ({ status, body: { error: 'no', code } });

let carillon: PlayedCarillon;
let app: PrivateApp;
let program: RunningProgram;
/** What Carillon holds to be so. */
let passes: Map<string, string>;
let sessions: Set<string>;
/** By session, whose it is if not the usual person's. */
let others: Map<string, string>;
let enabled: boolean;
let away: 'down' | 'hangs' | 'busy' | undefined;

const connector = () => ({
  id: connectorId,
  enabled,
  hostname,
  routes: [
    { name: 'root', url: `https://${hostname}/`, target: `${app.url}/base`, appId, enabled: true },
    { name: 'wiki', url: `https://${hostname}/wiki`, target: app.url, appId, enabled: true },
    { name: 'dead', url: `https://${hostname}/dead`, target: deadTarget, appId, enabled: true },
    { name: 'meta', url: `https://${hostname}/meta`, target: 'http://127.0.0.2/', appId, enabled: true },
  ],
});
let deadTarget: string;

function access({ body }: PlayedQuestion) {
  const route = connector().routes.find(({ name }) => name === body.route);
  if (!route) return no(404, 'ROUTE_NAME_NOT_FOUND');
  if (!enabled) return no(403, 'CONNECTOR_DISABLED');
  const session = body.pass ? passes.get(body.pass) : body.session;
  if (body.pass) passes.delete(body.pass);
  if (!session) return no(403, 'PASS_INVALID');
  if (body.pass) sessions.add(session);
  if (!sessions.has(session)) return no(403, 'SESSION_INVALID');
  const { name, target } = route;
  const disclosed = { ...user, ...(others.has(session) && { id: others.get(session) }), emailVerified };
  return { status: 200, body: { allowed: true, session, user: disclosed, appId, route: name, target } };
}

/** The same about many sessions. */
const revalidated = ({ body, ...question }: PlayedQuestion) => ({
  status: 200,
  body: {
    sessions: body.sessions.map((each: object) => {
      const { status, body: said } = access({ ...question, body: each });
      return status === 200 ? said : { allowed: false, ...said };
    }),
  },
});

beforeAll(async () => {
  app = await PrivateApp.start();
  deadTarget = `http://127.0.0.1:${await freePort()}`;
});
afterAll(() => app.stop());
beforeEach(async () => {
  [passes, sessions, enabled, away] = [new Map(), new Set(), true, undefined];
  others = new Map();
  emailVerified = true;
  carillon = await PlayedCarillon.start((question) => {
    if (away === 'hangs') return 'hang';
    if (away === 'down') return no(503, 'UNAVAILABLE');
    if (away === 'busy' && /\/access(\/revalidate)?$/.test(question.path)) return no(429, 'RATE_LIMITED');
    if (question.path.endsWith('/access')) return access(question);
    if (question.path.endsWith('/access/revalidate')) return revalidated(question);
    return { status: 200, body: { connector: connector(), heartbeatIntervalSeconds: 1 } };
  });
  program = await startProgram(
    {
      baseUrl: carillon.url,
      token: 'carillon_pat_x',
      connectorId,
      callbackKey: randomBytes(32),
      host: '127.0.0.1',
      port: 0,
      keyFile: undefined,
      targets: new Targets(['127.0.0.1']),
    },
    pino({ level: 'silent' }),
    { ...defaultLimits, silentMs: 1_500, openPerSession: 3, finishMs: 2_000 },
  );
});
afterEach(async () => {
  await program.stop();
  await carillon.stop();
});

interface Said {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** As it is written, without a client's own ideas about addresses. */
function ask(
  path: string,
  given: { method?: string; headers?: object; body?: Buffer | string } = {},
): Promise<Said> {
  const { method = 'GET', headers = {}, body } = given;
  return new Promise((resolve, reject) => {
    const asked = request(
      { port: program.port, host: '127.0.0.1', path, method, headers: { ...headers }, agent: false },
      async (answer) => {
        const chunks: Buffer[] = [];
        try {
          for await (const chunk of answer) chunks.push(chunk as Buffer);
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString(),
          });
        } catch (error) {
          reject(error);
        }
      },
    );
    asked.on('error', reject).end(body);
  });
}

const cookieOf = (session: string, route = 'root') => ({
  cookie: `__Host-carillon_gateway_${route}=${session}`,
});
function openSession(): string {
  const { secret } = mintSecret('carillon_gws_', '0');
  sessions.add(secret);
  return secret;
}
function issuePass(): string {
  const { secret } = mintSecret('carillon_pass_', '0');
  passes.set(secret, mintSecret('carillon_gws_', '0').secret);
  return secret;
}
const codeOf = ({ text }: Said): string => JSON.parse(text).code;

describe('a visitor with a pass', () => {
  it('is let in once, by a cookie, at the address without it', async () => {
    const pass = issuePass();
    const first = await ask(`/a/b?x=%20&carillon_pass=${pass}&y`);
    expect(first.status).toBe(303);
    expect(first.headers.location).toBe('/a/b?x=%20&y');
    expect(first.headers['set-cookie']![0]).toMatch(
      /^__Host-carillon_gateway_root=carillon_gws_\w+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const cookie = first.headers['set-cookie']![0]!.split(';')[0]!;
    const page = await ask('/a/b?x=%20&y', { headers: { cookie } });
    expect(JSON.parse(page.text)).toMatchObject({ method: 'GET', url: '/base/a/b?x=%20&y' });
    expect(carillon.about('/access')).toHaveLength(1);

    const again = await ask(`/?carillon_pass=${pass}`);
    expect([again.status, codeOf(again)]).toEqual([401, 'PASS_INVALID']);
    const backAgain = await ask(`/a?carillon_pass=${pass}`, { headers: { cookie } });
    expect([backAgain.status, backAgain.headers.location]).toEqual([303, '/a']);
  });

  it('is not led to another host', async () =>
    expect((await ask(`//elsewhere.example/?carillon_pass=${issuePass()}`)).headers.location).toBe(
      '/elsewhere.example/',
    ));

  it('spends it by opening a link only, and it reaches the app by no other way', async () => {
    const [pass, headers] = [issuePass(), cookieOf(openSession())];
    const posted = await ask(`/?a=1&carillon_pass=${pass}`, { method: 'POST', headers, body: 'x' });
    expect(JSON.parse(posted.text)).toMatchObject({ url: '/base/?a=1', body: 'x' });
    expect(passes.has(pass)).toBe(true);
    expect((await ask(`/?carillon_pass=${pass}`, { method: 'POST' })).status).toBe(401);
  });
});

describe('a visitor with a session and the pass of another person', () => {
  const passOfAnother = () => {
    const pass = issuePass();
    others.set(passes.get(pass)!, newId('usr', 1_700_000_000_001));
    return pass;
  };
  const leaving = (site: string | undefined, more: object = {}) =>
    ask('/.well-known/carillon-gateway/leave/root', {
      method: 'POST',
      headers: site === undefined ? {} : { 'sec-fetch-site': site },
      ...more,
    });

  it('keeps the session, and is asked to sign out first', async () => {
    const headers = { ...cookieOf(openSession()), accept: 'text/html' };
    const page = await ask(`/a?carillon_pass=${passOfAnother()}`, { headers });
    expect(page.status).toBe(409);
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(page.text).toContain(
      '<form method="post" action="/.well-known/carillon-gateway/leave/root"><button>',
    );
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    expect((await ask('/still', { headers })).status).toBe(200);
    const left = await leaving('same-origin');
    expect([left.status, codeOf(left)]).toEqual([401, 'SESSION_LEFT']);
    expect(left.headers['set-cookie']![0]).toMatch(/^__Host-carillon_gateway_root=; Max-Age=0; /);
    expect((await ask(`/a?carillon_pass=${passOfAnother()}`)).status).toBe(303);
  });

  it('is signed out by no other site', async () => {
    for (const site of ['cross-site', 'same-site', 'none', undefined]) {
      const answer = await leaving(site);
      expect([answer.status, codeOf(answer)]).toEqual([403, 'OTHER_SITE']);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await leaving('same-origin', { method: 'GET' })).status).toBe(405);
  });

  it('is let in as the other one when their own session has ended', async () => {
    const headers = cookieOf(mintSecret('carillon_gws_', '0').secret);
    const answer = await ask(`/a?carillon_pass=${passOfAnother()}`, { headers });
    expect([answer.status, answer.headers['set-cookie']!.length]).toEqual([303, 1]);
  });

  it('has no pass spent while nobody can say whose the session is', async () => {
    const [pass, headers] = [passOfAnother(), cookieOf(openSession())];
    away = 'down';
    expect((await ask(`/a?carillon_pass=${pass}`, { headers })).status).toBe(503);
    expect(passes.has(pass)).toBe(true);
  });

  it('is let in again with a pass of their own', async () => {
    const answer = await ask(`/a?carillon_pass=${issuePass()}`, { headers: cookieOf(openSession()) });
    expect([answer.status, answer.headers['set-cookie']!.length]).toEqual([303, 1]);
  });
});

describe('a visitor without a session', () => {
  it('sees a page that leads to the app in Carillon', async () => {
    const page = await ask('/', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(401);
    expect(page.text).toContain(`href="${carillon.url}/apps/${appId}"`);
    expect(app.seen.map(({ url }) => url)).not.toContain('/base/');
  });

  it('is not let in with the session of another route, or one that ended', async () => {
    const session = openSession();
    expect(codeOf(await ask('/wiki/', { headers: cookieOf(session) }))).toBe('SESSION_REQUIRED');
    const ended = await ask('/', { headers: cookieOf(mintSecret('carillon_gws_', '0').secret) });
    expect([ended.status, codeOf(ended)]).toEqual([401, 'SESSION_ENDED']);
    expect(ended.headers['set-cookie']![0]).toContain('Max-Age=0');
    expect(ended.headers['clear-site-data']).toBe('"cache"');
  });

  it('is told that the connector is switched off', async () => {
    enabled = false;
    const refused = await ask('/', { headers: cookieOf(openSession()) });
    expect([refused.status, codeOf(refused)]).toEqual([403, 'CONNECTOR_DISABLED']);
    await eventually(
      async () => (await ask('/')).status === 403 || undefined,
      () => 'the heartbeat does not tell that it is off',
    );
  });
});

describe('when too many ask', () => {
  const made = () => mintSecret('carillon_gws_', '0').secret;
  const from = (address: string, more: object = {}) => ({
    headers: { 'x-forwarded-for': `forged, ${address}`, ...more },
  });

  it('with invented passes keeps nobody out from another network', async () => {
    const forged = () =>
      ask(`/?carillon_pass=${mintSecret('carillon_pass_', '0').secret}`, from('203.0.113.7'));
    const codes = new Set<string>();
    for (let each = 0; each < 60; each += 1) codes.add(codeOf(await forged()));
    expect(codes).toEqual(new Set(['PASS_INVALID', 'GATEWAY_BUSY']));
    const session = openSession();
    expect((await ask('/', from('203.0.113.7', cookieOf(session)))).status).toBe(200);
    const pass = mintSecret('carillon_pass_', '0').secret;
    passes.set(pass, made());
    expect((await ask(`/?carillon_pass=${pass}`, from('198.51.100.1'))).status).toBe(303);
  });

  it('Carillon gets no request for as long as it says, and waiting visitors are told so', async () => {
    away = 'busy';
    const asked = () => carillon.about('/access').length;
    const before = asked();
    const first = await ask('/', { headers: cookieOf(made()) });
    expect([first.status, codeOf(first), first.headers['retry-after']]).toEqual([503, 'GATEWAY_BUSY', '5']);
    expect(asked()).toBe(before + 1);
    expect(codeOf(await ask('/', { headers: cookieOf(made()) }))).toBe('GATEWAY_BUSY');
    expect(asked()).toBe(before + 1);
    away = undefined;
    const session = openSession();
    await eventually(
      async () => (await ask('/', { headers: cookieOf(session) })).status === 200 || undefined,
      () => 'nobody is asked again',
      20_000,
    );
  });
});

describe('what reaches the app', () => {
  it('asserts the visitor to the app, whatever the client claims', async () => {
    const { text } = await ask('/wiki/notes', {
      headers: {
        ...cookieOf(openSession(), 'wiki'),
        'Carillon-User-Id': 'usr_forged',
        Carillon_User_Email: 'forged@example.test',
        'carillon-assertion': 'forged',
        'X-Forwarded-Host': 'forged.example',
      },
    });
    expect(text).not.toContain('forged');
    const { headers, url } = JSON.parse(text);
    expect(url).toBe('/notes');
    expect(headers).toMatchObject({
      host: hostname,
      'x-forwarded-host': hostname,
      'carillon-user-id': user.id,
      'carillon-user-name': 'Zo%C3%AB',
      'carillon-user-email': user.email,
    });
    expect(headers).not.toHaveProperty('cookie');
    const keys = await ask('/.well-known/carillon-gateway/jwks.json');
    const { payload } = await jwtVerify(
      headers['carillon-assertion'],
      createLocalJWKSet(JSON.parse(keys.text)),
      {
        issuer: `https://${hostname}`,
        audience: `https://${hostname}/wiki`,
        algorithms: ['EdDSA'],
      },
    );
    expect(payload).toMatchObject({
      sub: user.id,
      name: user.name,
      email: user.email,
      route: 'wiki',
      app_id: appId,
    });
    expect(payload.exp! - payload.iat!).toBe(60);
  });

  it('does not say an address that its person has not verified, in no header and no assertion', async () => {
    emailVerified = false;
    const { text } = await ask('/wiki/notes', { headers: cookieOf(openSession(), 'wiki') });
    const { headers } = JSON.parse(text);
    expect(headers).toMatchObject({ 'carillon-user-id': user.id, 'carillon-user-name': 'Zo%C3%AB' });
    expect(headers).not.toHaveProperty('carillon-user-email');
    expect(decodeJwt(headers['carillon-assertion'])).not.toHaveProperty('email');
  });

  it.each([
    ['with dots', '/a/../../secret', 400],
    ['with encoded dots', '/a/%2e%2e/%2e%2e/secret', 400],
    ['with encoded slashes', '/a%2f..%2f..%2fsecret', 400],
    ['in absolute form', 'http://elsewhere.example/secret', 400],
    ['of 8 kB', `/${'a'.repeat(8_192)}`, 414],
    ['that only looks so', '/a/b/.../c', 200],
  ])('is nothing above its target: an address %s', async (_, path, status) => {
    const { status: said } = await ask(path, { headers: cookieOf(openSession()) });
    expect(said).toBe(status);
    expect(app.seen.filter(({ url }) => url.includes('secret'))).toEqual([]);
  });

  it('is a body of any size, both ways', async () => {
    const headers = cookieOf(openSession(), 'wiki');
    const body = randomBytes(8 * 1024 * 1024);
    const sent = await ask('/wiki/upload', { method: 'PUT', headers, body });
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(JSON.parse(sent.text)).toEqual({ length: body.length, sha256 });
    const chunked = await ask('/wiki/upload', {
      method: 'GET',
      headers: { ...headers, 'transfer-encoding': 'chunked' },
      body: 'GET /secret HTTP/1.1\r\n\r\n',
    });
    expect(JSON.parse(chunked.text).length).toBe(24);
    expect((await ask(`/wiki/download?bytes=${body.length}`, { headers })).text).toHaveLength(body.length);
  });

  it('is answered with pages that nobody keeps, and its cookies', async () => {
    const page = await ask('/wiki/page', { headers: cookieOf(openSession(), 'wiki') });
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'set-cookie': ['app=1; Path=/', 'other=2'],
    });
  });
});

describe('while something is open', () => {
  const gone = (what: string) =>
    eventually(
      () => app.open === 0 || undefined,
      () => `${what} goes on at the app`,
    );

  it('a stream of events is passed on, and cut when the session ends', async () => {
    const session = openSession();
    const client = await listen(`http://127.0.0.1:${program.port}/wiki/events`, cookieOf(session, 'wiki'));
    await client.heard(1);
    sessions.delete(session);
    await eventually(
      () => app.open === 0 || undefined,
      () => 'the stream goes on',
    );
    await client.leave();
  });

  it('sessions are asked about in one question, and one of them is cut alone', async () => {
    const [first, second] = [openSession(), openSession()];
    const address = `http://127.0.0.1:${program.port}/wiki/events`;
    const [cut, stays] = await Promise.all([
      listen(address, cookieOf(first, 'wiki')),
      listen(address, cookieOf(second, 'wiki')),
    ]);
    await Promise.all([cut.heard(1), stays.heard(1)]);
    await eventually(
      () => carillon.about('/access/revalidate').some(({ body }) => body.sessions.length === 2) || undefined,
      () => 'each is asked about alone',
    );
    expect(app.open).toBe(2);
    sessions.delete(first);
    await eventually(
      () => app.open === 1 || undefined,
      () => 'the stream goes on',
    );
    await Promise.all([cut.leave(), stays.leave()]);
    await gone('a stream');
  });

  it('a WebSocket is passed on both ways, and cut when the session ends', async () => {
    const session = openSession();
    const socket = new WebSocket(`ws://127.0.0.1:${program.port}/wiki/ws`, {
      headers: cookieOf(session, 'wiki'),
    });
    await once(socket, 'open');
    for (const text of ['Zoë', 'x'.repeat(200_000)]) {
      const [answer] = await Promise.all([once(socket, 'message'), socket.send(text)]);
      expect(String(answer[0])).toBe(text);
    }
    expect(app.last!.headers['carillon-user-id']).toBe(user.id);
    const closed = once(socket, 'close');
    sessions.delete(session);
    await closed;
    await gone('the WebSocket');
  });

  it('it is cut when Carillon is away for five seconds', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${program.port}/wiki/ws`, {
      headers: cookieOf(openSession(), 'wiki'),
    });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    away = 'hangs';
    await closed;
    away = 'down';
    const headers = { ...cookieOf(openSession(), 'wiki'), accept: 'text/html' };
    await eventually(
      async () => {
        const { status, text } = await ask('/wiki/', { headers });
        expect(status).toBe(503);
        return /has not answered for \d+ second/.test(text) || undefined;
      },
      () => 'it does not say how long',
    );
  });

  it.each([
    ['without a session', {}, 401],
    ['that the app does not take', { route: 'root' }, 403],
  ])('a WebSocket %s is answered', async (_, { route }: { route?: string }, status) => {
    const headers = route ? cookieOf(openSession(), route) : {};
    const socket = new WebSocket(`ws://127.0.0.1:${program.port}/else`, { headers });
    socket.on('error', () => {});
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(answer.statusCode).toBe(status);
    socket.terminate();
  });

  it('a session may have so much and no more', async () => {
    const headers = cookieOf(openSession(), 'wiki');
    const streams = await Promise.all(
      [1, 2, 3].map(() => listen(`http://127.0.0.1:${program.port}/wiki/events`, headers)),
    );
    expect((await ask('/wiki/', { headers })).status).toBe(429);
    await Promise.all(streams.map((stream) => stream.leave()));
    await gone('a stream');
    expect((await ask('/wiki/', { headers })).status).toBe(200);
  });
});

describe('an app that', () => {
  it.each([
    ['is down', '/dead/', 'dead', 502, 'APP_UNAVAILABLE'],
    ['is where no target may be', '/meta/', 'meta', 502, 'APP_UNAVAILABLE'],
    ['is slow', '/wiki/slow', 'wiki', 504, 'APP_TIMEOUT'],
    ['answers with a huge header', '/wiki/huge', 'wiki', 502, 'APP_UNAVAILABLE'],
  ])('%s is told of, and the program lives', async (_, path, route, status, code) => {
    const said = await ask(path, { headers: cookieOf(openSession(), route) });
    expect([said.status, codeOf(said)]).toEqual([status, code]);
    expect((await ask('/', { headers: cookieOf(openSession()) })).status).toBe(200);
  });

  it('breaks off in the middle is not taken for one that has ended', async () => {
    await expect(ask('/wiki/half', { headers: cookieOf(openSession(), 'wiki') })).rejects.toThrow();
    expect((await ask('/', { headers: cookieOf(openSession()) })).status).toBe(200);
  });

  it('closes a connection as it is used again is asked on another one', async () => {
    const headers = cookieOf(openSession(), 'wiki');
    const before = app.seen.length;
    const answers = [await ask('/wiki/once', { headers }), await ask('/wiki/once', { headers })];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(app.seen.length - before).toBe(3);
    const posted = await ask('/wiki/once', { method: 'POST', headers, body: 'x' });
    expect([posted.status, app.seen.length - before]).toEqual([502, 4]);
  });
});

describe('a client that', () => {
  const raw = async (text: string): Promise<string> => {
    const socket = connect(program.port, '127.0.0.1');
    let said = '';
    socket.on('data', (data) => (said += String(data))).on('error', () => {});
    socket.write(text);
    await once(socket, 'close');
    return said;
  };

  it('never ends its body is told so', async () => {
    const { cookie } = cookieOf(openSession(), 'wiki');
    const head = `POST /wiki/upload HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n`;
    expect(await raw(`${head}content-length: 1000\r\n\r\nabc`)).toMatch(/^HTTP\/1\.1 408 /);
    expect(await raw(`${head}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`)).toMatch(/^HTTP\/1\.1 408 /);
    expect((await ask('/', { headers: cookieOf(openSession()) })).status).toBe(200);
  });

  it.each([
    [
      'an absolute form',
      'GET http://elsewhere.example/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      400,
    ],
    ['another upgrade', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n', 400],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'another coding',
      'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      501,
    ],
    ['a header of 64 kB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(65_536)}\r\n\r\n`, 431],
  ])('sends %s is refused', async (_, text, status) =>
    expect(await raw(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)),
  );
});

describe('when it is asked to stop', () => {
  it('it finishes what is under way, and ends what never would', async () => {
    const headers = cookieOf(openSession(), 'wiki');
    const stream = await listen(`http://127.0.0.1:${program.port}/wiki/events`, headers);
    const socket = connect(program.port, '127.0.0.1');
    let said = '';
    socket.on('data', (data) => (said += String(data)));
    socket.write(
      `POST /wiki/upload HTTP/1.1\r\nhost: x\r\ncookie: ${headers.cookie}\r\ncontent-length: 6\r\n\r\nabc`,
    );
    await eventually(
      () => app.last?.url === '/upload' || undefined,
      () => 'the app has not seen the upload',
    );
    const stopped = program.stop();
    await expect(ask('/', { headers })).rejects.toThrow('ECONNREFUSED');
    const answered = once(socket, 'close');
    socket.write('def');
    await Promise.all([stopped, answered]);
    expect(said).toMatch(/^HTTP\/1\.1 200 .*connection: close.*"length":6/is);
    await eventually(
      () => app.open === 0 || undefined,
      () => 'the stream goes on',
    );
    await stream.leave();
  });
});
