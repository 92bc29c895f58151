import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, House, HouseAccount, runTool, startHouse } from '@carillon/testkit';
import pg from 'pg';

const folder = mkdtempSync(join(tmpdir(), 'carillon-backup-'));
const [file, keys, list, restored] = [
  'backup.tar.gz',
  'backup.tar.gz.keys.json',
  'deleted-accounts',
  'restored',
].map((name) => join(folder, name)) as [string, string, string, string];
let house: House;
let again: House | undefined;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  house.ignorePushes();
}, 120_000);
afterAll(async () => {
  await house?.close();
  await again?.close();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const run = (tool: string, ...options: string[]) => runTool(house.dataDir, tool, options);

async function read(from: House, statement: string, values: readonly string[]): Promise<unknown[]> {
  const database = new pg.Client({ connectionString: from.state.databaseUrl });
  await database.connect();
  try {
    return (await database.query(statement, [...values])).rows;
  } finally {
    await database.end();
  }
}

/** The accounts of the first house, in another house. */
const sameIn = (other: House, { id, email, password, apiToken }: HouseAccount): HouseAccount =>
  new HouseAccount(other, id, email, password, apiToken);

async function inboxOf(agent: HouseAccount): Promise<{ id: string; title: string; readAt: string | null }[]> {
  const items = [];
  for (let cursor = ''; ;) {
    const { status, body } = await agent.api('GET', `/inbox/notifications?limit=100${cursor}`);
    if (status !== 200) throw new Error(`the inbox answered ${status}: ${JSON.stringify(body)}`);
    items.push(...body.items);
    if (body.nextCursor === null) return items;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

const unreadOf = async (agent: HouseAccount): Promise<number> =>
  (await agent.api('GET', '/inbox/projects')).body.totalUnread;

it('a backup taken under load holds all that was acknowledged before its position, and nothing else is needed', async () => {
  const kept = await house.anotherAccount('Kept');
  const leaver = await house.anotherAccount('Leaver');
  await leaver.api('POST', '/notifications', { body: { title: 'private', body: 'of the leaver' } });
  const { webhookUrl } = (await kept.api('POST', '/services', { body: { title: 'Builds' } })).body;
  const hook = new URL(webhookUrl).pathname;
  const ofLeaver = (await leaver.api('POST', '/services', { body: { title: 'Builds' } })).body;
  const leaversHook = new URL(ofLeaver.webhookUrl).pathname;

  const acknowledged: { title: string; position: bigint }[] = [];
  let stop = false;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let n = 0; !stop; n += 1) {
      const title = `client ${client} number ${n}`;
      const sent = await kept.api('POST', '/notifications', { body: { title, body: 'x' } });
      if (sent.status !== 201) throw new Error(`a send was answered ${sent.status}`);
      acknowledged.push({ title, position: BigInt(sent.headers.get('carillon-position') ?? '') });
      if (n % 5 > 0) continue;
      const [item] = (await kept.api('GET', '/inbox/notifications?limit=1&unread=true')).body.items;
      if (item) await kept.api('POST', `/inbox/notifications/${item.id}/read`);
    }
  });
  const enough = (count: number): Promise<unknown> =>
    eventually(
      () => acknowledged.length >= count || undefined,
      () => 'too little was acknowledged',
      60_000,
    );
  await enough(60);
  const backup = await run('backup', `--out=${file}`);
  expect(backup).toMatchObject({ status: 0 });
  await enough(acknowledged.length + 40);
  stop = true;
  await Promise.all(clients);
  const position = BigInt(JSON.parse(backup.stdout).position);
  const before = acknowledged.filter((each) => each.position <= position).map(({ title }) => title);
  expect(before.length).toBeGreaterThanOrEqual(60);
  expect(before.length).toBeLessThan(acknowledged.length);

  // The log is in one file, what opens it in another.
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(execFileSync('tar', ['-tzf', file], { encoding: 'utf8' })).toBe('manifest.json\ndata.mdb\n');
  expect(JSON.parse(backup.stdout)).toMatchObject({ file, keys });
  expect(backup.stderr).toContain(`Keep ${keys} apart from ${file}`);
  expect(statSync(keys).mode & 0o777).toBe(0o600);
  expect(readFileSync(keys, 'utf8')).toBe(readFileSync(join(house.dataDir, 'secrets.json'), 'utf8'));
  expect(existsSync(list)).toBe(true);
  // The account is deleted after the backup was made: its key goes, and its id is noted beside the backup.
  const inbox = async (from: House): Promise<string> =>
    JSON.stringify(
      await read(from, 'SELECT title, body FROM read_models.inbox_items WHERE account_id = $1', [leaver.id]),
    );
  expect(await inbox(house)).toContain('of the leaver');
  expect(await house.admin('account', 'delete', `--id=${leaver.id}`)).toMatchObject({ status: 0 });
  expect(readFileSync(list, 'utf8')).toBe(`${leaver.id}\n`);
  await eventually(
    async () => (await inbox(house)) === '[]' || undefined,
    () => 'the rows of the inbox were left',
  );
  expect((await leaver.api('GET', '/auth/status')).status).toBe(401);
  await expect(leaver.signIn()).rejects.toThrow(/401/);
  // Another account can use the address once its claim has expired, after a minute.
  await house.advance(61);
  const { body: newcomer } = await house.http('POST', '/api/session/signup', {
    body: { email: leaver.email, name: 'Another', password: 'another good password', client: 'app' },
  });
  expect(newcomer.account.id).not.toBe(leaver.id);
  // Of one who came after the backup it knows nothing.
  expect(await house.admin('account', 'delete', `--id=${newcomer.account.id}`)).toMatchObject({ status: 0 });
  await house.stop();

  const restoring = await run('restore', `--in=${file}`, `--data=${restored}`);
  expect(restoring).toMatchObject({ status: 0 });
  expect(JSON.parse(restoring.stdout)).toMatchObject({ position: String(position), deletedAccounts: 2 });
  again = new House({ dataDir: restored, limits: 'off' });
  again.ignorePushes();
  await again.start();

  const here = sameIn(again, kept);
  const items = await inboxOf(here);
  const titles = items.map(({ title }) => title);
  expect(before.filter((title) => !titles.includes(title))).toEqual([]);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  const unread = items.filter(({ readAt }) => readAt === null).length;
  expect(unread).toBeLessThan(items.length);
  expect(await unreadOf(here)).toBe(unread);
  // Secrets: a password, an API token and the URL of a service, as they were.
  expect(await here.signIn()).toMatch(/^carillon_/);
  expect((await again.http('POST', hook, { body: { title: 'built', body: 'again' } })).status).toBe(200);
  expect(
    (await here.api('POST', '/notifications', { body: { title: 'on it goes', body: 'x' } })).status,
  ).toBe(201);

  // Its text is in the log of the backup, and its key is not any more.
  const then = again;
  await eventually(
    async () => (await inbox(then)) === '[]' || undefined,
    () => 'the rows of the inbox were rebuilt',
  );
  await expect(sameIn(again, leaver).signIn()).rejects.toThrow(/401/);
  // Nor does what the backup has of it still lead anywhere: the start has deleted the account again.
  expect((await sameIn(again, leaver).api('GET', '/auth/status')).status).toBe(401);
  expect((await again.http('POST', leaversHook, { body: { title: 'built', body: 'x' } })).status).toBe(404);
  expect(existsSync(join(restored, 'deletions-pending'))).toBe(false);
}, 240_000);

it('a restore overwrites nothing, and needs the keys and the list of deleted accounts', async () => {
  const full = join(folder, 'full');
  mkdirSync(full);
  writeFileSync(join(full, 'something'), '');
  expect(await run('restore', `--in=${file}`, `--data=${full}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not empty'),
  });
  const other = join(folder, 'other');
  const others = join(folder, 'others.json');
  expect(await run('restore', `--in=${file}`, `--keys=${others}`, `--data=${other}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('others.json is not there'),
  });
  writeFileSync(others, '{}');
  expect(await run('restore', `--in=${file}`, `--keys=${others}`, `--data=${other}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not what the backup was made with'),
  });
  rmSync(list);
  expect(await run('restore', `--in=${file}`, `--data=${other}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('names the accounts that were deleted'),
  });
  expect(existsSync(other)).toBe(false);
  expect(await run('backup', `--out=${file}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is there already'),
  });
  const next = join(folder, 'next.tar.gz');
  expect(await run('backup', `--out=${next}`, `--keys=${keys}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`${keys} is there already`),
  });
  expect(existsSync(next)).toBe(false);
}, 60_000);
