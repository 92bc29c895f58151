import { eventually, House, standaloneMain } from '@carillon/testkit';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'carillon-standalone-'));
// The database's own user must be able to get there.
chmodSync(folder, 0o755);
const data = join(folder, 'data');
const stateFile = join(data, 'standalone.json');

describe('the whole service on one machine', () => {
  const house = new House({ dataDir: data });

  beforeAll(() => house.start());
  afterAll(async () => {
    await house?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is ready when it says so', async () => {
    expect((await house.http('GET', '/healthz/ready')).status).toBe(200);
    expect(house.output()).toMatch(/^ready +in \d+\.\d s/m);
  });

  it('writes down where everything is, for this user only', () => {
    expect(statSync(stateFile).mode & 0o777).toBe(0o600);
    const { pid } = house.state;
    expect(JSON.parse(readFileSync(stateFile, 'utf8'))).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      simulatorUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/),
      consoleUrl: null,
      metricsUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/),
      eventStoreUrl: expect.stringMatching(/^esdb:\/\/carillon:.+@localhost:\d+\?tls=true&tlsCAFile=/),
      natsUrl: expect.stringMatching(/^nats:\/\/carillon:.+@127\.0\.0\.1:\d+$/),
      databaseUrl: expect.stringMatching(/^postgres:\/\//),
      account: {
        id: expect.stringMatching(/^usr_/),
        email: 'owner@example.test',
        password: expect.stringMatching(/^.{12,}$/),
      },
      apiToken: expect.stringMatching(/^carillon_pat_/),
      phones: [
        { id: expect.any(String), platform: 'ios', deviceId: expect.stringMatching(/^dev_/) },
        { id: expect.any(String), platform: 'android', deviceId: expect.stringMatching(/^dev_/) },
      ],
      pid,
    });
  });

  it('does not show a password or a token on the terminal', () => {
    const { account, apiToken } = house.state;
    expect(house.output()).not.toContain(account.password);
    expect(house.output()).not.toContain(apiToken);
  });

  it('has a first account whose token has every scope', async () => {
    const { status, body } = await house.api('GET', '/auth/status');
    expect(status).toBe(200);
    expect(body.token.scopes).toHaveLength(22);
  });

  it('has two phones that are devices of the first account', async () => {
    const { body } = await house.api('GET', '/devices');
    expect(body.devices.map((device: { id: string }) => device.id).sort()).toEqual(
      house.state.phones.map(({ deviceId }) => deviceId).sort(),
    );
    const { phone } = (await house.simulator('GET', `/phones/${house.phones.ios.id}`)).body;
    expect(phone.settings.liveActivities).toBe(true);
  });

  it('lets a second person sign up', async () => {
    const other = await house.anotherAccount();
    expect((await other.api('GET', '/devices')).body.devices).toEqual([]);
    expect(other.id).not.toBe(house.owner.id);
  });

  it('refuses a second start beside it', () => {
    const second = spawnSync(process.execPath, [standaloneMain], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', CARILLON_DATA: data, PORT: '0', SIMULATOR_PORT: '0' },
    });
    expect(second.status).toBe(1);
    expect(second.stderr).toContain(`running already on ${data} (process ${house.state.pid})`);
  });

  it('keeps its data, its addresses and its credentials when it is stopped and started', async () => {
    const before = house.state;
    const parts = house.childPids();
    await house.stop('SIGINT');
    expect(existsSync(stateFile)).toBe(false);
    expect(parts.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    await house.start();
    expect({ ...house.state, pid: 0 }).toEqual({ ...before, pid: 0 });
    expect((await house.api('GET', '/auth/status')).status).toBe(200);
    expect((await house.api('GET', '/devices')).body.devices).toHaveLength(2);
    expect((await house.session('GET', '/me')).body.account.email).toBe('owner@example.test');
  });

  it('starts again after it was killed, and nothing of it was left behind', async () => {
    const before = house.state;
    await house.kill9();
    await house.start();
    expect({ ...house.state, pid: 0 }).toEqual({ ...before, pid: 0 });
    expect((await house.api('GET', '/devices')).body.devices).toHaveLength(2);
  });

  it('has a clock that tests can move', async () => {
    const now = await house.advance(3600);
    expect(Date.parse(now)).toBeGreaterThan(Date.now() + 3_590_000);
    // The phones' with it.
    expect((await house.simulator('GET', '/clock')).body.aheadSeconds).toBe(3600);
  });

  it('stays up when a part dies, and is ready again', async () => {
    house.expectLog(/.*/);
    const nats = (
      JSON.parse(readFileSync(join(data, 'children.json'), 'utf8')) as { part: string; pid: number }[]
    ).find(({ part }) => part === 'nats')!;
    process.kill(nats.pid, 'SIGKILL');
    await eventually(
      () => (house.output().includes('nats           ended (SIGKILL)') ? true : undefined),
      () => 'nobody noticed',
    );
    await eventually(
      async () => ((await house.http('GET', '/healthz/ready')).status === 200 ? true : undefined),
      () => 'it was not ready again',
      20_000,
    );
    expect((await house.api('GET', '/devices')).status).toBe(200);
  });
});
