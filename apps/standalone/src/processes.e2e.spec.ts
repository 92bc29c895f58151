import { eventually, House } from '@carillon/testkit';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newestTried } from './node-versions';

const folder = mkdtempSync(join(tmpdir(), 'carillon-node-'));
let house: House;

/** The program of the npm package `node` of this version, for this machine. */
async function nodeOf(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const args = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    `--prefix=${folder}`,
    `${name}@${version}`,
  ];
  await promisify(execFile)('npm', args, { cwd: folder });
  return join(folder, 'node_modules', name, 'bin/node');
}

beforeAll(async () => {
  const node = await nodeOf(newestTried);
  house = new House({
    node,
    args: ['--processes=2'],
    clock: 'system',
    limits: 'off',
    env: { LOG_LEVEL: 'warn' },
  });
  await house.start();
}, 240_000);
afterAll(async () => {
  await house?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const followers = (): number | undefined =>
  (
    JSON.parse(readFileSync(join(house.dataDir, 'children.json'), 'utf8')) as { part: string; pid: number }[]
  ).find(({ part }) => part === 'followers')?.pid;

/** The newest item of the inbox. */
async function newest(): Promise<string> {
  const { status, body } = await house.api('GET', '/inbox/notifications?limit=1');
  expect(status).toBe(200);
  return body.items[0].title;
}

async function send(title: string): Promise<void> {
  const { status } = await house.api('POST', '/notifications', { body: { title, body: 'Seen' } });
  expect(status).toBe(201);
  await house.expectPushes(house.phones.ios, 1);
  await house.expectPushes(house.phones.android, 1);
}

describe('a standalone of two processes, on the newest Node that it was tried with', () => {
  it('has the services that follow the log most in the second, and shows the metrics of both', async () => {
    await send('One');
    expect(await newest()).toBe('One');
    expect(Object.keys(house.state.metricsUrls ?? {})).toEqual(['main', 'followers']);
    const [main, second] = await Promise.all(house.metricsUrls.map(async (url) => (await fetch(url)).text()));
    const of = (text = ''): string[] => [
      /^nodejs_version_info{version="([^"]+)"/m.exec(text)![1]!,
      ...new Set(
        [...text.matchAll(/^carillon_projection_current{service="([^"]+)"/gm)].map(([, name]) => name!),
      ),
    ];
    expect(of(second).sort()).toEqual(['push', 'read-models', `v${newestTried}`, 'webhooks']);
    expect(of(main)).toEqual(expect.arrayContaining([`v${newestTried}`, 'accounts', 'notifications']));
    expect(of(main)).not.toContain('push');
  });

  it('starts the second again when it is killed, and loses nothing that came meanwhile', async () => {
    const before = followers();
    process.kill(before!, 'SIGKILL');
    await send('Two');
    // Its rows are behind for a moment, which a reader is told.
    await eventually(
      async () => (await house.api('GET', '/inbox/notifications?limit=1')).status === 200 || undefined,
      () => 'the inbox cannot be read',
    );
    expect(await newest()).toBe('Two');
    expect(followers()).not.toBe(before);
    await send('Three');
    expect(await newest()).toBe('Three');
  });

  it('leaves no process when it is stopped', async () => {
    const pid = followers()!;
    await house.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await house.start();
    await send('Four');
    expect(await newest()).toBe('Four');
  });
});
