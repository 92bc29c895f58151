import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Bus } from '@carillon/bus';
import { type InteractionEvent, Webhooks } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import type { Decider } from '@carillon/eventing';
import { Clock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  askOn,
  type Authority,
  end,
  eventually,
  interactionAsked,
  makeAuthority,
  newAccount,
  type ReceivedReply,
  Receiver,
  startParts,
  startServiceProcess,
  trust,
} from '@carillon/testkit';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { WebhooksModule } from '../webhooks.module';

const accounts = 12;
const endsBefore = 5;
const endsDuring = 10;

let parts: Awaited<ReturnType<typeof startParts>>;
let authority: Authority;
let distrust: () => void;
let nats: NatsConnection;
let database: Database;
let doomed: ChildProcess;
let survivor: RunningService;
let bus: Bus;
let receiver: Receiver;
/** The number of the process that is killed, as rows name it. */
let doomedOwner: number;

beforeAll(async () => {
  authority = await makeAuthority();
  distrust = trust(authority);
  parts = await startParts({ CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'silent' });
  nats = await connect({ servers: parts.env['NATS_URL'] as string });
  for (const [subject, value] of [
    ['rpc.connectors.callback.check', { ok: true }],
    ['rpc.connectors.callback.begin', null],
    ['rpc.accounts.rate.take', { grants: [{ granted: 1, remaining: 0, resetSeconds: 7 }] }],
  ] as const)
    nats.subscribe(subject, {
      callback: (_, message) => {
        const { id } = message.json<{ id: string }>();
        message.respond(JSON.stringify({ id, response: { value }, isDisposed: true }));
      },
    });
  // First, so that it is the one that writes the rows of deliveries, and hands them to its sender.
  doomed = await startServiceProcess('webhooks', { NODE_EXTRA_CA_CERTS: authority.caFile });
  database = await Database.open({ url: parts.env['DATABASE_URL']!, schema: 'webhooks', migrations: [] });
  const [owner] = await database.query<{ number: number }>(
    `SELECT substring(name FROM '^owner ([0-9]+)$')::integer AS number FROM leases WHERE name LIKE 'owner %'`,
  );
  doomedOwner = owner!.number;
  // Every lease is written down, since a row forgets its owner.
  await database.query(`CREATE TABLE leased (owner integer, message_id text)`);
  await database.query(
    `CREATE FUNCTION write_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO webhooks.leased VALUES (NEW.owner, NEW.message_id); RETURN NULL; END $$`,
  );
  await database.query(
    `CREATE TRIGGER lease AFTER INSERT OR UPDATE OF owner ON replies
     FOR EACH ROW WHEN (NEW.owner IS NOT NULL) EXECUTE FUNCTION write_lease()`,
  );
  survivor = await startService({ name: 'webhooks', module: WebhooksModule });
  bus = await sharedBus.take();
  receiver = await Receiver.start(authority);
}, 120_000);
afterAll(async () => {
  if (doomed) await end(doomed, 'SIGKILL');
  await survivor?.close();
  await receiver?.stop();
  await database?.close();
  await sharedBus.release();
  await nats?.close();
  await parts?.stop();
  distrust();
  authority?.remove();
}, 60_000);

const ask = askOn(() => bus);

/** The interactions service is another one; here are only its words. */
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

async function ended(accountId: string, webhookId: string): Promise<void> {
  const at = survivor.get(Clock).now();
  const interactionId = newId('int', survivor.get(Clock).ms());
  const of = {
    interactionId,
    accountId,
    presentation: 'notification',
    liveActivityId: null,
    webhookIds: [webhookId],
  } as const;
  const commandId = randomUUID();
  await survivor
    .get(Log)
    .appendTo(
      interaction,
      streamTail(interactionId),
      [
        interactionAsked({ ...of, deviceIds: [], askedAt: at, expiresAt: at }),
        { type: 'InteractionCanceled', ...of, canceledAt: at },
      ],
      'no_stream',
      { commandId, correlationId: commandId, accountId, actor: { accountId } },
    );
}

