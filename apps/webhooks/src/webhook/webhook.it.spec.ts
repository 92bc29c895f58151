import { randomUUID } from 'node:crypto';
import type { Bus } from '@carillon/bus';
import { type CreateWebhook, type TakeRates, Webhooks } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import type { ManualClock } from '@carillon/runtime';
import { Clock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { KeyRing, newId, streamTail } from '@carillon/signing';
import {
  indexesOf,
  askOn,
  type NameServer,
  newAccount,
  outcomeOf,
  poison,
  rejoin,
  rowsReach,
  setAside,
  startNames,
  startParts,
} from '@carillon/testkit';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { WebhooksModule } from '../webhooks.module';
import { accountWebhooks, admit } from './account-webhooks';
import { openHeader, openSecret } from './secrets';
import { webhook } from './webhook';
import { webhookOrder } from './webhook.handlers';
import { deliveryOrder } from '../delivery/deliveries';

let parts: Awaited<ReturnType<typeof startParts>>;
let names: NameServer;
let running: RunningService;
let nats: NatsConnection;
let bus: Bus;
let database: Database;
let log: Log;

beforeAll(async () => {
  names = await startNames({ 'bot.test': ['93.184.216.34'], 'inside.test': ['10.0.0.7'] });
  parts = await startParts({ CARILLON_WEBHOOK_DNS: names.address });
  nats = await connect({ servers: parts.env['NATS_URL'] as string });
  stand('rpc.connectors.callback.check', ({ url }) =>
    new URL(url).hostname === closedHost ? { refused: 'destination.not_allowed' } : { value: { ok: true } },
  );
  stand('rpc.accounts.rate.take', ({ takes: [take] }: TakeRates) => {
    const used = (counted.get(take!.key) ?? 0) + 1;
    if (used <= take!.limit) counted.set(take!.key, used);
    const [granted, remaining] = used <= take!.limit ? [1, take!.limit - used] : [0, 0];
    return { value: { grants: [{ granted, remaining, resetSeconds: 7 }] } };
  });
  running = await startService({ name: 'webhooks', module: WebhooksModule });
  bus = await sharedBus.take();
  database = running.get(Database);
  log = running.get(Log);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await nats?.close();
  await parts?.stop();
  await names?.stop();
}, 60_000);

/** How often what was done. */
const counted = new Map<string, number>();
/** A connector's, of which no route takes callbacks. */
const closedHost = 'connector.test';
/** Another service, as far as it is asked here. */
function stand(subject: string, answer: (input: any) => object): void {
  nats.subscribe(subject, {
    callback: (_, message) => {
      const { id, data } = message.json<{ id: string; data: { input: any } }>();
      message.respond(JSON.stringify({ id, response: answer(data.input), isDisposed: true }));
    },
  });
}

const ask = askOn(() => bus);
const made = async (accountId: string, more: Partial<CreateWebhook> = {}) =>
  (await ask(accountId, Webhooks.create, { name: 'Bot', url: 'https://bot.test/x', ...more })).webhook;
const listed = async (accountId: string, more: object = {}) => {
  await rowsReach(running.get(Projections), 'webhooks', await log.store.head());
  return (await ask(accountId, Webhooks.list, more)).items;
};
const asText = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));

