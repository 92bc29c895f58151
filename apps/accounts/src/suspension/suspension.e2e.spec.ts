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
