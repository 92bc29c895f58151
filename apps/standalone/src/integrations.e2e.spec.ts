import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkout,
  findProgram,
  type House,
  onCall,
  type Reachable,
  reachable,
  startHouse,
} from '@carillon/testkit';
import { load } from 'js-yaml';

let house: House;
let ann: Reachable;
let groupId: string;
beforeAll(async () => {
  house = await startHouse({ readyWithinMs: 240_000 });
  ann = await reachable(house, 'Ann');
  ({ groupId } = await onCall(house, [ann.account]));
}, 300_000);
afterAll(() => house?.close(), 90_000);

const pushes = async (count: number): Promise<any[]> =>
  (await house.expectPushes(ann.phone, count)).map(({ payload }) => payload);

describe('the Apprise plugin', () => {
  const home = mkdtempSync(join(tmpdir(), 'carillon-apprise-'));
  let program: string;
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  beforeAll(async () => {
    const file = 'carillon.py';
    cpSync(join(checkout, 'integrations/apprise', file), join(home, '.apprise/plugins', file));
    program = await findProgram({ what: 'Apprise', names: ['apprise'], packages: ['apprise'] });
  }, 300_000);

  const apprise = (...args: readonly string[]): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      const child = execFile(
        program,
        ['-v', ...args],
        { env: { ...process.env, HOME: home, LC_ALL: 'C.UTF-8' } },
        (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
      );
    });
  const urlWith = (credential: string, options = ''): string =>
    `carillon://${credential}@${new URL(house.state.baseUrl).host}/${options}`;
  const newest = async (): Promise<any> =>
    (await ann.account.api('GET', '/inbox/notifications')).body.items[0];

  it('sends a notification with a token', async () => {
    const { code, output } = await apprise(
      ...['-t', 'Backup finished', '-b', 'three files\n"2 GB"'],
      urlWith(ann.account.apiToken, '?project=backup&url=https%3A%2F%2Fnas.example.test%2F%3Fday%3D1'),
    );
    expect([code, output]).toEqual([0, '']);
    expect(await pushes(1)).toMatchObject([
      {
        aps: { alert: { title: 'Backup finished', body: 'three files\n"2 GB"' } },
        carillon: { type: 'notification', url: 'https://nas.example.test/?day=1' },
      },
    ]);
    expect(await newest()).toMatchObject({ title: 'Backup finished', projectId: 'backup' });
  });

  it('sends to the URL of a service with its secret', async () => {
    const made = await ann.account.api('POST', '/services', { body: { title: 'NAS' } });
    const secret = new URL(made.body.webhookUrl).pathname.split('/').at(-1)!;
    const { code } = await apprise(
      '-i',
      'markdown',
      '-b',
      'all **green**',
      urlWith(secret, '?format=markdown'),
    );
    expect(code).toBe(0);
    expect(await pushes(1)).toMatchObject([
      { aps: { alert: { title: 'all **green**', body: 'all green' } } },
    ]);
    expect(await newest()).toMatchObject({ sourceName: 'NAS' });
  });

  it('pages an on-call group', async () => {
    const { code } = await apprise(
      ...['-t', 'Disk full', '-b', 'on nas'],
      urlWith(ann.account.apiToken, `?oncall=${groupId}`),
    );
    expect(code).toBe(0);
    expect(await pushes(1)).toMatchObject([{ carillon: { type: 'page' } }]);
    const { pages } = (await ann.account.api('GET', '/oncall/me')).body;
    expect(pages).toMatchObject([{ title: 'Disk full', body: 'on nas', source: 'notification' }]);
    await ann.account.api('POST', `/pages/${pages[0].id}/resolve`);
    await pushes(1);
  });

  it('cuts what is longer than Carillon takes, and cleans what it refuses', async () => {
    const { code } = await apprise(
      '-t',
      't'.repeat(200),
      '-b',
      `\u{1b}[1mä${'b'.repeat(9000)}`,
      urlWith(ann.account.apiToken),
    );
    expect(code).toBe(0);
    await pushes(1);
    const { id } = await newest();
    const { body } = await ann.account.api('GET', `/inbox/notifications/${id}`);
    expect(body.title).toBe(`${'t'.repeat(119)}…`);
    expect(body.body).toMatch(/^\[1mäb+…$/);
    expect([...body.body]).toHaveLength(8000);
  });

  it('says why Carillon refuses, without the token', async () => {
    const other = ann.account.apiToken.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const { code, output } = await apprise('-b', 'hello', urlWith(other));
    expect(code).toBe(1);
    expect(output).toContain('401 TOKEN_INVALID');
    expect(output).not.toContain(other);
    const { output: unknown } = await apprise('-b', 'hello', urlWith(ann.account.apiToken, '?oncall=ocg_x'));
    expect(unknown).toContain('404 ONCALL_GROUP_NOT_FOUND');
  });
});

describe('the commands of Home Assistant', () => {
  const page = readFileSync(join(checkout, 'docs/integrations/home-assistant.md'), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) =>
    // The tag of Home Assistant that reads secrets.yaml.
    load(block!.replaceAll(/!secret (\w+)/g, '"!secret $1"')),
  ) as Record<string, any>[];
  const settings = Object.assign({}, ...blocks);

  /** Sends the request of a command, its template filled as Home Assistant does. */
  async function run(name: string, data: Readonly<Record<string, string>>) {
    const { url, method, content_type: type, headers, payload } = settings.rest_command[name];
    expect(headers).toEqual({ authorization: '!secret carillon_authorization' });
    const body = payload.replaceAll(/\{\{ (\w+) \| to_json \}\}/g, (_: string, field: string) =>
      JSON.stringify(data[field]),
    );
    expect(body).not.toContain('{{');
    const path = url.replace('http://127.0.0.1:8080', '').replace('ocg_…', groupId);
    return house.http(method.toUpperCase(), path, {
      body,
      headers: { 'content-type': type, authorization: `Bearer ${ann.account.apiToken}` },
    });
  }

  it('send a notification', async () => {
    const { status, body } = await run('carillon_notify', {
      title: 'Door',
      message: 'It is "open"\nsince 8',
    });
    expect([status, body.accepted]).toEqual([201, 1]);
    expect(await pushes(1)).toMatchObject([
      { aps: { alert: { title: 'Door', body: 'It is "open"\nsince 8' } } },
    ]);
  });

  it('page the on-call group once while the page is open', async () => {
    const [{ action, data }] = settings.automation[0].actions;
    const first = await run(action.replace('rest_command.', ''), data);
    expect(first).toMatchObject({ status: 201, body: { accepted: 1 } });
    expect(await pushes(1)).toMatchObject([{ carillon: { type: 'page' } }]);
    const second = await run(action.replace('rest_command.', ''), data);
    expect(second).toMatchObject({ status: 200, body: { deduplicated: true, accepted: 0 } });
    await ann.account.api('POST', `/pages/${first.body.page.id}/resolve`);
    await pushes(1);
  });
});