describe('a reply webhook', () => {
  it('is not saved at the hostname of a connector where no delivery could go through it', async () => {
    const account = newAccount();
    const url = `https://${closedHost}:8443/any/path`;
    expect(await outcomeOf(made(account, { url }))).toBe('destination.not_allowed');
    const saved = await made(account);
    const change = ask(account, Webhooks.change, { id: saved.id, url });
    expect(await outcomeOf(change)).toBe('destination.not_allowed');
    expect((await listed(account)).map(({ url: kept }) => kept)).toEqual(['https://bot.test/x']);
  });

  it('has secrets that are nowhere in clear but in the answer that makes them', async () => {
    const account = newAccount();
    const { webhook: saved, signingSecret } = await ask(account, Webhooks.create, {
      name: 'Planted name',
      url: 'https://bot.test/planted-path',
      headers: [{ name: 'X-Key', value: 'planted-value' }],
    });
    await ask(account, Webhooks.change, {
      id: saved.id,
      headers: [{ name: 'X-Other', value: 'planted-other' }],
    });
    const rotated = await ask(account, Webhooks.rotate, { id: saved.id });
    await listed(account);
    const rows = await database.query(`SELECT * FROM webhooks WHERE webhook_id = $1`, [saved.id]);
    const events = await log.store.read(`webhook-${streamTail(saved.id)}`);
    expect([rows.length, events.length]).toEqual([1, 3]);
    for (const secret of [signingSecret, rotated.signingSecret, 'planted-value', 'planted-other', 'whsec_'])
      expect(asText([rows, events])).not.toContain(secret);
    for (const text of ['Planted name', 'planted-path', 'X-Key']) expect(asText(events)).not.toContain(text);
    const { state } = await log.load(webhook, streamTail(saved.id));
    const ring = running.get(KeyRing);
    expect(openSecret(ring, saved.id, state!.sealedSecret)).toBe(rotated.signingSecret);
    expect(openSecret(ring, saved.id, state!.formerSecrets[0]!.sealed)).toBe(signingSecret);
    expect(openHeader(ring, saved.id, state!.headers[0]!)).toBe('planted-other');
  });

  it('rebuilt from the log is equal to what it was', async () => {
    const account = newAccount();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1)
      ids.push((await made(account, { name: `n${n}`, headers: [{ name: `X-${n}`, value: 'v' }] })).id);
    for (const [n, id] of ids.entries()) {
      if (n % 3 === 0)
        await ask(account, Webhooks.change, { id, name: 'other', headers: [], enabled: false });
      if (n % 3 === 1) await ask(account, Webhooks.rotate, { id });
      if (n % 5 === 2) await ask(account, Webhooks.change, { id, isDefault: true });
      if (n % 4 === 0) await ask(account, Webhooks.remove, { id });
    }
    const items = await listed(account);
    const rows = () =>
      Promise.all([
        database.query(`SELECT * FROM webhooks ORDER BY webhook_id`),
        database.query(`SELECT * FROM default_webhooks ORDER BY account_id`),
      ]);
    const before = await rows();
    await running.get(Projections).rebuild('webhooks');
    expect(await rows()).toEqual(before);
    expect(items).toHaveLength(9);
    expect(items.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    for (const item of items)
      expect((await ask(account, Webhooks.get, { id: item.id })).webhook).toEqual(item);
  });

  it('that cannot be listed is missing for its own account only', async () => {
    const projections = running.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    const first = await made(ann);
    const heal = await poison(database, { table: 'webhooks', column: 'account_id', value: ann });
    const second = await made(ann);
    await setAside(projections, 'webhooks');
    await ask(ann, Webhooks.remove, { id: first.id });
    expect(await outcomeOf(ask(ann, Webhooks.list, {}))).toBe('projection.behind');
    const others = await made(bob);
    expect((await listed(bob)).map(({ id }) => id)).toEqual([others.id]);
    await heal();
    await rejoin(projections, 'webhooks', ann);
    expect((await listed(ann)).map(({ id }) => id)).toEqual([second.id]);
  });

  it('is refused where it must not lead, before anything is kept', async () => {
    const account = newAccount();
    expect(await outcomeOf(made(account, { url: 'https://inside.test/' }))).toBe('destination.not_allowed');
    expect(await outcomeOf(made(account, { headers: [{ name: 'Host', value: 'x' }] }))).toBe('input.invalid');
    expect((await log.load(accountWebhooks, account)).revision).toBeUndefined();
    const { id } = await made(account);
    expect(await outcomeOf(ask(account, Webhooks.change, { id, url: 'https://inside.test/' }))).toBe(
      'destination.not_allowed',
    );
    expect((await ask(account, Webhooks.get, { id })).webhook.url).toBe('https://bot.test/x');
  });

  it('asks a name server only for its own account', async () => {
    const { id } = await made(newAccount());
    const change = ask(newAccount(), Webhooks.change, { id, url: 'https://never-asked.test/' });
    expect(await outcomeOf(change)).toBe('webhook.unknown');
    expect(names.asked).not.toContain('never-asked.test');
  });
});

describe('the addresses of one account', () => {
  const looked = () => names.asked.filter((name) => name === 'many.test').length;

  it('are looked up so often and no more, in new webhooks and changed ones', async () => {
    const account = newAccount();
    const saved = await made(account);
    const move = (url = 'https://many.test/') =>
      outcomeOf(ask(account, Webhooks.change, { id: saved.id, url, name: 'Moved' }));
    for (let each = 1; each < 60; each += 1)
      expect(await move(`https://bot.test/${each}`)).not.toBe('webhook.saved_too_often');
    await expect(made(account, { url: 'https://many.test/' })).rejects.toMatchObject({
      reason: 'webhook.saved_too_often',
      details: { limit: 60, retryAfter: 7 },
    });
    expect(await move()).toBe('webhook.saved_too_often');
    expect(looked()).toBe(0);
    await ask(account, Webhooks.change, { id: saved.id, name: 'Renamed' });
    expect((await listed(account)).map(({ name, url }) => [name, url])).toEqual([
      ['Renamed', 'https://bot.test/59'],
    ]);
    expect(await outcomeOf(made(newAccount(), { url: 'https://many.test/' }))).toBe('done');
    expect(looked()).toBeGreaterThan(0);
  });

  it('are not counted where another reason refuses first', async () => {
    const account = newAccount();
    const moved = ask(account, Webhooks.change, { id: newId('whk', Date.now()), url: 'https://many.test/' });
    expect(await outcomeOf(moved)).toBe('webhook.unknown');
    expect(counted.has(`webhook-address ${account}`)).toBe(false);
  });
});

