import pg from 'pg';
import { randomBytes } from 'node:crypto';
import {
  eventually,
  type GatewayProcess,
  type House,
  type HouseAccount,
  listen,
  startGateway,
  startHouse,
} from '@carillon/testkit';

const pepper = randomBytes(32).toString('base64');
let house: House;
let second: GatewayProcess;
beforeAll(async () => {
  house = await startHouse({ limits: 'off', env: { CARILLON_PEPPER: pepper } });
  second = await startGateway(house, pepper);
}, 120_000);
afterAll(async () => {
  await second?.stop();
  await house?.close();
}, 90_000);

const admin = async (verb: 'suspend' | 'resume', { email }: HouseAccount) => {
  const { status, stdout, stderr } = await house.admin('account', verb, `--email=${email}`);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
};
const suspended = { status: 403, body: { code: 'ACCOUNT_SUSPENDED' } };
const login = ({ email, password }: HouseAccount) =>
  house.http('POST', '/api/session/login/password', { body: { email, password, client: 'app' } });
const hookOf = async (person: HouseAccount) => {
  const { body } = await person.api('POST', '/services', { body: { title: 'CI' } });
  return new URL(body.webhookUrl).pathname;
};
const statusAt = async (base: string, token: string) =>
  (await fetch(`${base}/api/agent/auth/status`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('an account that the operator suspends', () => {
  it('has no credential that is accepted until it is resumed', async () => {
    const person = await house.anotherAccount();
    const signedIn = (await login(person)).body;
    const hook = await hookOf(person);
    const call = () => house.http('POST', hook, { body: { body: 'built' } });
    expect((await call()).status).toBe(200);
    // Both gateways know the token.
    for (const base of [house.state.baseUrl, second.url])
      expect(await statusAt(base, person.apiToken)).toBe(200);

    expect(await admin('suspend', person)).toEqual({ id: person.id, suspended: true });
    await eventually(
      async () => (await statusAt(second.url, person.apiToken)) === 403 || undefined,
      () => 'the other gateway accepts the token still',
      5_000,
    );
    await eventually(
      async () => (await call()).status === 403 || undefined,
      () => 'the URL of the service accepts messages still',
      5_000,
    );
    expect(await call()).toMatchObject(suspended);
    expect(await person.api('GET', '/auth/status')).toMatchObject(suspended);
    // Before the scopes are looked at.
    expect(await person.api('GET', '/tokens')).toMatchObject(suspended);
    expect(await person.session('GET', '/me', { token: signedIn.accessToken })).toMatchObject(suspended);
    const refresh = (refreshToken: string) =>
      house.http('POST', '/api/session/refresh', { body: { refreshToken } });
    expect(await refresh(signedIn.refreshToken)).toMatchObject(suspended);
    expect(await login(person)).toMatchObject(suspended);
    const guess = { email: person.email, password: 'not the password', client: 'app' };
    expect(await house.http('POST', '/api/session/login/password', { body: guess })).toMatchObject({
      status: 401,
    });
    // Others are let in.
    expect((await house.api('GET', '/auth/status')).status).toBe(200);
    // A second time changes nothing.
    expect(await admin('suspend', person)).toEqual({ id: person.id, suspended: true });
    const listed = await house.admin('accounts', 'list', `--email=${person.email}`);
    expect(JSON.parse(listed.stdout)).toMatchObject({ id: person.id, state: 'suspended' });

    expect(await admin('resume', person)).toEqual({ id: person.id, suspended: false });
    await eventually(
      async () => (await call()).status === 200 || undefined,
      () => 'the URL of the service refuses messages still',
      5_000,
    );
    expect((await person.api('GET', '/auth/status')).status).toBe(200);
    expect((await person.session('GET', '/me', { token: signedIn.accessToken })).status).toBe(200);
    expect((await refresh(signedIn.refreshToken)).status).toBe(200);
    // It has lost nothing.
    expect((await person.api('GET', '/inbox/notifications')).body.items).toHaveLength(2);
  }, 180_000);

  it('has its waits and streams ended within 5 s', async () => {
    const person = await house.anotherAccount();
    const { body } = await person.api('POST', '/interactions', {
      body: { kind: 'yes_no', title: 'Go?', prompt: 'Now?' },
    });
    const waiting = person.api('GET', `/interactions/${body.interaction.id}/wait?timeoutSeconds=55`);
    const stream = await listen(`${house.state.baseUrl}/api/session/stream`, {
      authorization: `Bearer ${await person.signIn()}`,
    });
    await eventually(
      () => stream.lastId || undefined,
      () => 'the stream has not begun',
    );
    await admin('suspend', person);
    await stream.end(5_000);
    expect(await waiting).toMatchObject(suspended);
  }, 120_000);

  it('has to be an account', async () => {
    const { status, stderr } = await house.admin('account', 'suspend', '--email=nobody@bells.test');
    expect([status, stderr]).toEqual([expect.any(Number), expect.stringContaining('account')]);
    expect(status).not.toBe(0);
  }, 60_000);
});

describe('an operator in the console', () => {
  const noRoute = { status: 404, body: { code: 'ROUTE_NOT_FOUND' } };
  const operator = (method: string, path: string) => house.owner.session(method, `/operator${path}`);
  const operatorTool = async ({ email }: HouseAccount, ...options: string[]) => {
    const { status, stdout, stderr } = await house.admin(
      'account',
      'operator',
      `--email=${email}`,
      ...options,
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as unknown;
  };

  it('finds an account with its figures, suspends and resumes it', async () => {
    house.ignorePushes();
    const person = await house.anotherAccount('Grace 100% Hopper');
    expect((await house.api('POST', '/notifications', { body: { title: 'a', body: 'b' } })).status).toBe(201);
    // Services tell by signals which accounts have sent; the inbox has it a moment later.
    const own = await eventually(
      async () => {
        const { body } = await operator('GET', `/accounts?query=${encodeURIComponent(house.owner.email)}`);
        return body.accounts[0]?.sentToday > 0 ? body.accounts : undefined;
      },
      () => 'nothing that was sent is counted',
    );
    expect(own).toEqual([
      {
        id: house.owner.id,
        name: expect.any(String),
        email: house.owner.email,
        createdAt: expect.any(String),
        lastSeenAt: expect.any(String),
        suspended: false,
        devices: 2,
        sentToday: expect.any(Number),
      },
    ]);
    const found = async (query: string) =>
      (await operator('GET', `/accounts?query=${encodeURIComponent(query)}`)).body.accounts;
    expect(await found('grace 100% h')).toMatchObject([{ id: person.id, devices: 0, sentToday: 0 }]);
    expect(await found('%_%')).toEqual([]);
    // The newest first, a page after the other.
    const { body: first } = await operator('GET', '/accounts?limit=1');
    expect(first.accounts).toMatchObject([{ id: person.id }]);
    const { body: next } = await operator('GET', `/accounts?limit=1&cursor=${first.nextCursor}`);
    expect(next.accounts).toHaveLength(1);
    expect(next.accounts[0].id).not.toBe(person.id);

    const ok = { status: 200, body: { ok: true } };
    expect(await operator('POST', `/accounts/${person.id}/suspend`)).toMatchObject(ok);
    expect(await operator('POST', `/accounts/${person.id}/suspend`)).toMatchObject(ok);
    expect(await person.api('GET', '/auth/status')).toMatchObject(suspended);
    expect(await found(person.email)).toMatchObject([{ suspended: true }]);
    expect(await operator('POST', `/accounts/${person.id}/resume`)).toMatchObject(ok);
    expect((await person.api('GET', '/auth/status')).status).toBe(200);
    expect(await operator('POST', '/accounts/usr_foo/suspend')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  }, 120_000);

  it('is the first account and whom the tool names; to others there are no such routes', async () => {
    const person = await house.anotherAccount();
    const routes: [string, string][] = [
      ['GET', '/accounts'],
      ['POST', `/accounts/${house.owner.id}/suspend`],
      ['POST', `/accounts/${house.owner.id}/resume`],
      ['GET', '/teams'],
      ['GET', '/health'],
      ['GET', '/dead-letters'],
      ['POST', '/dead-letters/foo/retry'],
      ['POST', '/dead-letters/foo/drop'],
    ];
    for (const [method, path] of routes)
      expect(await person.session(method, `/operator${path}`)).toMatchObject(noRoute);
    expect(await person.session('GET', '/operator/nothing')).toMatchObject(noRoute);
    expect((await house.api('GET', '/auth/status')).status).toBe(200);

    expect(await operatorTool(person)).toEqual({ id: person.id, operator: true });
    expect(await operatorTool(person)).toEqual({ id: person.id, operator: true });
    expect((await person.session('GET', '/me')).body.account.operator).toBe(true);
    expect((await person.session('GET', '/operator/teams')).status).toBe(200);
    expect(await operatorTool(person, '--remove')).toEqual({ id: person.id, operator: false });
    expect(await person.session('GET', '/operator/teams')).toMatchObject(noRoute);
    // An agent's token is no person.
    expect(
      await house.http('GET', '/api/session/operator/accounts', { token: house.owner.apiToken }),
    ).toMatchObject({ status: 403, body: { code: 'HUMAN_SESSION_REQUIRED' } });
  }, 120_000);

  it('sees the services, the projections, what providers answered, and the teams', async () => {
    const person = await house.anotherAccount();
    const familyId = await person.family(await house.anotherAccount());
    house.ignorePushes();
    expect((await house.api('POST', '/notifications', { body: { title: 'a', body: 'b' } })).status).toBe(201);
    const { status, body } = await operator('GET', '/health');
    expect(status).toBe(200);
    expect(body.services).toHaveLength(9);
    for (const { replicas, ready } of body.services) {
      expect(replicas).toBeGreaterThan(0);
      expect(ready).toBe(replicas);
    }
    expect(body.projections).toContainEqual({
      name: 'accounts sessions',
      behindEvents: expect.any(Number),
      behindSeconds: expect.any(Number),
    });
    const accepted = Object.fromEntries(
      body.transports.map((each: { name: string; accepted: number }) => [each.name, each.accepted]),
    );
    expect(accepted).toEqual({ apns: expect.any(Number), fcm: expect.any(Number), web: 0 });
    expect(Math.min(accepted.apns, accepted.fcm)).toBeGreaterThan(0);
    expect((await operator('GET', '/teams')).body.teams[0]).toEqual({
      id: familyId,
      kind: 'family',
      name: 'Home',
      memberCount: 2,
      createdAt: expect.any(String),
    });
  }, 60_000);

  it('retries or drops what was given up', async () => {
    // The push of a notification that was reported: to record that again changes nothing.
    const sent = await house.api('POST', '/notifications', { body: { title: 'a', body: 'b' } });
    const { id: reported } = sent.body.notification;
    const { databaseUrl, databaseUrls } = house.state;
    const rows = new pg.Client({ connectionString: databaseUrls?.['push'] ?? databaseUrl });
    await rows.connect();
    try {
      await rows.query(
        `INSERT INTO push.dead_letters (subject_id, account_id, reason, content, created_at)
         VALUES ($2, $1, 'too_large', '[]', '2026-01-01'), ('anot_newer', $1, 'too_large', '[]', '2026-01-02')`,
        [house.owner.id, reported],
      );
      const { body } = await operator('GET', '/dead-letters?limit=1');
      expect(body).toEqual({
        deadLetters: [
          {
            id: expect.any(String),
            queue: 'push deliveries',
            subject: 'anot_newer',
            reason: 'too_large',
            attempts: 1,
            at: '2026-01-02T00:00:00.000Z',
          },
        ],
        nextCursor: expect.any(String),
      });
      const { body: next } = await operator('GET', `/dead-letters?limit=1&cursor=${body.nextCursor}`);
      expect(next).toMatchObject({ deadLetters: [{ subject: reported }], nextCursor: null });
      const [{ id: newer }, { id: older }] = [body.deadLetters[0], next.deadLetters[0]];
      expect((await operator('POST', `/dead-letters/${newer}/drop`)).status).toBe(200);
      expect(await operator('POST', `/dead-letters/${newer}/drop`)).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
      expect((await operator('POST', `/dead-letters/${older}/retry`)).status).toBe(200);
      expect((await operator('GET', '/dead-letters')).body).toEqual({ deadLetters: [], nextCursor: null });
    } finally {
      await rows.end();
    }
  }, 60_000);
});

it('an installation without a mail server has no routes for mail, and says so', async () => {
  const noRoute = { status: 404, body: { code: 'ROUTE_NOT_FOUND' } };
  const { email } = house.owner;
  const post = (path: string, body: object) => house.http('POST', `/api/session${path}`, { body });
  expect(await post('/login/email', { email })).toMatchObject(noRoute);
  expect(await post('/login/email/confirm', { token: 'a' })).toMatchObject(noRoute);
  expect(await post('/email/verify', { token: 'a' })).toMatchObject(noRoute);
  expect(await house.owner.session('POST', '/email/verification', { body: {} })).toMatchObject(noRoute);
  expect((await house.owner.session('GET', '/me')).body.mail).toBe(false);
});
