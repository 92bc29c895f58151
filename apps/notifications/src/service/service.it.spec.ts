import { type Ask, type Bus, sealed, type Wire } from '@carillon/bus';
import { type CreateService, Services, type WebhookDeleted } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, logger, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { type Decider, Refused } from '@carillon/eventing';
import {
  indexesOf,
  askOn,
  contextOf,
  eventually,
  streamMetadata,
  newAccount,
  outcomeOf,
  poison,
  rejoin,
  rowsReach,
  setAside,
  startParts,
} from '@carillon/testkit';
import { NotificationsModule } from '../notifications.module';
import { baseUrl, hashOf, secretOf, sent } from '../testbed';
import { change } from './change-service';
import { HookUrls } from './hook-urls.service';
import { OncallGroups } from './oncall-groups.client';
import { ReplyWebhooks } from './reply-webhooks.client';
import { create, service as services } from './service';
import { SenderSecrets } from './sender-secrets.service';
import { ServiceAccess } from './service-access.service';
import { ServiceHandlers } from './service.handlers';
import { serviceOrder } from './service-read.handlers';

let parts: Awaited<ReturnType<typeof startParts>>;
let running: RunningService;
let bus: Bus;
let database: Database;

beforeAll(async () => {
  parts = await startParts({ CARILLON_BASE_URL: baseUrl });
  running = await startService({ name: 'notifications', module: NotificationsModule });
  bus = await sharedBus.take();
  database = running.get(Database);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

const ask = askOn(() => bus);
const hello = sent('text/plain', 'hello');

describe('a service', () => {
  it('has a URL whose secret is nowhere but in the answer', async () => {
    const account = newAccount();
    // So long that no random text happens to have it.
    const title = 'The builds of the main branch and its tags';
    const { service, webhookUrl } = await ask(account, Services.create, { title });
    const secret = secretOf(webhookUrl);
    expect(secret).toMatch(/^carillon_hook_0[0-9A-Za-z]{38}$/);
    expect(await ask('', Services.hookOwner, { hash: hashOf(webhookUrl) })).toEqual({
      serviceId: service.id,
      accountId: account,
    });
    const rows = await database.query(`SELECT * FROM services WHERE service_id = $1`, [service.id]);
    const events = await running.get(Log).store.read(`service-${streamTail(service.id)}`);
    expect(rows).toHaveLength(1);
    expect(events).toHaveLength(1);
    const kept = JSON.stringify([rows, events], (_, value) =>
      typeof value === 'bigint' ? String(value) : (value as unknown),
    );
    expect(kept).not.toContain(secret);
    expect(kept).toContain(hashOf(webhookUrl));
    expect(JSON.stringify(events[0]?.data)).not.toContain(title);
  });

  it('takes nothing at its old URL even where the rows are late', async () => {
    const account = newAccount();
    const { service, webhookUrl } = await ask(account, Services.create, { title: 'CI' });
    const rotated = await ask(account, Services.rotate, { id: service.id });
    const point = (url: string) =>
      database.query(`UPDATE services SET hook_hash = $2 WHERE service_id = $1`, [service.id, hashOf(url)]);
    await point(webhookUrl);
    await expect(ask('', Services.receive, { hash: hashOf(webhookUrl), ...hello })).rejects.toMatchObject({
      reason: 'hook.not_found',
    });
    await point(rotated.webhookUrl);
  });

  it('whose event cannot be applied is hidden for its creator only, and takes what is sent to its URL', async () => {
    const projections = running.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    const first = await ask(ann, Services.create, { title: 'CI' });
    const other = await ask(bob, Services.create, { title: 'CI' });
    const hash = hashOf(first.webhookUrl);
    const heal = await poison(database, { table: 'services', column: 'account_id', value: ann });
    const second = await ask(ann, Services.create, { title: 'Nightly' });
    await setAside(projections, 'services');
    const late = hashOf(second.webhookUrl);
    expect(await outcomeOf(ask(ann, Services.list, {}))).toBe('projection.behind');
    // Any URL that is not known may be one that the account has made since.
    expect(await outcomeOf(ask('', Services.hookOwner, { hash: late }))).toBe('projection.behind');
    expect(await outcomeOf(ask('', Services.receive, { hash: late, ...hello }))).toBe('projection.behind');
    expect(await ask('', Services.hookOwner, { hash })).toEqual({
      serviceId: first.service.id,
      accountId: ann,
    });
    expect((await ask(bob, Services.list, {})).items.map(({ id }) => id)).toEqual([other.service.id]);
    await ask(ann, Services.remove, { id: first.service.id });
    expect(await outcomeOf(ask('', Services.receive, { hash, ...hello }))).toBe('hook.not_found');
    await heal();
    await rejoin(projections, 'services', ann);
    expect((await ask(ann, Services.list, {})).items.map(({ id }) => id)).toEqual([second.service.id]);
    expect((await ask('', Services.hookOwner, { hash: late })).serviceId).toBe(second.service.id);
    expect(await outcomeOf(ask('', Services.hookOwner, { hash }))).toBe('hook.not_found');
  });

  it('rebuilt from the log is equal to what it was', async () => {
    const account = newAccount();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1)
      ids.push((await ask(account, Services.create, { title: `n${n}`, url: 'https://ci.test' })).service.id);
    for (const [n, id] of ids.entries()) {
      if (n % 3 === 0) await ask(account, Services.change, { id, title: 'other', url: null });
      if (n % 3 === 1) await ask(account, Services.rotate, { id });
      if (n % 4 === 0) await ask(account, Services.remove, { id });
    }
    const rows = () => database.query(`SELECT * FROM services ORDER BY service_id`);
    const before = await rows();
    expect(before.length).toBeGreaterThanOrEqual(9);
    await running.get(Projections).rebuild('services');
    expect(await rows()).toEqual(before);
    const { items } = await ask(account, Services.list, {});
    expect(items).toHaveLength(9);
    for (const item of items)
      expect((await ask(account, Services.get, { id: item.id })).service).toEqual(item);
  });
});

describe('slots for two hundred services', () => {
  const made = (account: string) => ask(account, Services.create, { title: 'CI' });
  const count = async (account: string) =>
    (await database.query(`SELECT FROM services WHERE account_id = $1`, [account])).length;

  it('are exactly two hundred for concurrent requests on two replicas', async () => {
    const account = newAccount();
    await Promise.all(Array.from({ length: 180 }, () => made(account)));
    // Another replica, which only has the log.
    const { store, keys } = running.get(Log);
    const other = new ServiceHandlers(
      database,
      running.get(Projections),
      new Log(store, keys),
      running.get(Clock),
      running.get(ReplyWebhooks),
      running.get(SenderSecrets),
      running.get(OncallGroups),
      running.get(HookUrls),
      running.get(ServiceAccess),
      logger('test'),
    );
    const createThere = other.create.bind(other) as unknown as (
      ask: Ask<CreateService>,
    ) => Promise<Wire<unknown>>;
    const madeThere = async () => {
      const wire = await createThere(sealed(Services.create, { title: 'CI' }, contextOf(account)));
      if ('refused' in wire) throw new Refused(wire.refused);
    };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        for (;;) {
          const outcome = await outcomeOf(n % 2 ? made(account) : madeThere());
          if (outcome !== 'stream.concurrent_update') return outcome;
        }
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'resource.limit_reached')).toHaveLength(30);
    expect(await count(account)).toBe(200);
    const { items } = await ask(account, Services.list, {});
    await ask(account, Services.remove, { id: items[0]!.id });
    expect([await outcomeOf(made(account)), await outcomeOf(made(account))]).toEqual([
      'done',
      'resource.limit_reached',
    ]);
  });

  it('is filled by the services from before anybody counted', async () => {
    const accountId = newAccount();
    const at = running.get(Clock).now();
    const ids = Array.from({ length: 200 }, () => newId('svc', Date.now()));
    await Promise.all(
      ids.map((id) =>
        running
          .get(Log)
          .transact(
            services,
            streamTail(id),
            create({ id, accountId, title: 'old', hookHash: id, at }),
            streamMetadata(accountId),
          ),
      ),
    );
    expect(await outcomeOf(made(accountId))).toBe('resource.limit_reached');
    await ask(accountId, Services.remove, { id: ids[0]! });
    expect([await outcomeOf(made(accountId)), await outcomeOf(made(accountId))]).toEqual([
      'done',
      'resource.limit_reached',
    ]);
  });
});

