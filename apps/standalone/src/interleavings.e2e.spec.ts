import { BusServer, type Bus } from '@carillon/bus';
import {
  type AnyProjection,
  Database,
  Log,
  Projection,
  type Partitioning,
  partitioningOf,
  selection,
} from '@carillon/event-store';
import { plus, type Recorded } from '@carillon/eventing';
import { sharedBus } from '@carillon/runtime';
import {
  eventually,
  type House,
  type HouseAccount,
  onCall,
  startHouse,
  startPostgres,
  type TestPostgres,
} from '@carillon/testkit';
import type { INestMicroservice, Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const interleavings = process.env['CARILLON_NIGHTLY'] === undefined ? 8 : 400;
/** How much of the log is applied. */
const shares = [0.25, 0.5, 0.75, 1];

/** The same numbers at each run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

let house: House;
let postgres: TestPostgres;
let bus: Bus;
const apps: INestMicroservice[] = [];
let events: Recorded[] = [];
let comparingMs = 0;
/** The partitioned projections of all services, each with a database that nothing else writes to. */
const projections: {
  readonly projection: AnyProjection;
  readonly database: Database;
  readonly partitioning: Partitioning;
}[] = [];

beforeAll(async () => {
  [house, postgres] = await Promise.all([startHouse({ limits: 'off', receivers: true }), startPostgres()]);
  house.ignorePushes();
  await tellStories();
  const { keys, pepper, callerKey, auditKey } = JSON.parse(
    readFileSync(join(house.dataDir, 'secrets.json'), 'utf8'),
  );
  Object.assign(process.env, {
    DATABASE_URL: postgres.url,
    NATS_URL: house.state.natsUrl,
    EVENTSTORE_URL: house.state.eventStoreUrl,
    CARILLON_KEYS: keys,
    CARILLON_PEPPER: pepper,
    CARILLON_CALLER_KEY: callerKey,
    CARILLON_AUDIT_KEY: auditKey,
    CARILLON_BASE_URL: house.state.baseUrl,
    CARILLON_CLOCK: 'manual',
    LOG_LEVEL: 'silent',
  });
  bus = await sharedBus.take();
  const { modules } = await import('./services');
  for (const [name, module] of Object.entries(modules)) await open(name, module);
  events = await everything(apps[0]!.get(Log));
  comparingMs = Date.now();
}, 240_000);
afterAll(async () => {
  for (const app of apps) await app.close();
  if (bus) await sharedBus.release();
  await postgres?.stop();
  await house?.close();
}, 120_000);

/** Makes the parts of a service without starting it. */
async function open(name: string, module: Type): Promise<void> {
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(module, {
    strategy: new BusServer(bus, name, () => {}),
    logger: false,
    abortOnError: false,
  });
  apps.push(app);
  const made = new Set(
    [...app.get(ModulesContainer).values()].flatMap((each) =>
      [...each.providers.values()].map(({ instance }) => instance),
    ),
  );
  for (const instance of made)
    // The entries of `outbox` are events, which are in the log already.
    if (instance instanceof Projection && instance.partitioned && instance.name !== 'outbox')
      projections.push({
        projection: instance,
        database: app.get(Database),
        partitioning: partitioningOf(instance, app.get(Log)),
      });
}

async function everything(log: Log): Promise<Recorded[]> {
  const all: Recorded[] = [];
  for (let after: bigint | undefined; ;) {
    const page = await log.store.readAll(after, 1_000);
    // Old enough that no projection hesitates about them in one run and not in the next.
    const old = (await log.open(page.events)).map((event) => ({ ...event, at: plus(event.at, -3_600_000) }));
    all.push(...old);
    if (page.end || page.last === undefined) return all;
    after = page.last;
  }
}

/** What people and agents do with each service whose projections are partitioned. */
async function tellStories(): Promise<void> {
  const people: HouseAccount[] = [];
  for (let n = 0; n < 8; n += 1) people.push(await house.anotherAccount());
  const receiver = await house.receiver();
  receiver.ignore();
  const ok = async (answering: ReturnType<House['http']>): Promise<any> => {
    const { status, body } = await answering;
    if (status < 200 || status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const [ann, ben, ...others] = people as [HouseAccount, HouseAccount, ...HouseAccount[]];
  const familyId = await ann.family(ben, ...others.slice(0, 2));
  const { groupId } = await onCall(house, [ann, ben]);
  const live = async (person: HouseAccount, n: number): Promise<void> => {
    const post = (path: string, body: object = {}): Promise<any> => ok(person.api('POST', path, { body }));
    await person.addPhone(n % 2 === 0 ? 'android' : 'ios', { liveActivities: true });
    const tokens = [];
    for (const name of ['one', 'two', 'three'])
      tokens.push(await ok(person.session('POST', '/tokens', { body: { name, scopes: ['inbox:read'] } })));
    await ok(person.session('DELETE', `/tokens/${tokens[1].token.id}`));
    await ok(person.api('GET', '/inbox/projects', { token: tokens[0].secret }));
    const { webhook } = await post('/webhooks', { name: 'Bot', url: receiver.url, isDefault: true });
    const spare = await post('/webhooks', { name: 'Spare', url: receiver.url });
    await ok(person.api('PATCH', `/webhooks/${webhook.id}`, { body: { name: `Bot ${n}` } }));
    for (const answer of ['approved', 'denied', undefined]) {
      const { interaction } = await post('/interactions', {
        title: 'Deploy',
        prompt: 'Ship it?',
        kind: 'approval',
        ...(answer === 'denied' && { webhookId: spare.webhook.id }),
        ...(n < 2 && { escalateTo: { groupId, afterSeconds: 1_200 } }),
      });
      const { id, actionDigest } = interaction;
      if (answer)
        await ok(person.session('POST', `/prompts/${id}/answer`, { body: { answer, actionDigest } }));
      else if (n % 2 === 0) await post(`/interactions/${id}/cancel`);
    }
    await ok(person.api('DELETE', `/webhooks/${spare.webhook.id}`));
    const { service, webhookUrl } = await post('/services', { title: 'CI' });
    const hook = new URL(webhookUrl).pathname;
    await ok(house.http('POST', hook, { body: { text: 'built' } }));
    if (n < 2) await post(`/services/${service.id}/share`, { familyId });
    await ok(house.http('POST', hook, { body: { text: 'deployed' } }));
    await post('/activities', { props: { title: 'Build' } });
    for (const title of ['Built', 'Deployed']) {
      const { notification } = await post('/notifications', { title, body: 'main' });
      if (title === 'Built') await post(`/notifications/${notification.id}/withdraw`);
    }
  };
  await Promise.all(people.map(live));
  const family = [ann, ben, ...others.slice(0, 2)];
  const { group } = await ok(
    ann.api('POST', `/teams/${familyId}/groups`, {
      body: { name: 'All', userIds: family.map(({ id }) => id) },
    }),
  );
  const share = async (person: HouseAccount, n: number): Promise<void> => {
    const post = (path: string, body: object = {}): Promise<any> => ok(person.api('POST', path, { body }));
    const all = { deviceGroupId: group.id };
    const sent: { readonly id: string }[] = [];
    for (const title of ['Dinner', 'Lunch', 'Tea'])
      sent.push(
        (await post('/notifications', { title, body: 'is ready', projectId: 'kitchen', ...all }))
          .notification,
      );
    const kept = await post('/activities', { props: { title: 'Oven' }, ...all });
    await ok(person.api('PATCH', `/activities/${kept.activity.id}`, { body: { props: { progress: 0.5 } } }));
    const { interaction } = await post('/interactions', {
      title: 'Dinner?',
      prompt: 'Now?',
      kind: 'yes_no',
      ...all,
    });
    const other = family[(n + 1) % family.length]!;
    const { id, actionDigest } = interaction;
    await ok(other.session('POST', `/prompts/${id}/answer`, { body: { answer: 'yes', actionDigest } }));
    const item = (index: number): string => `/inbox/notifications/notification:${sent[index]!.id}`;
    await ok(other.api('POST', `${item(0)}/read`));
    if (n % 2 === 0) await ok(other.api('POST', `${item(0)}/unread`));
    await post(`/notifications/${sent[1]!.id}/withdraw`);
    const { readThroughToken } = await ok(other.api('GET', '/inbox/notifications?limit=1'));
    if (n % 2 === 1)
      await ok(other.api('POST', '/inbox/notifications/read-all', { body: { readThroughToken } }));
    await ok(other.api('POST', `${item(2)}/unread`));
    await post('/interactions', { title: 'Tea?', prompt: 'Now?', kind: 'yes_no', ...all });
    if (n % 2 === 0) await post(`/activities/${kept.activity.id}/end`);
  };
  await Promise.all(family.map(share));
  await ok(ann.api('PATCH', `/teams/${familyId}`, { body: { retentionDays: 30 } }));
  for (const by of [ann, ben]) {
    const { page } = await ok(by.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Fire' } }));
    await ok(by.api('POST', `/pages/${page.id}/resolve`));
  }
  // Prompts escalate, expire, and their ends are told.
  await house.advance(1_300);
  await house.advance(8 * 86_400);
  // Some stay pending, and some replies fail.
  receiver.says({ status: 500 });
  const { count } = receiver;
  for (const person of others) {
    const ask = (): Promise<any> =>
      ok(person.api('POST', '/interactions', { body: { title: 'Again', prompt: 'Now?', kind: 'approval' } }));
    await ask();
    const { id, actionDigest } = (await ask()).interaction;
    await ok(person.session('POST', `/prompts/${id}/answer`, { body: { answer: 'approved', actionDigest } }));
  }
  await eventually(
    () => receiver.count >= count + others.length || undefined,
    () => `${receiver.count - count} replies came`,
    60_000,
  );
}

/** The rows that a projection makes of events in this order, in batches as they are cut; nothing stays. */
async function rowsAfter(
  { projection, database }: (typeof projections)[number],
  batches: readonly (readonly Recorded[])[],
): Promise<string> {
  const undo = new Error('undo');
  let rows = '';
  await database
    .transaction(async ({ query }) => {
      for (const batch of batches) await projection.apply({ query }, batch);
      const tables = await query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
         AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
      );
      for (const { name } of tables) {
        if (bookkeeping.has(name)) continue;
        const found = await query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM "${name}" t`);
        rows += found
          .map(({ row }) => `${name} ${row.replace(anyTime, timeless)}\n`)
          .sort()
          .join('');
      }
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return rows;
}
const anyTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.?\d*\+00:00/g;
/** What is due at once has the time at which its event is applied. */
const timeless = (time: string): string => {
  const atMs = Date.parse(time);
  return atMs >= comparingMs && atMs <= Date.now() ? 'now' : time;
};
const bookkeeping = new Set(['projection_checkpoints', 'leases', 'set_aside', 'migrations']);

const partitionIn = ({ metadata }: Recorded): number => metadata.partition ?? 0;

const partitionsIn = (all: readonly Recorded[], { ofEvent }: Partitioning): number[] => [
  ...new Set(all.flatMap(ofEvent)),
];

/**
 * The batches of replicas that hold changing sets of partitions: in another order, which keeps the order within each
 * partition. An event of several partitions is applied to the rows of some of them now, and of others later.
 */
function interleaved(
  all: readonly Recorded[],
  partitioning: Partitioning,
  random: (below: number) => number,
): Recorded[][] {
  const end = all.at(-1)?.position ?? 0n;
  let behind = partitionsIn(all, partitioning);
  const positions = new Map(behind.map((partition) => [partition, 0n]));
  const maxHeld = [1, 2, 100][random(3)]!;
  const maxBatch = [3, 30, 500][random(3)]!;
  const batches: Recorded[][] = [];
  while (behind.length > 0) {
    const held = new Set(Array.from({ length: 1 + random(maxHeld) }, () => behind[random(behind.length)]!));
    const size = 1 + random(maxBatch);
    const batch: Recorded[] = [];
    let to = end;
    for (const event of all) {
      const isDue = (partition: number): boolean =>
        held.has(partition) && event.position > positions.get(partition)!;
      const part = partitioning.part(event, isDue);
      if (!part) continue;
      batch.push(part);
      if (batch.length < size) continue;
      to = event.position;
      break;
    }
    for (const partition of held) if (positions.get(partition)! < to) positions.set(partition, to);
    behind = behind.filter((partition) => positions.get(partition)! < end);
    batches.push(batch);
  }
  return batches;
}

it('each stream lies in one partition', () => {
  const partitions = new Map<string, Set<number>>();
  for (const event of events) {
    const found = partitions.get(event.stream) ?? new Set();
    partitions.set(event.stream, found.add(partitionIn(event)));
  }
  expect([...partitions].filter(([, { size }]) => size > 1)).toEqual([]);
});

it('rows by account follow from events that are in the partition of the account', () => {
  const log = apps[0]!.get(Log);
  expect(log.partitions).toBe(16);
  const byAccount = projections.filter(({ projection }) => projection.partitioned === 'accounts');
  for (const { projection, partitioning } of byAccount)
    for (const event of selection(projection)(events)) {
      const { accountId = '', recipients = [] } = event.event as {
        accountId?: string;
        recipients?: string[];
      };
      expect([projection.name, event.type, partitioning.ofEvent(event)]).toEqual([
        projection.name,
        event.type,
        expect.arrayContaining([accountId, ...recipients].map((id) => log.partitionOf(id))),
      ]);
    }
});

it(`any interleaving of the partitions gives the same rows`, async () => {
  const random = generator(67);
  const compared: Record<string, { events: number; partitions: number; rows: number }> = {};
  for (const each of projections) {
    const { name } = each.projection;
    const mine = selection(each.projection)(events);
    compared[name] = {
      events: mine.length,
      partitions: partitionsIn(mine, each.partitioning).length,
      rows: 0,
    };
    // In the middle of the log there are also rows of what ends later.
    for (const share of shares) {
      const part = mine.slice(0, Math.ceil(mine.length * share));
      const expected = await rowsAfter(each, [part]);
      compared[name].rows += expected.split('\n').length - 1;
      for (let n = 0; n < interleavings / shares.length; n += 1) {
        const rows = await rowsAfter(each, interleaved(part, each.partitioning, random));
        if (rows !== expected)
          expect({ name, share, n, rows: rows.split('\n') }).toEqual({
            name,
            share,
            n,
            rows: expected.split('\n'),
          });
      }
    }
  }
  process.stdout.write(`${JSON.stringify(compared)}\n`);
  for (const { partitions, rows } of Object.values(compared))
    expect(Math.min(partitions, rows)).toBeGreaterThan(2);
}, 480_000);

it('another order within the partitions gives other rows, which shows that they are compared', async () => {
  const tokens = projections.find(({ projection }) => projection.name === 'tokens')!;
  const mine = selection(tokens.projection)(events);
  const backwards = mine.toReversed().map((event) => [event]);
  expect(await rowsAfter(tokens, backwards)).not.toBe(await rowsAfter(tokens, [mine]));
});