describe('a slot', () => {
  it('is one of exactly twenty, also under concurrent requests', async () => {
    const account = newAccount();
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => outcomeOf(made(account))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === 'resource.limit_reached')).toHaveLength(10);
    const items = await listed(account);
    expect(items).toHaveLength(20);
    await ask(account, Webhooks.remove, { id: items[0]!.id });
    expect(await outcomeOf(made(account))).toBe('done');
    expect(await outcomeOf(made(account))).toBe('resource.limit_reached');
  });

  it('is not lost to one whose maker died, once that must be so', async () => {
    const account = newAccount();
    const admission = (n: number) => ({
      accountId: account,
      webhookId: `whk_never-made-${n}`,
      missing: [],
      at: running.get(Clock).now(),
    });
    for (let n = 0; n < 2; n += 1)
      await log.transact(accountWebhooks, account, admit(admission(n)), {
        commandId: randomUUID(),
        correlationId: 'test',
        accountId: account,
        actor: {},
      });
    for (let n = 0; n < 18; n += 1) await made(account);
    expect(await outcomeOf(made(account))).toBe('resource.limit_reached');
    await (running.get(Clock) as ManualClock).advance(60_000);
    expect(await outcomeOf(made(account))).toBe('done');
    expect(await outcomeOf(made(account))).toBe('done');
    expect(await outcomeOf(made(account))).toBe('resource.limit_reached');
  });
});

describe('the default', () => {
  it('is one of many that want to be it at once, and all agree which', async () => {
    const account = newAccount();
    const all = await Promise.all(Array.from({ length: 8 }, () => made(account, { isDefault: true })));
    const defaults = async () =>
      (await listed(account)).filter(({ isDefault }) => isDefault).map(({ id }) => id);
    const [first, ...others] = await defaults();
    expect(others).toEqual([]);
    expect((await ask(account, Webhooks.targets, {})).webhookIds).toEqual([first]);
    await Promise.all(all.map(({ id }) => ask(account, Webhooks.change, { id, isDefault: true })));
    const [next, ...more] = await defaults();
    expect(more).toEqual([]);
    expect((await ask(account, Webhooks.targets, {})).webhookIds).toEqual([next]);
  });

  it('is none when it is told so or deleted', async () => {
    const account = newAccount();
    const { id } = await made(account, { isDefault: true });
    const other = await made(account);
    await ask(account, Webhooks.change, { id: other.id, isDefault: false });
    expect((await ask(account, Webhooks.targets, {})).webhookIds).toEqual([id]);
    expect((await ask(account, Webhooks.change, { id, isDefault: false })).webhook.isDefault).toBe(false);
    expect((await ask(account, Webhooks.targets, {})).webhookIds).toEqual([]);
    await ask(account, Webhooks.change, { id, isDefault: true });
    await ask(account, Webhooks.remove, { id });
    expect((await ask(account, Webhooks.targets, {})).webhookIds).toEqual([]);
    expect((await listed(account)).map(({ isDefault }) => isDefault)).toEqual([false]);
  });
});

describe('the targets of a prompt', () => {
  it('is the default and the one that is named, or else the one of the service, each once', async () => {
    const account = newAccount();
    const [a, b, c] = [await made(account, { isDefault: true }), await made(account), await made(account)];
    const targets = async (input: object) => (await ask(account, Webhooks.targets, input)).webhookIds;
    expect(await targets({})).toEqual([a.id]);
    expect(await targets({ webhookId: null, serviceDefaultId: null })).toEqual([a.id]);
    expect(await targets({ webhookId: b.id })).toEqual([a.id, b.id]);
    expect(await targets({ webhookId: a.id })).toEqual([a.id]);
    expect(await targets({ serviceDefaultId: c.id })).toEqual([a.id, c.id]);
    expect(await targets({ webhookId: b.id, serviceDefaultId: c.id })).toEqual([a.id, b.id]);
    await ask(account, Webhooks.change, { id: b.id, enabled: false });
    expect(await targets({ webhookId: b.id })).toEqual([a.id, b.id]);
    await ask(account, Webhooks.remove, { id: c.id });
    expect(await targets({ serviceDefaultId: c.id })).toEqual([a.id]);
    await ask(account, Webhooks.remove, { id: a.id });
    expect(await targets({ serviceDefaultId: c.id })).toEqual([]);
  });

  it('is nobody of another account', async () => {
    const account = newAccount();
    const theirs = await made(newAccount(), { isDefault: true });
    const targets = (input: object) => ask(account, Webhooks.targets, input);
    for (const webhookId of [
      theirs.id,
      'whk_0123456789abcdefghjkmnpqrs',
      `${theirs.id.slice(0, 5)}x${theirs.id.slice(6)}`,
    ])
      expect(await outcomeOf(targets({ webhookId }))).toBe('webhook.not_found');
    expect(await targets({ serviceDefaultId: theirs.id })).toEqual({ webhookIds: [] });
  });
});

it('the lists of webhooks and of their deliveries have indexes in their order', async () => {
  expect(await indexesOf(database, 'webhooks')).toEqual(
    expect.arrayContaining([`(account_id, ${webhookOrder.index})`]),
  );
  expect(await indexesOf(database, 'replies')).toEqual(
    expect.arrayContaining([`(webhook_id, ${deliveryOrder.index})`]),
  );
});