describe('a service whose reply webhook is deleted', () => {
  /** The webhooks service is another one; here are only its words. */
  const webhooks: Decider<null, WebhookDeleted> = {
    category: 'webhook',
    initial: null,
    evolve: () => null,
    personal: { WebhookDeleted: [] },
  };
  const at = '2026-11-20T09:00:00.000Z';
  const choose = (accountId: string, id: string, webhookId: string) =>
    running
      .get(Log)
      .transact(
        services,
        streamTail(id),
        change({ id, accountId, at, changes: { defaultReplyWebhookId: webhookId } }),
        streamMetadata(accountId),
      );
  const remove = (accountId: string, webhookId: string) =>
    running
      .get(Log)
      .appendTo(
        webhooks,
        streamTail(webhookId),
        [{ type: 'WebhookDeleted' as const, webhookId, accountId, deletedAt: at }],
        'any',
        streamMetadata(accountId),
      );
  const defaultWebhookOf = async (id: string) =>
    (await running.get(Log).load(services, streamTail(id))).state?.defaultReplyWebhookId;
  const cleared = (id: string) =>
    eventually(
      async () => ((await defaultWebhookOf(id)) === null ? true : undefined),
      () => 'the service still has it',
      30_000,
    );
  const made = async (account: string, webhookId?: string) => {
    const { service } = await ask(account, Services.create, { title: 'CI' });
    if (webhookId) await choose(account, service.id, webhookId);
    return service.id;
  };

  it('has none at once for readers at that position, and soon in the log', async () => {
    const account = newAccount();
    const [gone, other] = [newId('whk', 1), newId('whk', 1)];
    const ids = [
      await made(account, gone),
      await made(account, gone),
      await made(account, other),
      await made(account),
    ];
    const { position } = await remove(account, gone);
    const context = contextOf(account, position);
    const { items } = (await bus.ask(Services.list, {}, context)).value;
    const expected = [null, null, other, null];
    expect(ids.map((id) => items.find((item) => item.id === id)?.defaultReplyWebhookId)).toEqual(expected);
    for (const [n, id] of ids.entries())
      expect((await bus.ask(Services.get, { id }, context)).value.service.defaultReplyWebhookId).toBe(
        expected[n],
      );
    await Promise.all(ids.slice(0, 2).map(cleared));
    expect(await defaultWebhookOf(ids[2]!)).toBe(other);
  });

  it('has it until the events of its account can be applied, and services of others have none', async () => {
    const projections = running.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    const [hers, his] = [newId('whk', 1), newId('whk', 1)];
    const [id, other] = [await made(ann, hers), await made(bob, his)];
    const heal = await poison(database, { table: 'deleted_webhooks', column: 'webhook_id', value: hers });
    await remove(ann, hers);
    await setAside(projections, 'deleted_webhooks');
    for (const read of [ask(ann, Services.list, {}), ask(ann, Services.get, { id })])
      expect(await outcomeOf(read)).toBe('projection.behind');
    await remove(bob, his);
    await cleared(other);
    expect(await defaultWebhookOf(id)).toBe(hers);
    await heal();
    await rejoin(projections, 'deleted_webhooks', ann);
    await cleared(id);
    expect((await ask(ann, Services.get, { id })).service.defaultReplyWebhookId).toBeNull();
  });

  it('has none either when it chose it while it was being deleted, and again when it does so twice', async () => {
    const account = newAccount();
    const gone = newId('whk', 1);
    const id = await made(account);
    await remove(account, gone);
    for (let times = 0; times < 2; times += 1) {
      await choose(account, id, gone);
      await cleared(id);
    }
  });

  it('is known the same way when that is rebuilt', async () => {
    const account = newAccount();
    const [gone, stays] = [newId('whk', 1), newId('whk', 1)];
    const id = await made(account, gone);
    await made(account, stays);
    await remove(account, gone);
    await cleared(id);
    const { position } = await remove(account, newId('whk', 1));
    await rowsReach(running.get(Projections), 'deleted_webhooks', position);
    const rows = () =>
      Promise.all([
        database.query(`SELECT * FROM chosen_webhooks ORDER BY service_id`),
        database.query(`SELECT * FROM deleted_webhooks ORDER BY webhook_id`),
      ]);
    const before = await rows();
    await running.get(Projections).rebuild('deleted_webhooks');
    expect(await rows()).toEqual(before);
    await eventually(
      async () => ((await database.query(`SELECT FROM timers`)).length === 0 ? true : undefined),
      () => 'an order is left',
      30_000,
    );
  });
});

it('the list of services has an index in its order', async () => {
  expect(await indexesOf(database, 'services')).toEqual(
    expect.arrayContaining([`(account_id, ${serviceOrder.index})`]),
  );
});