const is = (what: string, look: () => Promise<boolean> | boolean): Promise<true> =>
  eventually(
    async () => (await look()) || undefined,
    () => what,
    90_000,
  );
const delivered = async (): Promise<number> => {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM replies WHERE status = 'delivered'`,
  );
  return row!.count;
};
/** The ids of what the killed process has ever leased. */
const leasedByDoomed = async (): Promise<Set<string>> => {
  const rows = await database.query<{ message_id: string }>(
    `SELECT message_id FROM leased WHERE owner = $1`,
    [doomedOwner],
  );
  return new Set(rows.map(({ message_id }) => message_id));
};
const idOf = ({ headers }: ReceivedReply): string => String(headers['webhook-id']);

it('a replica that is killed while both share the partitions loses no delivery, repeats only those that it had in hand, and leaves no gap', async () => {
  await is('the two replicas do not share the partitions', () => {
    const { owned = 0, count = 0 } = survivor.get(Projections).partitions() ?? {};
    return owned > 0 && owned < count;
  });
  const endpoints = await Promise.all(
    Array.from({ length: accounts }, async (_, n) => {
      const accountId = newAccount();
      const url = receiver.at(`/${n}`);
      const { webhook } = await ask(accountId, Webhooks.create, { name: 'Bot', url });
      return { accountId, webhookId: webhook.id };
    }),
  );
  const endOnce = (): Promise<unknown> =>
    Promise.all(endpoints.map(({ accountId, webhookId }) => ended(accountId, webhookId)));
  for (let n = 0; n < endsBefore; n += 1) await endOnce();
  await is(
    'not all were delivered before the kill',
    async () => (await delivered()) === accounts * endsBefore,
  );
  const known = new Set(receiver.received().map(idOf));
  expect(known.size).toBe(accounts * endsBefore);

  // From here on the receiver takes each request and does not answer.
  const answers: (() => void)[] = [];
  receiver.says(() => new Promise((resolve) => answers.push(() => resolve({}))));
  const ending = (async () => {
    for (let n = 0; n < endsDuring; n += 1) await endOnce();
  })();
  await is('the process that is killed has no delivery in hand', async () => {
    const mine = await leasedByDoomed();
    return answers.length >= accounts && receiver.unexpected().some((reply) => mine.has(idOf(reply)));
  });
  await end(doomed, 'SIGKILL');
  receiver.says({});
  for (const answer of answers) answer();
  await ending;

  const all = accounts * (endsBefore + endsDuring);
  await is('not all were delivered after the kill', async () => (await delivered()) === all);
  const later = receiver.received();
  const times = new Map<string, number>();
  for (const reply of later) times.set(idOf(reply), (times.get(idOf(reply)) ?? 0) + 1);
  const repeated = [...times].filter(([, count]) => count > 1).map(([id]) => id);
  expect(repeated.length).toBeGreaterThan(0);
  const doubtful = await leasedByDoomed();
  expect(repeated.filter((id) => !doubtful.has(id))).toEqual([]);
  expect([...times.keys()].filter((id) => known.has(id))).toEqual([]);
  expect(Math.max(...times.values())).toBe(2);

  const rows = await database.query<{ webhook_id: string; sequences: string[] }>(
    `SELECT webhook_id, array_agg(sequence ORDER BY sequence) AS sequences FROM replies GROUP BY webhook_id`,
  );
  expect(rows).toHaveLength(accounts);
  for (const { sequences } of rows)
    expect(sequences.map(Number)).toEqual(
      Array.from({ length: endsBefore + endsDuring }, (_, index) => index + 1),
    );
  for (let n = 0; n < accounts; n += 1) {
    const numbers = new Map(
      later
        .filter(({ path }) => path === `/${n}`)
        .map((reply) => [idOf(reply), reply.headers['carillon-sequence']]),
    );
    expect([...numbers.values()].map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: endsDuring }, (_, index) => endsBefore + index + 1),
    );
  }
}, 240_000);
