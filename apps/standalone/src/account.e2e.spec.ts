import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';
import pg from 'pg';

const folder = mkdtempSync(join(tmpdir(), 'carillon-account-'));
let house: House;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  house.ignorePushes();
}, 120_000);
afterAll(async () => {
  await house?.close();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const ok = ({ status, body }: HouseAnswer): HouseAnswer['body'] => {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};
const admin = async (...words: string[]): Promise<string> => {
  const { status, stdout, stderr } = await house.admin(...words);
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

/** The tables of the whole database that contain a word. */
async function tablesWith(word: string): Promise<string[]> {
  const database = new pg.Client({ connectionString: house.state.databaseUrl });
  await database.connect();
  try {
    const { rows } = await database.query<{ name: string }>(
      `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE relkind IN ('r', 'p') AND NOT relispartition
         AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1`,
    );
    const found = [];
    for (const { name } of rows) {
      const text = `SELECT FROM ${name} t WHERE t::text ILIKE '%' || $1 || '%' LIMIT 1`;
      if ((await database.query(text, [word])).rowCount) found.push(name);
    }
    return found;
  } finally {
    await database.end();
  }
}

/** Says the word wherever an account can say one, alone and to others. Gives the secrets that it was told. */
async function sayEverywhere(who: HouseAccount, word: string, heir: HouseAccount): Promise<string[]> {
  const post = async (path: string, body: object) => ok(await who.api('POST', path, { body }));
  const familyId = await who.family(heir);
  await who.addPhone('ios', { name: `${word} phone`, liveActivities: true });
  await heir.addPhone('ios', { liveActivities: true });
  const { group } = await post(`/teams/${familyId}/groups`, { name: 'All', userIds: [who.id, heir.id] });
  const to = [{}, { deviceGroupId: group.id }];
  const link = `https://${word}.test/`;
  for (const where of to) {
    const project = { projectId: `plans-${to.indexOf(where)}`, projectName: word };
    await post('/notifications', { title: word, body: word, summary: word, url: link, ...project, ...where });
    await post('/interactions', { kind: 'yes_no', title: word, prompt: word, ...project, ...where });
    await post('/activities', { props: { title: word, url: link }, ...where });
  }
  const { service, webhookUrl } = await post('/services', { title: word, url: link });
  await post(`/services/${service.id}/share`, { familyId });
  ok(await house.http('POST', new URL(webhookUrl).pathname, { body: { title: word, body: word } }));
  const { signingSecret } = await post('/webhooks', { name: word, url: link });
  await post('/apps', { name: word, url: link, iconUrl: link });
  const made = await post('/connectors', {
    name: word,
    tunnelId: word,
    hostname: `${word}.test`,
    routes: [{ name: 'r', target: `http://${word}.internal/`, url: link }],
  });
  const token = await who.session('POST', '/tokens', {
    body: { name: word, scopes: ['inbox:read'] },
    token: await who.signIn(),
  });
  return [webhookUrl.split('/').at(-1), signingSecret, made.callbackSecret, ok(token).secret, who.apiToken];
}

it('an account is exported with all that it has said, and with no secret', async () => {
  const [ann, bob] = [await house.anotherAccount('Ann Pemba'), await house.anotherAccount('Bob')];
  const secrets = await sayEverywhere(ann, 'pemba', bob);
  const file = join(folder, 'ann.jsonl');
  const told = JSON.parse(await admin('account', 'export', `--email=${ann.email}`, `--out=${file}`));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(told).toMatchObject({ ok: true, id: ann.id, lines: lines.length });
  const saying = lines.filter(({ data }) => JSON.stringify(data).toLowerCase().includes('pemba'));
  expect([...new Set(saying.map(({ kind }) => kind))].sort()).toEqual([
    'account',
    'activity',
    'app',
    'audit_entry',
    'connector',
    'device',
    'event',
    'feed_item',
    'inbox_item',
    'prompt',
    'service',
    'service_event',
    'team',
    'token',
    'webhook',
  ]);
  expect(secrets.every((secret) => secret.length > 15)).toBe(true);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  // The hashes of an audit log are no secrets; what stands in the log of a password or a key is.
  const events = JSON.stringify(lines.filter(({ kind }) => kind === 'event'));
  expect(events).not.toMatch(/argon2|wrapped|Hash|sealed/);
  // It is in the log that somebody took it, and no file is written over.
  expect(await house.admin('account', 'export', `--id=${ann.id}`, `--out=${file}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('EEXIST'),
  });
  const other = join(folder, 'nobody.jsonl');
  expect(await house.admin('account', 'export', '--id=usr_0', `--out=${other}`)).toMatchObject({ status: 1 });
  expect(existsSync(other)).toBe(false);
});

it('what a deleted account has said stands in no row of anybody, and its team goes on', async () => {
  const [cid, dan] = [await house.anotherAccount('Cid Zanzibar'), await house.anotherAccount('Dan')];
  await sayEverywhere(cid, 'zanzibar', dan);
  const own = 'the words of Dan';
  ok(await dan.api('POST', '/notifications', { body: { title: own, body: own, projectId: 'mine' } }));
  const spoken = () => tablesWith('zanzibar');
  const before = [
    'accounts.accounts',
    'accounts.tokens',
    'activities.activities',
    'connectors.apps',
    'connectors.connectors',
    'interactions.prompts',
    'notifications.services',
    'push.devices',
    'read_models.events',
    'read_models.feed_activities',
    'read_models.feed_items',
    'read_models.feed_prompts',
    'read_models.inbox_items',
    'read_models.inbox_projects',
    'teams.audit_entries',
    'teams.devices',
    'teams.people',
    'webhooks.webhooks',
  ];
  await eventually(
    async () => (await spoken()).length >= before.length || undefined,
    () => 'the rows never came',
  );
  expect(await spoken()).toEqual(expect.arrayContaining(before));

  const { ended } = JSON.parse(await admin('account', 'delete', `--id=${cid.id}`));
  expect(ended.length).toBeGreaterThanOrEqual(6);
  let left: string[] = [];
  await eventually(
    async () => (left = await spoken()).length === 0 || undefined,
    () => `it is still said in ${left.join(', ')}`,
  );
  expect(await tablesWith(own)).toContain('read_models.inbox_items');

  expect((await cid.api('GET', '/auth/status')).status).toBe(401);
  await expect(cid.signIn()).rejects.toThrow(/401/);
  const { teams } = ok(await dan.api('GET', '/teams'));
  expect(teams).toMatchObject([{ role: 'owner', memberCount: 1 }]);
  const listed = (await admin('accounts', 'list'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(listed.find(({ id }) => id === cid.id)).toMatchObject({ email: null, name: null, state: 'deleted' });
  // Said again it has nothing more to do.
  expect(JSON.parse(await admin('account', 'delete', `--id=${cid.id}`))).toMatchObject({
    ok: true,
    ended: [],
  });
});

it('what a deleted account had asked others, and shows on their phones, ends with it', async () => {
  const [fay, gus] = [await house.anotherAccount('Fay'), await house.anotherAccount('Gus')];
  const familyId = await fay.family(gus);
  const phone = await gus.addPhone('ios', { liveActivities: true });
  const post = async (path: string, body: object) => ok(await fay.api('POST', path, { body }));
  const { group } = await post(`/teams/${familyId}/groups`, { name: 'All', userIds: [fay.id, gus.id] });
  const to = { deviceGroupId: group.id };
  const asked = { kind: 'yes_no', title: 'Of Fay', prompt: 'What Fay asks' };
  const prompts = [
    (await post('/interactions', { ...asked, ...to })).interaction,
    (await post('/interactions', { ...asked, ...to, presentation: 'live_activity' })).interaction,
  ];
  const { activity } = await post('/activities', { props: { title: 'Of Fay' }, ...to });
  const own = ok(await gus.api('POST', '/interactions', { body: { ...asked, ...to } })).interaction;
  const onPhone = async () => (await house.simulator('GET', `/phones/${phone.id}`)).body.phone;
  const shown = async () => {
    const { tray, activities } = await onPhone();
    return [
      ...tray.map(({ promptId }: { promptId: string }) => promptId),
      ...activities.filter(({ state }: { state: string }) => state === 'active'),
    ];
  };
  await eventually(
    async () => (await shown()).length === 4 || undefined,
    () => 'the phone never showed all',
  );
  const read = async (id: string) => ok(await gus.session('GET', `/prompts/${id}`)).interaction;
  expect(await read(prompts[0].id)).toMatchObject({ title: 'Of Fay', prompt: 'What Fay asks' });

  const { ended } = JSON.parse(await admin('account', 'delete', `--id=${fay.id}`));
  expect(ended).toEqual(expect.arrayContaining([...prompts.map(({ id }) => id), activity.id]));
  expect(ended).not.toContain(own.id);
  await eventually(
    async () => (await shown()).join() === own.id || undefined,
    () => 'the phone keeps it',
  );
  for (const { id, actionDigest } of prompts) {
    const answer = { body: { answer: 'yes', actionDigest } };
    expect(await gus.session('POST', `/prompts/${id}/answer`, answer)).toMatchObject({
      status: 409,
      body: { code: 'INTERACTION_NOT_PENDING', status: 'canceled' },
    });
    expect(await read(id)).toMatchObject({ status: 'canceled', title: '', prompt: '', sourceName: '' });
  }
  expect(await read(own.id)).toMatchObject({ status: 'pending', title: 'Of Fay' });
});

it('a deletion that is killed in between goes on when it is repeated', async () => {
  const [hal, ivy] = [await house.anotherAccount('Hal'), await house.anotherAccount('Ivy')];
  const familyId = await hal.family(ivy);
  const phone = await ivy.addPhone('ios');
  const { group } = ok(
    await hal.api('POST', `/teams/${familyId}/groups`, { body: { name: 'All', userIds: [hal.id, ivy.id] } }),
  );
  const body = { kind: 'yes_no', title: 'Of Hal', prompt: 'What Hal asks', deviceGroupId: group.id };
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1)
    ids.push(ok(await hal.api('POST', '/interactions', { body })).interaction.id);
  const tray = async () => (await house.simulator('GET', `/phones/${phone.id}`)).body.phone.tray;
  await eventually(
    async () => (await tray()).length === ids.length || undefined,
    () => 'the phone never showed all',
  );
  const statuses = () =>
    Promise.all(ids.map(async (id) => ok(await ivy.session('GET', `/prompts/${id}`)).interaction.status));

  const tool = spawn(process.execPath, ['tools/admin.mjs', 'account', 'delete', `--id=${hal.id}`], {
    env: { ...process.env, NODE_OPTIONS: '', CARILLON_DATA: house.dataDir, NATS_URL: '' },
    stdio: 'ignore',
  });
  const over = once(tool, 'exit');
  await eventually(
    async () => (await statuses()).includes('canceled') || undefined,
    () => 'the deletion never began',
  );
  tool.kill('SIGKILL');
  await over;

  expect(JSON.parse(await admin('account', 'delete', `--id=${hal.id}`))).toMatchObject({ ok: true });
  expect(new Set(await statuses())).toEqual(new Set(['canceled']));
  await eventually(
    async () => (await tray()).length === 0 || undefined,
    () => 'the phone keeps a prompt',
  );
  await eventually(
    async () => (await tablesWith('What Hal asks')).length === 0 || undefined,
    () => 'the text is still in a row',
  );
});

it('a new key of the installation replaces the old one, and data sealed with the old one stays readable', async () => {
  const eve = await house.anotherAccount('Eve Mafia');
  const secrets = join(house.dataDir, 'secrets.json');
  const change = async (how: 'add' | 'use'): Promise<string[]> =>
    JSON.parse(await admin('keys', how, `--file=${secrets}`)).keys;
  await house.stop();
  const added = await change('add');
  expect(await change('add')).toEqual(added);
  const [first, second] = added as [string, string];
  expect(await change('use')).toEqual([second, first]);
  await house.start();
  const { keys } = JSON.parse(await admin('keys', 'list'));
  expect(new Set(keys.map((known: object) => JSON.stringify({ ...known, service: '' })))).toEqual(
    new Set([JSON.stringify({ service: '', sealsWith: second, opensWith: [second, first] })]),
  );

  const rotated = JSON.parse(await admin('keys', 'rotate'));
  expect(rotated).toMatchObject({ ok: true, key: second, broken: 0 });
  expect(rotated.rewrapped).toBeGreaterThan(1);
  expect(JSON.parse(await admin('keys', 'rotate'))).toEqual({ ...rotated, rewrapped: 0 });
  const file = join(folder, 'eve.jsonl');
  await admin('account', 'export', `--id=${eve.id}`, `--out=${file}`);
  expect(readFileSync(file, 'utf8')).toMatch(/"type":"AccountOpened".*Eve Mafia/);
});
