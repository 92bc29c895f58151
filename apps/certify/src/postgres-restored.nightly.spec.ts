import {
  type ArchivingPostgres,
  eventually,
  House,
  type HouseAccount,
  onCall,
  reachable,
  type ReceivedReply,
  startArchivingPostgres,
} from '@carillon/testkit';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { differingTables, rowsOf } from './rows';

const folder = mkdtempSync(join(tmpdir(), 'carillon-restored-'));
const record = join(folder, 'providers.jsonl');
let postgres: ArchivingPostgres;
let house: House;

beforeAll(async () => {
  postgres = await startArchivingPostgres();
  house = new House({
    limits: 'off',
    receivers: true,
    env: { DATABASE_URL: postgres.url, SIMULATOR_RECORD: record },
  });
  house.ignorePushes();
  await house.start();
}, 120_000);
afterAll(async () => {
  await house?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const ok = async (answering: ReturnType<House['http']>): Promise<any> => {
  const { status, body } = await answering;
  if (status < 200 || status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};

const send = (title: string, by: HouseAccount = house.owner): Promise<unknown> =>
  ok(by.api('POST', '/notifications', { body: { title, body: 'x', projectId: 'builds' } }));

interface Prompt {
  readonly id: string;
  readonly actionDigest: string;
}
const ask = async (title: string): Promise<Prompt> => {
  const body = { kind: 'approval', title, prompt: 'Deploy main?', expiresInSeconds: 3_600 };
  return (await ok(house.api('POST', '/interactions', { body }))).interaction;
};
const approve = ({ id, actionDigest }: Prompt): Promise<unknown> =>
  ok(house.session('POST', `/prompts/${id}/answer`, { body: { answer: 'approved', actionDigest } }));

const refuse = (match: { provider: 'apns' | 'fcm' } | { phoneId: string }): Promise<unknown> =>
  ok(house.simulator('POST', '/faults', { match, effect: { status: 503 } }));
const refuseNothing = (): Promise<unknown> => ok(house.simulator('DELETE', '/faults'));

/** How often the providers accepted each push for each phone; what only clears a phone's screen does not count. */
function rung(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of readFileSync(record, 'utf8').split('\n').filter(Boolean)) {
    const { phoneId, verdict, payload } = JSON.parse(line);
    const { carillon, data, aps } = payload;
    const { type, id, activityId, escalationStep, seq, title } = carillon ?? data ?? {};
    if (verdict.status !== 200 || type === 'withdraw') continue;
    const what = aps?.['content-state']
      ? ['activity', aps.event, aps['content-state'].sequence]
      : [type ?? 'notification', title ?? aps?.alert?.title, id ?? activityId, escalationStep, seq];
    const key = [...what, phoneId].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const twice = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].flatMap(([what, count]) => (count > 1 ? [`${what}: ${count} times`] : []));

/** The ids of all published events. */
async function published(): Promise<string[]> {
  const { host, username: user, password: pass } = new URL(house.state.natsUrl);
  const connection = await connect({ servers: host, user, pass });
  try {
    const { streams } = await jetstreamManager(connection);
    const { state } = await streams.info('EVT');
    const ids = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1)
      ids.push((await streams.getMessage('EVT', { seq }))!.header.get('Nats-Msg-Id'));
    return ids;
  } finally {
    await connection.close();
  }
}

it('a Postgres of yesterday catches up with the log: nothing is lost, nothing is done twice', async () => {
  const receiver = await house.receiver();
  const replies: ReceivedReply[] = [];
  const told = (prompt: Prompt): number => {
    replies.push(...receiver.received());
    return replies.filter(({ body }) => body.data.interaction.id === prompt.id).length;
  };
  const isTold = (prompt: Prompt, count: number): Promise<true> =>
    eventually(
      () => told(prompt) === count || undefined,
      () => `the receiver was told ${told(prompt)} times, not ${count}`,
    );
  const [ann, ben] = [await reachable(house, 'Ann'), await reachable(house, 'Ben')];
  await ann.account.addPhone('android');
  const { teamId, groupId } = await onCall(house, [ann.account, ben.account], {
    turns: [ann.account, ben.account],
  });
  const escalation = [{ afterMinutes: 1, target: 'next' }];
  await ok(ann.account.api('PATCH', `/oncall/${groupId}`, { body: { escalation } }));
  const reader = await house.anotherAccount('Reader');
  const leaver = await house.anotherAccount('Leaver');
  await ok(house.api('POST', '/webhooks', { body: { name: 'Bot', url: receiver.url, isDefault: true } }));
  const { webhookUrl, service } = await ok(house.api('POST', '/services', { body: { title: 'Builds' } }));
  const token = await ok(
    house.session('POST', '/tokens', { body: { name: 'gone', scopes: ['inbox:read'] } }),
  );

  // What is there, and under way, when the backup is taken.
  await send('before');
  await send('private', leaver);
  const early = await ask('early');
  await approve(early);
  await isTold(early, 1);
  const [late, never, retried] = [await ask('late'), await ask('never'), await ask('retried')];
  receiver.says({ status: 500 });
  await approve(retried);
  await isTold(retried, 1);
  receiver.says({});
  const { activity } = await ok(
    house.api('POST', '/activities', { body: { key: 'build', props: { title: 'Build', status: 'step 1' } } }),
  );
  const { page } = await ok(ann.account.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Down' } }));
  await refuse({ provider: 'apns' });
  await refuse({ provider: 'fcm' });
  await Promise.all([send('held on both phones'), send('held on one phone', ann.account)]);
  await postgres.backUp();

  // Written between the backup and the moment to which Postgres is set back.
  await ok(
    house.api('PATCH', `/activities/${activity.id}`, {
      body: { props: { title: 'Build', status: 'step 2' } },
    }),
  );
  await Promise.all(Array.from({ length: 40 }, (_, n) => send(`yesterday ${n}`, reader)));
  await postgres.mark('last_night');

  // Of this, the restored Postgres knows nothing: what was under way ends, and more is written.
  await refuseNothing();
  await refuse({ phoneId: ann.phone.id });
  await house.advance(120);
  await isTold(retried, 2);
  await approve(late);
  await isTold(late, 1);
  await Promise.all(Array.from({ length: 40 }, (_, n) => send(`today ${n}`, reader)));
  const {
    items: [item],
    readThroughToken,
  } = await ok(reader.api('GET', '/inbox/notifications?limit=1'));
  await ok(reader.api('POST', '/inbox/notifications/read-all', { body: { readThroughToken } }));
  await ok(reader.api('POST', `/inbox/notifications/${item.id}/unread`, { body: {} }));
  const today = await ask('today');
  await approve(today);
  await isTold(today, 1);
  await ok(
    house.api('PATCH', `/activities/${activity.id}`, {
      body: { props: { title: 'Build', status: 'step 3' } },
    }),
  );
  await ok(ben.account.session('POST', `/pages/${page.id}/acknowledge`, { body: {} }));
  await ok(house.session('DELETE', `/tokens/${token.token.id}`));
  await ok(house.api('POST', `/services/${service.id}/rotate`, { body: {} }));
  expect(await house.admin('account', 'delete', `--id=${leaver.id}`)).toMatchObject({ status: 0 });
  expect((await house.admin('accounts', 'deleted')).stdout).toBe(`${leaver.id}\n`);
  await send('after');
  await house.advance(30);

  const paths = [
    '/inbox/notifications?limit=100',
    '/inbox/projects',
    '/activity-feed',
    '/services',
    '/webhooks',
  ];
  const answers = async (): Promise<unknown[]> => {
    const all = [];
    for (const who of [house.owner, reader, ann.account, ben.account])
      for (const path of [...paths, `/teams/${teamId}/pages`, `/activities/${activity.id}`]) {
        const { status, body } = await who.api('GET', path);
        // The token names the moment of the request.
        all.push([who.email, path, status, { ...body, readThroughToken: undefined }]);
      }
    return all;
  };
  const before = await answers();
  const rungBefore = rung();
  expect(twice(rungBefore)).toEqual([]);
  const publishedBefore = await published();

  for (const time of ['for the first time', 'and once more']) {
    await house.kill9();
    await postgres.restore('last_night');
    await house.start();
    expect([time, await answers()]).toEqual([time, before]);
    // All that fell due meanwhile is done now, if it is done at all.
    await house.advance(60);
    expect([time, twice(rung())]).toEqual([time, []]);
    expect([early, late, today].map(told)).toEqual([1, 1, 1]);
    expect(told(retried)).toBe(2);
    expect((await house.http('GET', '/api/agent/auth/status', { token: token.secret })).status).toBe(401);
    expect((await house.http('POST', new URL(webhookUrl).pathname, { body: { title: 'x' } })).status).toBe(
      404,
    );
    await expect(leaver.signIn()).rejects.toThrow(/401/);
  }
  const rungSince = [...rung().keys()].filter((what) => !rungBefore.has(what));
  expect(rungSince).toEqual([expect.stringContaining('held on one phone')]);

  // It goes on from there.
  await send('the day after');
  await house.advance(3_600);
  await isTold(never, 1);
  await eventually(
    async () => (await published()).length > publishedBefore.length || undefined,
    () => 'not published',
  );
  const all = await published();
  expect(all.slice(0, publishedBefore.length)).toEqual(publishedBefore);
  expect(new Set(all).size).toBe(all.length);
  expect(twice(rung())).toEqual([]);
  await pause(1_500);
  const restored = await rowsOf(postgres.url);
  await house.stop();
  await house.start({}, ['--new-rows']);
  await pause(1_500);
  expect(differingTables(restored, await rowsOf(postgres.url))).toEqual([]);
}, 300_000);
