import { randomUUID } from 'node:crypto';
import type { Bus } from '@carillon/bus';
import { type InteractionEvent, Webhooks } from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import type { Decider } from '@carillon/eventing';
import { Clock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  askOn,
  type Authority,
  eventually,
  interactionAsked,
  makeAuthority,
  type NameServer,
  newAccount,
  Receiver,
  startNames,
  startParts,
  trust,
} from '@carillon/testkit';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { WebhooksModule } from '../webhooks.module';

const hosts = Array.from({ length: 12 }, (_, n) => `h${n}.test`);
const endpointsOfHost = 10;
/** As many as an endpoint may have under way at first. */
const deliveriesEach = 4;

let parts: Awaited<ReturnType<typeof startParts>>;
let authority: Authority;
let distrust: () => void;
let names: NameServer;
let nats: NatsConnection;
let bus: Bus;
const replicas: RunningService[] = [];

beforeAll(async () => {
  authority = await makeAuthority(hosts);
  distrust = trust(authority);
  names = await startNames(Object.fromEntries(hosts.map((host) => [host, ['127.0.0.1']])));
  parts = await startParts({
    CARILLON_WEBHOOK_DNS: names.address,
    CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    LOG_LEVEL: 'silent',
  });
  nats = await connect({ servers: parts.env['NATS_URL'] as string });
  for (const [subject, value] of [
    ['rpc.connectors.callback.check', { ok: true }],
    ['rpc.connectors.callback.begin', null],
  ] as const)
    nats.subscribe(subject, {
      callback: (_, message) => {
        const { id } = message.json<{ id: string }>();
        message.respond(JSON.stringify({ id, response: { value }, isDisposed: true }));
      },
    });
  for (let n = 0; n < 2; n += 1)
    replicas.push(await startService({ name: 'webhooks', module: WebhooksModule }));
  bus = await sharedBus.take();
}, 60_000);
afterAll(async () => {
  for (const replica of replicas) await replica.close();
  await sharedBus.release();
  await nats?.close();
  await parts?.stop();
  await names?.stop();
  distrust();
  authority?.remove();
}, 60_000);

const interaction: Decider<null, InteractionEvent> = {
  category: 'interaction',
  initial: null,
  evolve: () => null,
  personal: {
    InteractionAsked: ['title', 'prompt', 'choices'],
    InteractionAnswered: ['response'],
    InteractionCanceled: [],
    InteractionExpired: [],
  },
};

async function expired(accountId: string, webhookId: string): Promise<void> {
  const at = replicas[0]!.get(Clock).now();
  const interactionId = newId('int', Date.parse(at));
  const of = {
    interactionId,
    accountId,
    presentation: 'notification',
    liveActivityId: null,
    webhookIds: [webhookId],
  } as const;
  const asked = { title: 'Deploy', prompt: 'Shall it go out?', deviceIds: [], askedAt: at, expiresAt: at };
  const commandId = randomUUID();
  await replicas[0]!
    .get(Log)
    .appendTo(
      interaction,
      streamTail(interactionId),
      [interactionAsked({ ...of, ...asked }), { type: 'InteractionExpired', ...of, expiredAt: at }],
      'no_stream',
      { commandId, correlationId: commandId, accountId, actor: { accountId } },
    );
}

it('two replicas share a backlog that one does not take in hand alone, and send each delivery once', async () => {
  const receiver = await Receiver.start(authority);
  receiver.ignore();
  const waiting: (() => void)[] = [];
  receiver.says(() => new Promise((resolve) => waiting.push(() => resolve({}))));
  const database = replicas[0]!.get(Database);
  try {
    // Every lease is written down, since a row forgets its owner.
    await database.query(`CREATE TABLE leased (owner integer, delivery_id text)`);
    await database.query(
      `CREATE FUNCTION write_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO leased VALUES (NEW.owner, NEW.delivery_id); RETURN NULL; END $$`,
    );
    await database.query(
      `CREATE TRIGGER lease AFTER INSERT OR UPDATE OF owner ON replies
       FOR EACH ROW WHEN (NEW.owner IS NOT NULL) EXECUTE FUNCTION write_lease()`,
    );
    const ask = askOn(() => bus);
    const endpoints = await Promise.all(
      Array.from({ length: hosts.length * endpointsOfHost }, async (_, n) => {
        const accountId = newAccount();
        const url = receiver.at('/', hosts[n % hosts.length]);
        const { webhook } = await ask(accountId, Webhooks.create, { name: 'Bot', url });
        return { accountId, webhookId: webhook.id };
      }),
    );
    const count = endpoints.length * deliveriesEach;
    for (let n = 0; n < deliveriesEach; n += 1)
      await Promise.all(endpoints.map(({ accountId, webhookId }) => expired(accountId, webhookId)));
    const held = () =>
      database.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM replies WHERE owner IS NOT NULL GROUP BY owner ORDER BY 1`,
      );
    await eventually(
      async () => (await held()).length === 2 || undefined,
      () => 'only one replica has deliveries in hand',
      60_000,
    );
    receiver.says({});
    for (const go of waiting) go();
    await eventually(
      async () =>
        (await database.query(`SELECT 1 FROM replies WHERE status <> 'delivered' LIMIT 1`)).length === 0 ||
        undefined,
      () => 'not all were delivered',
      60_000,
    );
    const shares = await database.query<{ owner: number; count: number }>(
      `SELECT owner, count(DISTINCT delivery_id)::integer AS count FROM leased GROUP BY owner`,
    );
    expect(shares).toHaveLength(2);
    for (const share of shares) expect(share.count).toBeGreaterThan(count / 5);
    const attempts = await database.query<{ attempts: number; count: number }>(
      `SELECT attempts, count(*)::integer AS count FROM replies GROUP BY attempts`,
    );
    expect(attempts).toEqual([{ attempts: 1, count }]);
    expect(receiver.count).toBe(count);
  } finally {
    await receiver.stop();
  }
}, 180_000);
