import {
  checkout,
  eventually,
  findProgram,
  freePort,
  type House,
  type HouseAccount,
  onCall,
  reachable,
  type Reachable,
  startHouse,
} from '@carillon/testkit';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let house: House;
let creator: HouseAccount;
let ann: Reachable;
let teamId: string;
let serviceId: string;
let alertmanager: Alertmanager;
beforeAll(async () => {
  const program = await findProgram({
    what: 'Alertmanager',
    names: ['prometheus-alertmanager', 'alertmanager'],
    packages: ['prometheus-alertmanager'],
  });
  house = await startHouse();
  ann = await reachable(house, 'Ann');
  creator = await house.anotherAccount('Creator');
  const group = await onCall(house, [ann.account, creator]);
  ({ teamId } = group);
  const { body } = await creator.api('POST', '/services', {
    body: { title: 'Alertmanager', preset: 'alertmanager', oncallGroupId: group.groupId },
  });
  serviceId = body.service.id;
  alertmanager = await Alertmanager.start(program, body.webhookUrl);
}, 300_000);
afterAll(async () => {
  await alertmanager?.stop();
  await house?.close();
}, 90_000);

/** The configuration of the documentation, with this URL instead of its own. */
function configuration(url: string): string {
  const page = readFileSync(join(checkout, 'docs/integrations/alertmanager.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  const own = 'http://127.0.0.1:8080/hooks/carillon_hook_…';
  expect(yaml).toContain(own);
  return yaml.replace(own, url);
}

/** Debian's Alertmanager, with a folder of its own. */
class Alertmanager {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly folder: string,
  ) {}

  static async start(program: string, webhookUrl: string): Promise<Alertmanager> {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-alertmanager-'));
    const file = join(folder, 'alertmanager.yml');
    writeFileSync(file, configuration(webhookUrl));
    const url = `http://127.0.0.1:${await freePort()}`;
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=${url.slice('http://'.length)}`,
        '--cluster.listen-address=',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let told = '';
    child.stderr?.on('data', (data) => (told += String(data)));
    await eventually(
      async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok || undefined,
      () => `Alertmanager is not ready: ${told.slice(-2_000)}`,
      60_000,
    );
    return new Alertmanager(child, url, folder);
  }

  /** Tells it of an alert, as Prometheus does. */
  async alert(alertname: string, more: { startsAt: string; endsAt?: string }): Promise<void> {
    const { status } = await fetch(`${this.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([
        {
          labels: { alertname, severity: 'critical' },
          annotations: { summary: `${alertname} of db-1` },
          ...more,
        },
      ]),
    });
    expect(status).toBe(200);
  }

  /** How many requests to the webhook have failed. */
  async failures(): Promise<number> {
    const metrics = await (await fetch(`${this.url}/metrics`)).text();
    const failed =
      /^alertmanager_notification_requests_failed_total\{[^}]*integration="webhook"[^}]*\} (\d+)/m;
    return Number(failed.exec(metrics)?.[1] ?? 0);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill();
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const pages = async (): Promise<string[]> =>
  (await creator.api('GET', `/teams/${teamId}/pages`)).body.pages.map(
    ({ title, status, repeatCount }: any) => `${title} ${status} ${repeatCount}`,
  );
const events = async (): Promise<string[]> =>
  (await creator.api('GET', `/events?serviceId=${serviceId}`)).body.events.map(({ title }: any) => title);

/** Waits for the pages and the events that there are. Groups come on their own: either of two may be first. */
const comes = async (expected: { pages: readonly string[]; events: readonly string[] }): Promise<void> => {
  let found: object = {};
  const wanted = JSON.stringify({ pages: [...expected.pages].sort(), events: [...expected.events].sort() });
  await eventually(
    async () => {
      found = { pages: (await pages()).sort(), events: (await events()).sort() };
      return JSON.stringify(found) === wanted || undefined;
    },
    () => `there is ${JSON.stringify(found)}`,
    90_000,
  );
};
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

describe('Alertmanager', () => {
  it('opens a page that rings, and resolves it', async () => {
    const startsAt = ago(60);
    await alertmanager.alert('DiskFull', { startsAt });
    await comes({ pages: ['Firing: DiskFull triggered 0'], events: ['Firing: DiskFull'] });
    const [push] = await house.expectPushes(ann.phone, 1);
    expect(push).toMatchObject({ payload: { carillon: { type: 'page' } } });
    await alertmanager.alert('DiskFull', { startsAt, endsAt: ago(1) });
    await comes({
      pages: ['Firing: DiskFull resolved 0'],
      events: ['Resolved: DiskFull', 'Firing: DiskFull'],
    });
    await house.expectPushes(ann.phone, 1);
  }, 240_000);

  it('loses nothing and tells nothing twice while Carillon is down for a minute', async () => {
    const startsAt = ago(60);
    await alertmanager.alert('Slow', { startsAt });
    await comes({
      pages: ['Firing: Slow triggered 0', 'Firing: DiskFull resolved 0'],
      events: ['Firing: Slow', 'Resolved: DiskFull', 'Firing: DiskFull'],
    });
    await house.expectPushes(ann.phone, 1);

    await house.kill9();
    const downAt = Date.now();
    const before = await alertmanager.failures();
    await alertmanager.alert('Slow', { startsAt, endsAt: ago(1) });
    await alertmanager.alert('NoBackup', { startsAt });
    await eventually(
      async () => ((await alertmanager.failures()) > before + 2 && Date.now() - downAt > 60_000) || undefined,
      () => 'Alertmanager has not tried to reach Carillon',
      120_000,
    );
    await house.start();

    await comes({
      pages: ['Firing: NoBackup triggered 0', 'Firing: Slow resolved 0', 'Firing: DiskFull resolved 0'],
      events: [
        'Firing: NoBackup',
        'Resolved: Slow',
        'Firing: Slow',
        'Resolved: DiskFull',
        'Firing: DiskFull',
      ],
    });
    await house.expectPushes(ann.phone, 2);
    await alertmanager.alert('NoBackup', { startsAt, endsAt: ago(1) });
    await eventually(
      async () => (await pages()).every((page) => page.includes(' resolved ')) || undefined,
      () => 'a page is not resolved',
      90_000,
    );
    await house.expectPushes(ann.phone, 1);
  }, 360_000);
});
