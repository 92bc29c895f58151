import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { Bus } from '@carillon/bus';
import {
  type CreateWebhook,
  type InteractionEnded,
  type InteractionEvent,
  type ReplyWebhookDelivery,
  Webhooks,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  askOn,
  type Authority,
  contextOf,
  eventually,
  freePort,
  interactionAsked,
  makeAuthority,
  type NameServer,
  newAccount,
  poison,
  Receiver,
  rejoin,
  rowsReach,
  setAside,
  startNames,
  startParts,
  streamMetadata,
  trust,
} from '@carillon/testkit';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Webhook } from 'standardwebhooks';
import { WebhooksModule } from '../webhooks.module';
import { DisconnectedReplies, RepliesOfEnded } from './ended-replies.worker';
import { ReplyWorker } from './reply.worker';

let parts: Awaited<ReturnType<typeof startParts>>;
let authority: Authority;
let distrust: () => void;
let names: NameServer;
let running: RunningService;
let bus: Bus;
let nats: NatsConnection;
let database: Database;
let log: Log;
let clock: ManualClock;

/** Calls to the other services. */
const notices: { input: any; context: any }[] = [];
let granted = 1;

beforeAll(async () => {
  authority = await makeAuthority(['bot.test', 'rebound.test']);
  distrust = trust(authority);
  names = await startNames({ 'bot.test': ['127.0.0.1'] });
  parts = await startParts({
    CARILLON_WEBHOOK_DNS: names.address,
    CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    LOG_LEVEL: 'silent',
  });
  nats = await connect({ servers: parts.env['NATS_URL'] as string });
  stand('rpc.notifications.notification.send', (data) => {
    notices.push(data);
    return { value: {} };
  });
  stand('rpc.accounts.rate.take', () => ({
    value: { grants: [{ granted, remaining: 0, resetSeconds: 7 }] },
  }));
  stand('rpc.connectors.callback.check', () => ({ value: { ok: true } }));
  stand('rpc.connectors.callback.begin', () => ({ value: null }));
  running = await startService({ name: 'webhooks', module: WebhooksModule });
  bus = await sharedBus.take();
  database = running.get(Database);
  log = running.get(Log);
  clock = running.get(Clock) as ManualClock;
}, 60_000);
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await nats?.close();
  await parts?.stop();
  await names?.stop();
  distrust();
  authority?.remove();
}, 60_000);

/** Another service, as far as it is asked here. */
function stand(subject: string, answer: (data: any) => object): void {
  nats.subscribe(subject, {
    callback: (_, message) => {
      const { id, data } = message.json<{ id: string; data: any }>();
      message.respond(JSON.stringify({ id, response: answer(data), isDisposed: true }));
    },
  });
}

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

const ask = askOn(() => bus);

/** A prompt of the account that has ended, as the interactions service would have put it on record. */
async function ended(
  accountId: string,
  webhookIds: readonly string[],
  end: 'answered' | 'canceled' | 'expired' = 'answered',
): Promise<string> {
  const interactionId = newId('int', clock.ms());
  const at = clock.now();
  const of = {
    interactionId,
    accountId,
    presentation: 'notification',
    liveActivityId: null,
    webhookIds,
  } as const;
  const asked = interactionAsked({
    ...of,
    title: 'Deploy',
    prompt: 'Shall it go out?',
    deviceIds: [],
    askedAt: at,
    expiresAt: at,
  });
  const ending: InteractionEnded =
    end === 'answered'
      ? {
          type: 'InteractionAnswered',
          ...of,
          status: 'approved',
          response: 'approved',
          respondingUserId: accountId,
          respondingDeviceId: null,
          answeredAt: at,
        }
      : end === 'canceled'
        ? { type: 'InteractionCanceled', ...of, canceledAt: at }
        : { type: 'InteractionExpired', ...of, expiredAt: at };
  const commandId = randomUUID();
  await log.appendTo(interaction, streamTail(interactionId), [asked, ending], 'no_stream', {
    commandId,
    correlationId: commandId,
    accountId,
    actor: { accountId },
  });
  return interactionId;
}

/** Another process that leases rows, for some minutes. */
const anotherOwner = (owner: number, minutes = 1) =>
  database.query(
    `INSERT INTO leases (name, holder, until)
     VALUES ($1, gen_random_uuid(), now() + make_interval(mins => $2))`,
    [`owner ${owner}`, minutes],
  );

const made = async (accountId: string, url: string, more: Partial<CreateWebhook> = {}) => {
  const { webhook, signingSecret } = await ask(accountId, Webhooks.create, { name: 'Bot', url, ...more });
  return { id: webhook.id, signingSecret };
};
const read = async (accountId: string, id: string, more: object = {}) => {
  await rowsReach(running.get(Projections), 'replies', await log.store.head());
  return ask(accountId, Webhooks.get, { id, limit: 100, ...more });
};
const deliveriesOf = async (accountId: string, id: string): Promise<ReplyWebhookDelivery[]> =>
  (await read(accountId, id)).deliveries;
/** Waits until the newest delivery is as told. */
const becomes = (accountId: string, id: string, status: ReplyWebhookDelivery['status'], attempts?: number) =>
  eventually(
    async () => {
      const [newest] = await deliveriesOf(accountId, id);
      return newest?.status === status && (attempts === undefined || newest.attempts === attempts)
        ? newest
        : undefined;
    },
    () => `no delivery became ${status}`,
    // Less than a lease lasts: nobody has to wait for one.
    25_000,
  );
const outboxOf = async (id: string) =>
  (await log.store.read(`outbox-${streamTail(id)}`)).map(({ data }) => data as any);
/** Waits until everything that has happened so far is in the outboxes. */
const queued = async () =>
  eventually(
    async () => {
      await rowsReach(running.get(Projections), 'outbox', await log.store.head());
      return true;
    },
    () => '',
  );
/** Waits until a restarted process has caught up. */
const replayed = async (name: string) => {
  const head = await log.store.head();
  await eventually(
    async () => {
      const [row] = await database.query<{ position: string }>(
        `SELECT min(position) AS position FROM projection_checkpoints WHERE name = $1`,
        [name],
      );
      return BigInt(row!.position) >= head || undefined;
    },
    () => `the process ${name} has not started again`,
  );
};
const eventsOf = async (stream: string) => (await log.store.read(stream)).map(({ type }) => type);

/** A failure after which nothing comes by itself for an hour, however slow the machine is. */
const later = { status: 503, headers: { 'retry-after': '3600' } };
const anHour = 3_601_000;

async function withReceiver(
  work: (receiver: Receiver) => Promise<void>,
  address = '127.0.0.1',
): Promise<void> {
  const receiver = await Receiver.start(authority, address);
  try {
    await work(receiver);
    expect(receiver.unexpected()).toEqual([]);
  } finally {
    await receiver.stop();
  }
}

describe('the end of a prompt', () => {
  it('arrives signed, with the saved headers and the number of the delivery', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id, signingSecret } = await made(account, receiver.at('/hooks?for=me'), {
        headers: [{ name: 'X-Key', value: 'planted' }],
      });
      const interactionId = await ended(account, [id]);
      const [reply] = await receiver.expect(1);
      expect(reply!.path).toBe('/hooks?for=me');
      expect(reply!.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'carillon-webhooks/1',
        'webhook-id': expect.stringMatching(/^msg_[0-9a-z]{26}$/),
        'x-key': 'planted',
        'carillon-sequence': '1',
      });
      expect(new Webhook(signingSecret).verify(reply!.text, reply!.headers as any)).toMatchObject({
        type: 'interaction.answered',
        data: { interaction: { id: interactionId, status: 'approved', title: 'Deploy' } },
        test: false,
      });
      const delivery = await becomes(account, id, 'delivered');
      expect(delivery).toEqual({
        id: expect.stringMatching(/^whd_[0-9a-z]{26}$/),
        type: 'interaction.answered',
        status: 'delivered',
        attempts: 1,
        responseCode: 204,
        latencyMs: expect.any(Number),
        error: null,
        createdAt: expect.any(String),
        deliveredAt: expect.any(String),
        nextAttemptAt: null,
        attemptLog: [
          {
            attempt: 1,
            attemptedAt: expect.any(String),
            status: 'delivered',
            latencyMs: delivery.latencyMs,
            responseCode: 204,
            error: null,
          },
        ],
      });
    }));

  it('leads to its deliveries, for the account that has asked alone', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const [kept, gone] = [await made(account, receiver.url), await made(account, receiver.url)];
      const off = await made(account, receiver.url, { enabled: false });
      const other = await ended(account, [kept.id]);
      const interactionId = await ended(account, [gone.id, kept.id, off.id]);
      // Complete at once, however far the rows are.
      const first = await ask(account, Webhooks.ofPrompt, { id: interactionId });
      expect(first.deliveries.map(({ webhookId }) => webhookId)).toEqual([kept.id, gone.id].sort());
      await receiver.expect(3);
      const delivered = await becomes(account, kept.id, 'delivered');
      await becomes(account, gone.id, 'delivered');
      await ask(account, Webhooks.remove, { id: gone.id });
      const { deliveries } = await ask(account, Webhooks.ofPrompt, { id: interactionId });
      expect(deliveries.find(({ webhookId }) => webhookId === kept.id)).toEqual({
        ...delivered,
        webhookId: kept.id,
        webhookName: 'Bot',
      });
      expect(deliveries.find(({ webhookId }) => webhookId === gone.id)).toMatchObject({
        status: 'delivered',
        webhookName: null,
      });
      const ofOther = (await ask(account, Webhooks.ofPrompt, { id: other })).deliveries;
      expect(ofOther).toMatchObject([{ webhookId: kept.id }]);
      expect(ofOther[0]!.id).not.toBe(delivered.id);
      for (const [caller, id] of [
        [newAccount(), interactionId],
        [account, `${interactionId}x`],
        [account, newId('int', clock.ms())],
      ] as const)
        await expect(ask(caller, Webhooks.ofPrompt, { id })).rejects.toMatchObject({
          reason: 'interaction.not_found',
        });
    }));

  it('is told once to an endpoint, however often it is named', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      await ended(account, [id, id]);
      await becomes(account, id, 'delivered');
      await ended(account, [id], 'expired');
      const replies = await receiver.expect(2);
      expect(replies.map(({ body }) => body.type)).toEqual(['interaction.answered', 'interaction.expired']);
      expect(replies.map(({ headers }) => headers['carillon-sequence'])).toEqual(['1', '2']);
    }));

  it('is not sent to an endpoint that is disabled, deleted, of another account, or has not subscribed', async () => {
    const account = newAccount();
    const url = `https://127.0.0.1:${await freePort()}/`;
    const disabled = await made(account, url, { enabled: false });
    const unsubscribed = await made(account, url, { events: ['interaction.expired'] });
    const deleted = await made(account, url);
    await ask(account, Webhooks.remove, { id: deleted.id });
    const foreign = await made(newAccount(), url);
    const all = [disabled, unsubscribed, deleted, foreign].map(({ id }) => id);
    await ended(account, [...all, 'whk_0123456789abcdefghjkmnpqrs']);
    await queued();
    for (const id of all) expect(await outboxOf(id)).toEqual([]);
  });

  it('is queued once and without gaps when the process starts again, and nothing else is', () =>
    withReceiver(async (receiver) => {
      receiver.ignore();
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      const off = await made(account, receiver.url, { enabled: false });
      for (let n = 0; n < 5; n += 1) await ended(account, [id, off.id]);
      await queued();
      const before = await outboxOf(id);
      expect(before.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
      // An endpoint that was disabled then is enabled now: past ends stay skipped.
      await ask(account, Webhooks.change, { id: off.id, enabled: true });
      await database.query(`UPDATE projection_checkpoints SET position = 0 WHERE name = 'outbox'`);
      await ended(account, [id, off.id]);
      await eventually(
        async () => ((await outboxOf(off.id)).length > 0 && (await outboxOf(id)).length > 5) || undefined,
        () => 'the process has not started again',
      );
      await replayed('outbox');
      const after = await outboxOf(id);
      expect(after.slice(0, 5)).toEqual(before);
      expect(after.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
      expect((await outboxOf(off.id)).map(({ sequence }) => sequence)).toEqual([1]);
      await eventually(
        async () =>
          (await deliveriesOf(account, id)).every(({ status }) => status === 'delivered') || undefined,
        () => 'not all were delivered',
      );
      expect(receiver.count).toBe(7);
    }));

  it(
    'is told once by two replicas',
    () =>
      withReceiver(async (receiver) => {
        receiver.ignore();
        const account = newAccount();
        const { id } = await made(account, receiver.url);
        const second = await startService({ name: 'webhooks', module: WebhooksModule });
        try {
          await Promise.all(Array.from({ length: 40 }, () => ended(account, [id])));
          await eventually(
            async () =>
              (await deliveriesOf(account, id)).filter(({ status }) => status === 'delivered').length ===
                40 || undefined,
            () => 'not all were delivered',
            40_000,
          );
        } finally {
          await second.close();
        }
        const numbers = receiver.received().map(({ headers }) => Number(headers['carillon-sequence']));
        expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
      }),
    90_000,
  );
});

describe('a delivery that fails', () => {
  const failing = async (url: string) => {
    const account = newAccount();
    const { id } = await made(account, url);
    await ended(account, [id]);
    return (await becomes(account, id, 'retrying')).attemptLog[0]!;
  };

  it('is made again with the same id, a fresh time and a fresh signature', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id, signingSecret } = await made(account, receiver.url);
      receiver.says({ status: 500 });
      await ended(account, [id]);
      await becomes(account, id, 'retrying', 1);
      await clock.advance(6_000);
      await becomes(account, id, 'retrying', 2);
      receiver.says({});
      await clock.advance(331_000);
      await becomes(account, id, 'delivered', 3);
      const replies = await receiver.expect(3);
      expect(new Set(replies.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(new Set(replies.map(({ headers }) => headers['carillon-sequence']))).toEqual(new Set(['1']));
      for (const { text, headers } of replies) new Webhook(signingSecret).verify(text, headers as any);
    }));

  it(
    'is over after ten attempts, as the schedule has them',
    () =>
      withReceiver(async (receiver) => {
        const account = newAccount();
        const { id } = await made(account, receiver.url);
        receiver.says({ status: 503 });
        await ended(account, [id]);
        for (let attempt = 1; attempt < 10; attempt += 1) {
          const { nextAttemptAt } = await becomes(account, id, 'retrying', attempt);
          const pause = Date.parse(nextAttemptAt!) - clock.ms();
          // Not for the first, which is over in seconds by itself.
          if (pause > 120_000) {
            await clock.advance(pause - 60_000);
            expect((await deliveriesOf(account, id))[0]!.attempts).toBe(attempt);
          }
          await clock.advance(Math.max(0, Date.parse(nextAttemptAt!) - clock.ms()));
        }
        const delivery = await becomes(account, id, 'failed', 10);
        expect(delivery.nextAttemptAt).toBeNull();
        expect(delivery.attemptLog.map(({ attempt, status }) => [attempt, status])).toEqual([
          ...Array.from({ length: 9 }, (_, index) => [index + 1, 'retrying']),
          [10, 'failed'],
        ]);
        await receiver.expect(10);
      }),
    90_000,
  );

  it('waits for as long as the receiver asks', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says({ status: 429, headers: { 'retry-after': '3600' } });
      await ended(account, [id]);
      const { attemptLog, nextAttemptAt, latencyMs } = await becomes(account, id, 'retrying', 1);
      expect(Date.parse(nextAttemptAt!) - Date.parse(attemptLog[0]!.attemptedAt)).toBe(
        3_600_000 + latencyMs!,
      );
      await receiver.expect(1);
      await ask(account, Webhooks.remove, { id });
    }));

  it('is not sent where it is redirected to', () =>
    withReceiver(async (receiver) => {
      receiver.says({ status: 307, headers: { location: receiver.at('/elsewhere') } });
      expect(await failing(receiver.url)).toMatchObject({ error: 'http_status', responseCode: 307 });
      expect((await receiver.expect(1))[0]!.path).toBe('/hooks');
    }));

  it('is one whose answer is too large', () =>
    withReceiver(async (receiver) => {
      receiver.says({ status: 200, body: Buffer.alloc(16 * 1024 + 1, 'x') });
      expect(await failing(receiver.url)).toMatchObject({ error: 'response_too_large', responseCode: 200 });
      await receiver.expect(1);
    }));

  it('is not one whose answer is just not too large', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says({ status: 200, body: Buffer.alloc(16 * 1024, 'planted-answer') });
      await ended(account, [id]);
      await becomes(account, id, 'delivered');
      await receiver.expect(1);
      const rows = await database.query(`SELECT * FROM replies WHERE webhook_id = $1`, [id]);
      expect(JSON.stringify(rows)).not.toContain('planted-answer');
    }));

  it('is one whose connection ends before the answer', () =>
    withReceiver(async (receiver) => {
      receiver.says({ does: 'cut' });
      expect(await failing(receiver.url)).toMatchObject({ error: 'connect_error', responseCode: null });
      await receiver.expect(1);
    }));

  it('is one whose connection ends in the middle of the answer', () =>
    withReceiver(async (receiver) => {
      receiver.says({
        headers: { 'content-length': '100' },
        status: 200,
        body: 'x',
        does: 'cut in the middle',
      });
      expect(await failing(receiver.url)).toMatchObject({ error: 'connect_error', responseCode: 200 });
      await receiver.expect(1);
    }));

  it('is one where nobody listens', async () => {
    const port = await freePort();
    expect(await failing(`https://127.0.0.1:${port}/`)).toMatchObject({ error: 'connect_error' });
  });

  it('is one whose certificate is of somebody unknown', async () => {
    const stranger = await makeAuthority();
    const receiver = await Receiver.start(stranger);
    try {
      expect(await failing(receiver.url)).toMatchObject({ error: 'tls_error', responseCode: null });
      expect(receiver.count).toBe(0);
    } finally {
      await receiver.stop();
      stranger.remove();
    }
  });

  it('is one whose certificate is for another name', async () => {
    names.says('other.test', ['127.0.0.1']);
    const receiver = await Receiver.start(authority);
    try {
      expect(await failing(receiver.at('/', 'other.test'))).toMatchObject({ error: 'tls_error' });
      expect(receiver.count).toBe(0);
    } finally {
      await receiver.stop();
    }
  });

  it('is one that speaks no TLS', async () => {
    const port = await freePort();
    const server = createServer((_, response) => response.end()).listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await failing(`https://127.0.0.1:${port}/`)).toMatchObject({ error: 'tls_error' });
    server.close();
  });

  it('is one whose name nobody knows', async () => {
    expect(await failing('https://nobody.test/')).toMatchObject({ error: 'dns_error', responseCode: null });
  });

  it('is one that takes more than 15 seconds, be it for the answer or within it', () =>
    withReceiver(async (silent) => {
      await withReceiver(async (dripping) => {
        silent.says({ does: 'hang' });
        dripping.says({ status: 200, body: 'x', does: 'hang in the middle' });
        const [first, second] = await Promise.all([failing(silent.url), failing(dripping.url)]);
        expect(first).toMatchObject({ error: 'timeout', responseCode: null });
        expect(second).toMatchObject({ error: 'timeout', responseCode: 200 });
        for (const { latencyMs } of [first, second]) expect(latencyMs).toBeGreaterThanOrEqual(14_900);
        await silent.expect(1);
        await dripping.expect(1);
      });
    }));

  it('is one that takes the connection and then more than 5 seconds for TLS', async () => {
    const sockets: Socket[] = [];
    const port = await freePort();
    const server = createTcpServer((socket) => void sockets.push(socket)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const { error, latencyMs } = await failing(`https://127.0.0.1:${port}/`);
    expect(error).toBe('timeout');
    expect(latencyMs).toBeGreaterThanOrEqual(4_900);
    expect(latencyMs).toBeLessThan(14_900);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('where a delivery goes', () => {
  it('is looked up and checked at each attempt', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      names.says('rebound.test', ['127.0.0.1']);
      const { id } = await made(account, receiver.at('/', 'rebound.test'));
      receiver.says({ status: 500 });
      await ended(account, [id]);
      await becomes(account, id, 'retrying', 1);
      await receiver.expect(1);
      // The same machine by an address that is not allowed: it would answer.
      names.says('rebound.test', ['127.0.0.2']);
      await clock.advance(6_000);
      expect(await becomes(account, id, 'retrying', 2)).toMatchObject({
        error: 'blocked_address',
        responseCode: null,
      });
      names.says('rebound.test', ['127.0.0.1', '10.0.0.1']);
      await clock.advance(331_000);
      expect(await becomes(account, id, 'retrying', 3)).toMatchObject({ error: 'blocked_address' });
      names.says('rebound.test', ['127.0.0.1']);
      receiver.says({});
      await clock.advance(34 * 60_000);
      await becomes(account, id, 'delivered', 4);
      await receiver.expect(1);
    }, '0.0.0.0'));

  it('is a connection that was opened for the same addresses, or a new one', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      names.says('rebound.test', ['127.0.0.1']);
      const { id } = await made(account, receiver.at('/', 'rebound.test'));
      const deliver = async (): Promise<number> => {
        await ended(account, [id]);
        await receiver.expect(1);
        return receiver.connections;
      };
      expect([await deliver(), await deliver(), await deliver()]).toEqual([1, 1, 1]);
      names.says('rebound.test', ['127.0.0.1', '93.184.216.34']);
      expect([await deliver(), await deliver()]).toEqual([2, 2]);
    }));

  it('is a new connection when the receiver has closed the one that was kept', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      await ended(account, [id]);
      await receiver.expect(1);
      // As a receiver does that closes idle connections, at the worst moment: it has just got the next request.
      receiver.says(() => (receiver.connections === 1 ? { does: 'cut' } : {}));
      await ended(account, [id]);
      const [first, second] = await receiver.expect(2);
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(await becomes(account, id, 'delivered', 1)).toMatchObject({ error: null });
    }));

  it('is the new address once it was changed', () =>
    withReceiver(async (before) => {
      await withReceiver(async (after) => {
        const account = newAccount();
        const { id } = await made(account, before.url);
        before.says(later);
        await ended(account, [id]);
        await becomes(account, id, 'retrying', 1);
        await ask(account, Webhooks.change, { id, url: after.url });
        await clock.advance(anHour);
        await becomes(account, id, 'delivered', 2);
        const [first] = await before.expect(1);
        const [second] = await after.expect(1);
        expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      });
    }));
});

describe('the row of a delivery', () => {
  it('is deleted after 30 days, unless the delivery has not ended', async () => {
    const account = newAccount();
    const daysAgo = (days: number) => new Date(clock.ms() - days * 86_400_000);
    const inAYear = daysAgo(-365);
    await database.query(
      `INSERT INTO replies (delivery_id, webhook_id, account_id, message_id, reply_type, status, attempts,
         attempt_log, created_at, due_at)
       SELECT id, 'none', $1, id, 'test', 'delivered', 1, '[]', made_at, due_at
       FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) n (id, made_at, due_at)`,
      [
        account,
        ['old', 'young', 'waiting'],
        [daysAgo(30.01), daysAgo(29.99), daysAgo(31)],
        [null, null, inAYear],
      ],
    );
    await clock.advance(0);
    const rows = await database.query<{ delivery_id: string }>(
      `DELETE FROM replies WHERE account_id = $1 RETURNING delivery_id`,
      [account],
    );
    expect(rows.map(({ delivery_id }) => delivery_id).sort()).toEqual(['waiting', 'young']);
  });
});

describe('an endpoint that is switched off', () => {
  it('gets nothing of what waited, also when it is switched on again', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says(later);
      await ended(account, [id]);
      await becomes(account, id, 'retrying', 1);
      await ask(account, Webhooks.change, { id, enabled: false });
      expect((await deliveriesOf(account, id))[0]).toMatchObject({ status: 'canceled', nextAttemptAt: null });
      await ask(account, Webhooks.change, { id, enabled: true });
      const { id: deliveryId } = await becomes(account, id, 'canceled');
      await clock.advance(anHour);
      await eventually(
        async () =>
          (await eventsOf(`reply-${streamTail(deliveryId)}`)).join() === 'ReplyAttempted,ReplyCanceled' ||
          undefined,
        () => 'its cancelation is not on record',
      );
      await receiver.expect(1);
    }));

  it('got what waited when it was switched on again before its row knew', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says(later);
      await ended(account, [id]);
      const { id: deliveryId } = await becomes(account, id, 'retrying', 1);
      receiver.says({});
      // Another replica leases the row until the webhook is enabled again.
      await anotherOwner(9);
      await database.query(
        `UPDATE replies SET owner = 9, owned_until = now() + interval '1 minute' WHERE webhook_id = $1`,
        [id],
      );
      for (const enabled of [false, true]) await ask(account, Webhooks.change, { id, enabled });
      await rowsReach(running.get(Projections), 'replies', await log.store.head());
      await clock.advance(anHour);
      await database.query(
        `UPDATE replies SET cancel = NULL, owner = NULL, owned_until = NULL WHERE webhook_id = $1`,
        [id],
      );
      await becomes(account, id, 'canceled', 1);
      expect(await eventsOf(`reply-${streamTail(deliveryId)}`)).toEqual(['ReplyAttempted', 'ReplyCanceled']);
      // What is asked for since is told.
      await ask(account, Webhooks.resend, { id, deliveryId });
      await becomes(account, id, 'delivered', 2);
      await ended(account, [id]);
      await becomes(account, id, 'delivered', 1);
      await receiver.expect(3);
    }));

  it('gets nothing of what waited when it is deleted', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says(later);
      await ended(account, [id]);
      const { id: deliveryId } = await becomes(account, id, 'retrying', 1);
      await ask(account, Webhooks.remove, { id });
      await eventually(
        async () =>
          (await eventsOf(`reply-${streamTail(deliveryId)}`)).join() === 'ReplyAttempted,ReplyCanceled' ||
          undefined,
        () => 'its cancelation is not on record',
      );
      await clock.advance(anHour);
      await receiver.expect(1);
    }));

  it('shows many that waited as canceled at once, and changes their rows 5,000 a transaction', async () => {
    const account = newAccount();
    const { id } = await made(account, 'https://bot.test/');
    const connectorId = newId('con', clock.ms());
    // The worker leaves them alone.
    await anotherOwner(19, 60);
    const waiting = (name: string, count: number, more: string) =>
      database.query(
        `INSERT INTO replies (delivery_id, webhook_id, account_id, message_id, reply_type, sequence, status, attempts,
           attempt_log, created_at, due_at, owner, owned_until, connector_id, wanted, tried)
         SELECT $2 || n, $1, $3, $2 || n, 'interaction.answered', n, 'retrying', 1, '[]',
           $4::timestamptz + n * interval '1 millisecond', $4::timestamptz + interval '1 day', 19,
           now() + interval '1 hour', ${more} FROM generate_series(1, $5::integer) n`,
        [id, `${account} ${name} `, account, clock.now(), count],
      );
    await waiting('old', 12_000, `NULL, 1, 1`);
    await database.query(`CREATE TABLE endings (n integer)`);
    await database.query(
      `CREATE FUNCTION note_ending() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO endings SELECT count(*) FROM after JOIN before USING (delivery_id)
         WHERE after.cancel IS DISTINCT FROM before.cancel HAVING count(*) > 0; RETURN NULL; END $$`,
    );
    await database.query(
      `CREATE TRIGGER noted AFTER UPDATE ON replies REFERENCING OLD TABLE AS before NEW TABLE AS after
       FOR EACH STATEMENT EXECUTE FUNCTION note_ending()`,
    );
    const locking = await database.connect();
    await locking.query(`BEGIN`);
    const some = `delivery_id IN (SELECT $1 || ' old ' || n FROM generate_series(1, 20) n)`;
    await locking.query(`SELECT FROM replies WHERE ${some} FOR UPDATE`, [account]);
    const endings = async (): Promise<number[]> =>
      (await database.query<{ n: number }>(`SELECT n FROM endings ORDER BY n DESC`)).map(({ n }) => n);
    const open = async (name: string): Promise<number> =>
      (
        await database.query(
          `SELECT FROM replies WHERE delivery_id LIKE $1 || ' ' || $2 || ' %' AND cancel IS NULL`,
          [account, name],
        )
      ).length;

    await ask(account, Webhooks.change, { id, enabled: false });
    await waiting('newer', 10, `NULL, 1e15, 1`);
    const { deliveries } = await read(account, id, { status: 'canceled' });
    expect(deliveries).toHaveLength(100);
    expect((await read(account, id, { status: 'retrying' })).deliveries).toHaveLength(10);
    await eventually(
      async () => (await open('old')) === 20 || undefined,
      () => 'the rows are not changed',
      60_000,
    );
    expect(await endings()).toEqual([5_000, 5_000, 1_980]);
    await locking.query(`COMMIT`);
    await locking.end();
    await eventually(
      async () => (await open('old')) === 0 || undefined,
      () => 'the rows that were locked are not changed',
      60_000,
    );
    expect(await open('newer')).toBe(10);

    // A URL that was changed since the attempt no longer names the connector.
    await waiting('through', 10, `'${connectorId}', 1e15, 1`);
    await ask(account, Webhooks.change, { id, url: 'https://other.test/' });
    await rowsReach(running.get(Projections), 'replies', await log.store.head());
    for (const name of ['through-new', 'through-resent'])
      await waiting(name, 10, `'${connectorId}', 1e15, 1`);
    const removed = { type: 'ConnectorRemoved', connectorId, removedAt: clock.now() };
    await database.query(
      `UPDATE replies SET tried = position, wanted = CASE WHEN delivery_id LIKE '% through-new %' THEN 1 ELSE wanted END
       FROM moved_webhooks m WHERE m.webhook_id = $2 AND replies.webhook_id = $2
         AND delivery_id LIKE $1 || ' through-%'`,
      [account, id],
    );
    // No command for the endpoint is left, which would cancel these too.
    await eventually(
      async () => (await database.query(`SELECT FROM timers WHERE key = $1`, [id])).length === 0 || undefined,
      () => 'the command for the endpoint is left',
    );
    await log.appendTo(
      { category: 'connector', initial: null, evolve: () => null, personal: { ConnectorRemoved: [] } },
      streamTail(connectorId),
      [removed as DomainEvent],
      'any',
      streamMetadata(account, { accountId: account }),
    );
    await rowsReach(running.get(Projections), 'replies', await log.store.head());
    expect((await read(account, id, { status: 'canceled' })).deliveries).toHaveLength(100);
    expect((await read(account, id, { status: 'retrying' })).deliveries).toHaveLength(30);
    await eventually(
      async () => (await open('through-new')) === 0 || undefined,
      () => 'the deliveries through the connector wait',
    );
    expect(await open('through')).toBe(10);
    // These were asked for again after the removal.
    expect(await open('through-resent')).toBe(10);
    await database.query(`DELETE FROM replies WHERE account_id = $1`, [account]);
    await database.query(`DROP TRIGGER noted ON replies`);
  }, 120_000);

  it('and whose connector is removed has its rows changed once for each', async () => {
    const account = newAccount();
    const [id, connectorId] = [newId('whk', 1), newId('con', 1)];
    await anotherOwner(29);
    await database.query(
      `INSERT INTO replies (delivery_id, webhook_id, account_id, message_id, reply_type, sequence, status, attempts,
         attempt_log, created_at, due_at, owner, owned_until, connector_id, wanted, tried)
       VALUES ($1, $1, $2, $1, 'interaction.answered', 1, 'retrying', 1, '[]', $3, $3, 29, now() + interval '1 minute',
         $4, 1, 2)`,
      [id, account, clock.now(), connectorId],
    );
    const metadata = streamMetadata(account, { accountId: account });
    const changed = async (): Promise<{ cancel: string; place: string }> => {
      await database.transaction(async (sql) => {
        // In a rebuild rows are changed at once.
        const rebuild = { query: sql.query.bind(sql), rebuilding: true };
        const [at, from] = [clock.now(), { id: randomUUID(), metadata, position: 10n }];
        await running.get(RepliesOfEnded).end(rebuild, { id, reason: 'disabled', at }, from);
        await running.get(DisconnectedReplies).end(rebuild, { id: connectorId, reason: 'deleted', at }, from);
      });
      const [row] = await database.query(
        `SELECT cancel, ctid::text AS place FROM replies WHERE webhook_id = $1`,
        [id],
      );
      return row;
    };
    const once = await changed();
    expect(once.cancel).toBe('deleted');
    expect(await changed()).toEqual(once);
    await database.query(`DELETE FROM replies WHERE account_id = $1`, [account]);
  });

  it('was gone, as its receiver has said', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says(later);
      await ended(account, [id]);
      await becomes(account, id, 'retrying', 1);
      receiver.says({ status: 410 });
      await ended(account, [id]);
      await eventually(
        async () => !(await read(account, id)).webhook.enabled || undefined,
        () => 'it is still enabled',
      );
      await eventually(
        async () => notices.some(({ context }) => context.caller.accountId === account) || undefined,
        () => 'its owner was not told',
      );
      const [newer, older] = await deliveriesOf(account, id);
      expect(newer).toMatchObject({ status: 'failed', attempts: 1, responseCode: 410, error: 'http_status' });
      expect(older).toMatchObject({ status: 'canceled', attempts: 1 });
      const told = notices.filter(({ context }) => context.caller.accountId === account);
      expect(told).toMatchObject([
        {
          input: { title: 'A reply webhook was switched off', body: expect.stringContaining('"Bot"') },
          context: { idempotency: { key: expect.stringContaining('webhook disabled') } },
        },
      ]);
      await receiver.expect(2);
    }));

  it('stays on when it was changed after the receiver said so, however often that is looked at', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says({ status: 410 });
      await ended(account, [id]);
      await eventually(
        async () => !(await read(account, id)).webhook.enabled || undefined,
        () => 'it is still enabled',
      );
      await clock.advance(1_000);
      await ask(account, Webhooks.change, { id, enabled: true });
      await database.query(`UPDATE projection_checkpoints SET position = 0 WHERE name = 'health'`);
      receiver.says({});
      await ended(account, [id]);
      await becomes(account, id, 'delivered');
      await replayed('health');
      expect((await read(account, id)).webhook.enabled).toBe(true);
      await receiver.expect(2);
    }));

  it(
    'took nothing for five days',
    () =>
      withReceiver(async (receiver) => {
        receiver.ignore();
        receiver.says({ status: 500 });
        const account = newAccount();
        const { id } = await made(account, receiver.url);
        const day = 24 * 60 * 60 * 1000;
        for (let days = 0; days < 5; days += 1) {
          await ended(account, [id]);
          await becomes(account, id, 'retrying', 1);
          expect((await read(account, id)).webhook.enabled).toBe(true);
          await clock.advance(day);
        }
        await ended(account, [id]);
        await eventually(
          async () => !(await read(account, id)).webhook.enabled || undefined,
          () => 'it is still enabled',
        );
        const events = await log.store.read(`webhook-${streamTail(id)}`);
        expect(events.at(-1)).toMatchObject({ type: 'WebhookDisabled', data: { reason: 'failing' } });
        await eventually(
          async () =>
            (await deliveriesOf(account, id)).every(
              ({ status }) => status === 'canceled' || status === 'failed',
            ) || undefined,
          () => 'something still waits',
        );
      }),
    90_000,
  );

  it(
    'is kept when it was mended, and meets its first failure after a quiet time',
    () =>
      withReceiver(async (receiver) => {
        receiver.ignore();
        receiver.says({ status: 500 });
        const account = newAccount();
        const { id } = await made(account, receiver.url);
        const minute = 60_000;
        await ended(account, [id]);
        // All ten attempts of one delivery, which takes less than four days.
        for (const [n, minutes] of [0.1, 6, 34, 133, 331, 661, 925, 1_321, 1_585].entries()) {
          await becomes(account, id, 'retrying', n + 1);
          await clock.advance(minutes * minute);
        }
        await becomes(account, id, 'failed', 10);
        await clock.advance(3 * 24 * 60 * minute);
        await ended(account, [id]);
        await becomes(account, id, 'retrying', 1);
        await replayed('health');
        expect((await read(account, id)).webhook.enabled).toBe(true);
        await ask(account, Webhooks.remove, { id });
      }),
    90_000,
  );

  it(
    'is kept when a test got through meanwhile',
    () =>
      withReceiver(async (receiver) => {
        receiver.ignore();
        const account = newAccount();
        const { id } = await made(account, receiver.url);
        const day = 24 * 60 * 60 * 1000;
        for (let days = 0; days < 7; days += 1) {
          if (days === 4) {
            receiver.says({});
            await ask(account, Webhooks.test, { id });
          }
          receiver.says({ status: 500 });
          await ended(account, [id]);
          await becomes(account, id, 'retrying', 1);
          await clock.advance(day);
        }
        await replayed('health');
        expect((await read(account, id)).webhook.enabled).toBe(true);
        await ask(account, Webhooks.remove, { id });
      }),
    90_000,
  );

  it('is kept when something got through meanwhile', () =>
    withReceiver(async (receiver) => {
      receiver.ignore();
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      const fourDays = 4 * 24 * 60 * 60 * 1000;
      const fail = async () => {
        receiver.says({ status: 500 });
        await ended(account, [id]);
        await becomes(account, id, 'retrying', 1);
      };
      await fail();
      receiver.says({});
      await clock.advance(6_000);
      await becomes(account, id, 'delivered', 2);
      await clock.advance(fourDays);
      await fail();
      await clock.advance(fourDays);
      await fail();
      expect((await read(account, id)).webhook.enabled).toBe(true);
      await ask(account, Webhooks.remove, { id });
    }));
});

describe('a slow endpoint', () => {
  it('has a few concurrent requests of its own and delays no other endpoint', () =>
    withReceiver(async (slow) => {
      await withReceiver(async (quick) => {
        slow.ignore();
        const account = newAccount();
        const waiting: (() => void)[] = [];
        slow.says(() => new Promise((resolve) => waiting.push(() => resolve({}))));
        const first = await made(account, slow.url);
        const second = await made(account, quick.url);
        for (let n = 0; n < 8; n += 1) await ended(account, [first.id]);
        await eventually(
          () => waiting.length >= 4 || undefined,
          () => 'the slow endpoint was not called',
        );
        await ended(account, [second.id]);
        await becomes(account, second.id, 'delivered');
        await quick.expect(1);
        expect(slow.count).toBe(4);
        slow.says({});
        for (const go of waiting) go();
        await eventually(
          async () =>
            (await deliveriesOf(account, first.id)).every(({ status }) => status === 'delivered') ||
            undefined,
          () => 'not all were delivered',
        );
        expect(slow.count).toBe(8);
      });
    }));
});

describe('an endpoint for which 500 deliveries wait', () => {
  const many = 500;
  const atOnce = 100;
  const others = 40;

  it.each(['hangs', 'refuses'])(
    'and that %s sends no other endpoint through the look for work',
    (how) =>
      withReceiver(async (full) => {
        await withReceiver(async (quick) => {
          const held: (() => void)[] = [];
          full.ignore();
          full.says(
            how === 'refuses'
              ? { status: 503 }
              : () => new Promise((resolve) => held.push(() => resolve({}))),
          );
          quick.ignore();
          const [account, other] = [newAccount(), newAccount()];
          const waiting = await made(account, full.url);
          const prompt = await made(other, quick.url);
          for (let n = 0; n < many; n += atOnce)
            await Promise.all(Array.from({ length: atOnce }, () => ended(account, [waiting.id])));
          await eventually(
            async () => (await outboxOf(waiting.id)).length === many || undefined,
            () => 'not all were queued',
            60_000,
          );
          await rowsReach(running.get(Projections), 'replies', await log.store.head());

          const worker = running.get(ReplyWorker);
          const found: string[] = [];
          worker.take = async (...given) => {
            const taken = await ReplyWorker.prototype.take.apply(worker, given);
            found.push(...taken.jobs.map((job) => job.webhook_id));
            return taken;
          };
          for (let n = 1; n <= others; n += 1) {
            await ended(other, [prompt.id]);
            await eventually(
              () => quick.count >= n || undefined,
              () => 'the other endpoint was not called',
            );
          }
          worker.take = ReplyWorker.prototype.take;
          // Some come while a look is under way, such as that of each second.
          expect(found.filter((webhookId) => webhookId === prompt.id).length).toBeLessThan(others / 2);
          for (const { id, of } of [
            { id: waiting.id, of: account },
            { id: prompt.id, of: other },
          ])
            await ask(of, Webhooks.remove, { id });
          full.says({});
          for (const go of held) go();
        });
      }),
    180_000,
  );
});

describe('an account with many slow endpoints', () => {
  const slowly = (receiver: Receiver) => {
    const waiting: (() => void)[] = [];
    receiver.ignore();
    receiver.says(() => new Promise((resolve) => waiting.push(() => resolve({}))));
    return {
      waiting,
      answer: () => {
        receiver.says({});
        for (const go of waiting) go();
      },
    };
  };

  it('leaves capacity for other accounts', () =>
    withReceiver(async (receiver) => {
      await withReceiver(async (quick) => {
        const [account, neighbour] = [newAccount(), newAccount()];
        const slow = slowly(receiver);
        const ids: string[] = [];
        for (let n = 0; n < 6; n += 1) ids.push((await made(account, receiver.url)).id);
        for (let n = 0; n < 4; n += 1) await ended(account, ids);
        await eventually(
          () => slow.waiting.length >= 16 || undefined,
          () => `only ${slow.waiting.length} were called`,
        );
        const { id } = await made(neighbour, quick.url);
        await ended(neighbour, [id]);
        await becomes(neighbour, id, 'delivered');
        await quick.expect(1);
        expect(slow.waiting).toHaveLength(16);
        slow.answer();
        for (const each of ids)
          await eventually(
            async () =>
              (await deliveriesOf(account, each)).every(({ status }) => status === 'delivered') || undefined,
            () => 'not all were delivered',
          );
        expect(receiver.count).toBe(24);
      });
    }));

  it('took, with others, all connection slots of a host that another account uses too', () =>
    withReceiver(async (receiver) => {
      await withReceiver(async (quick) => {
        const slow = slowly(receiver);
        const accounts = Array.from({ length: 5 }, newAccount);
        const ids: [string, string][] = [];
        for (const account of accounts) {
          const mine: string[] = [];
          for (let n = 0; n < 4; n += 1) mine.push((await made(account, receiver.url)).id);
          for (let n = 0; n < 4; n += 1) await ended(account, mine);
          ids.push(...mine.map((id): [string, string] => [account, id]));
        }
        await eventually(
          () => slow.waiting.length >= 48 || undefined,
          () => `only ${slow.waiting.length} were called`,
        );
        // What is elsewhere is taken last: by then they have all that they get.
        await withReceiver(async (elsewhere) => {
          const another = newAccount();
          names.says('rebound.test', ['127.0.0.1']);
          const { id } = await made(another, elsewhere.at('/', 'rebound.test'));
          await ended(another, [id]);
          await becomes(another, id, 'delivered');
          await elsewhere.expect(1);
        });
        const neighbour = newAccount();
        const { id } = await made(neighbour, quick.url);
        await ended(neighbour, [id]);
        await becomes(neighbour, id, 'delivered');
        await quick.expect(1);
        slow.answer();
        for (const [account, each] of ids)
          await eventually(
            async () =>
              (await deliveriesOf(account, each)).every(({ status }) => status === 'delivered') || undefined,
            () => 'not all were delivered',
          );
        // An attempt that found no answer in time was repeated.
        expect(receiver.count).toBeGreaterThanOrEqual(80);
      });
    }));

  it('took all that a process does at once', () =>
    withReceiver(async (receiver) => {
      await withReceiver(async (quick) => {
        const slow = slowly(receiver);
        const worker = running.get(ReplyWorker);
        const { capacity } = worker;
        Object.assign(worker, { capacity: 8 });
        const [account, neighbour] = [newAccount(), newAccount()];
        const ids: string[] = [];
        for (let n = 0; n < 4; n += 1) ids.push((await made(account, receiver.url)).id);
        for (let n = 0; n < 4; n += 1) await ended(account, ids);
        await eventually(
          () => slow.waiting.length >= 4 || undefined,
          () => `only ${slow.waiting.length} were called`,
        );
        const { id } = await made(neighbour, quick.url);
        await ended(neighbour, [id]);
        await becomes(neighbour, id, 'delivered');
        await quick.expect(1);
        slow.answer();
        for (const each of ids)
          await eventually(
            async () =>
              (await deliveriesOf(account, each)).every(({ status }) => status === 'delivered') || undefined,
            () => 'not all were delivered',
          );
        Object.assign(worker, { capacity });
      });
    }));

  it('had as many connection slots again on each replica', () =>
    withReceiver(async (receiver) => {
      await withReceiver(async (quick) => {
        const [account, neighbour] = [newAccount(), newAccount()];
        const slow = slowly(receiver);
        const { id } = await made(account, receiver.url);
        await anotherOwner(8);
        // Another replica is at work on fifteen of the account.
        await database.query(
          `INSERT INTO replies (delivery_id, webhook_id, account_id, message_id, reply_type, status, attempts,
             attempt_log, created_at, owner, owned_until)
           SELECT 'whd_elsewhere_' || n, 'whk_another', $1, 'msg', 'interaction.answered', 'pending', 0, '[]', $2, 8,
             now() + interval '1 minute' FROM generate_series(1, 15) n`,
          [account, clock.now()],
        );
        for (let n = 0; n < 3; n += 1) await ended(account, [id]);
        const { id: theirs } = await made(neighbour, quick.url);
        await ended(neighbour, [theirs]);
        await becomes(neighbour, theirs, 'delivered');
        await quick.expect(1);
        expect(slow.waiting).toHaveLength(1);
        await database.query(`DELETE FROM replies WHERE owner = 8`);
        await eventually(
          () => slow.waiting.length >= 3 || undefined,
          () => 'the free slots were not taken',
        );
        slow.answer();
      });
    }));
});

describe('the list of deliveries', () => {
  it('is given in pages, the newest first, and by status', () =>
    withReceiver(async (receiver) => {
      receiver.ignore();
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      const all: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        receiver.says(n === 2 ? later : {});
        all.push(await ended(account, [id]));
        await eventually(
          async () =>
            (await deliveriesOf(account, id)).filter(({ attempts }) => attempts > 0).length > n || undefined,
          () => `only ${n} were attempted`,
        );
        await clock.advance(1_000);
      }
      const pages: ReplyWebhookDelivery[][] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await read(account, id, { limit: 2, ...(cursor && { cursor }) });
        pages.push(page.deliveries);
        cursor = page.nextCursor;
      }
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
      const listed = pages.flat();
      expect(listed.map(({ createdAt }) => createdAt)).toEqual(
        listed
          .map(({ createdAt }) => createdAt)
          .sort()
          .reverse(),
      );
      expect((await read(account, id, { status: 'retrying' })).deliveries).toMatchObject([
        { id: listed[2]!.id },
      ]);
      expect((await read(account, id, { status: 'failed' })).deliveries).toEqual([]);
      const { nextCursor } = await read(account, id, { limit: 2 });
      await expect(
        read(account, id, { limit: 2, cursor: nextCursor, status: 'delivered' }),
      ).rejects.toMatchObject({
        reason: 'list.invalid_cursor',
      });
      await ask(account, Webhooks.remove, { id });
    }));

  it('goes back thirty days', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      await ended(account, [id]);
      await becomes(account, id, 'delivered');
      await receiver.expect(1);
      await clock.advance(30 * 24 * 60 * 60 * 1000 - 60_000);
      expect(await deliveriesOf(account, id)).toHaveLength(1);
      await clock.advance(61_000);
      expect(await deliveriesOf(account, id)).toEqual([]);
      expect(await database.query(`SELECT 1 FROM replies WHERE webhook_id = $1`, [id])).toEqual([]);
    }));

  it('rebuilt from the log is equal to what it was', () =>
    withReceiver(async (receiver) => {
      receiver.ignore();
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      for (let n = 0; n < 6; n += 1) {
        receiver.says(n % 2 === 0 ? {} : later);
        await ended(account, [id]);
        await becomes(account, id, n % 2 === 0 ? 'delivered' : 'retrying');
      }
      await ask(account, Webhooks.test, { id });
      await ask(account, Webhooks.change, { id, enabled: false });
      await eventually(
        async () =>
          (await database.query(`SELECT 1 FROM replies WHERE due_at IS NOT NULL AND webhook_id = $1`, [id]))
            .length === 0 || undefined,
        () => 'something still waits',
      );
      const rows = () =>
        database.query(`SELECT * FROM replies WHERE webhook_id = $1 ORDER BY delivery_id`, [id]);
      const before = await rows();
      expect(before).toHaveLength(7);
      await running.get(Projections).rebuild('replies');
      expect(await rows()).toEqual(before);
    }));
});

describe('a test', () => {
  it('sends a sample once, also to a disabled endpoint, and answers with the outcome', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id, signingSecret } = await made(account, receiver.url, { enabled: false });
      const { delivery } = await ask(account, Webhooks.test, { id, event: 'interaction.expired' });
      expect(delivery).toMatchObject({
        type: 'interaction.expired',
        status: 'delivered',
        attempts: 1,
        responseCode: 204,
        nextAttemptAt: null,
      });
      const [reply] = await receiver.expect(1);
      expect(reply!.headers['carillon-sequence']).toBeUndefined();
      expect(new Webhook(signingSecret).verify(reply!.text, reply!.headers as any)).toMatchObject({
        test: true,
      });
      receiver.says({ status: 410 });
      const failed = await ask(account, Webhooks.test, { id });
      expect(failed.delivery).toMatchObject({ status: 'failed', error: 'http_status', responseCode: 410 });
      await receiver.expect(1);
      expect((await read(account, id)).deliveries.map((each) => each.id)).toEqual([
        failed.delivery.id,
        delivery.id,
      ]);
    }));

  it('is refused where nothing may be sent to', async () => {
    const account = newAccount();
    names.says('moved.test', ['127.0.0.1']);
    const { id } = await made(account, 'https://moved.test/');
    names.says('moved.test', ['10.0.0.1']);
    await expect(ask(account, Webhooks.test, { id })).rejects.toMatchObject({
      reason: 'destination.not_allowed',
    });
  });

  it('is refused when there were too many', async () => {
    const account = newAccount();
    const { id } = await made(account, 'https://bot.test:9/x'.replace(':9', ':8443'));
    granted = 0;
    await expect(ask(account, Webhooks.test, { id })).rejects.toMatchObject({
      reason: 'webhook.tested_too_often',
      details: { limit: 10, retryAfter: 7 },
    });
    granted = 1;
  });

  it('is for the owner only', async () => {
    const { id } = await made(newAccount(), 'https://bot.test/x');
    await expect(ask(newAccount(), Webhooks.test, { id })).rejects.toMatchObject({
      reason: 'webhook.unknown',
    });
  });
});

describe('recovering', () => {
  it('sends one delivery once more, with the same id', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      await ended(account, [id]);
      const { id: deliveryId } = await becomes(account, id, 'delivered', 1);
      await ask(account, Webhooks.resend, { id, deliveryId });
      await becomes(account, id, 'delivered', 2);
      const [first, second] = await receiver.expect(2);
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(second!.headers['carillon-sequence']).toBe('1');
      expect(second!.text).toBe(first!.text);
    }));

  it('sends all that did not arrive since a time, and nothing else', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      const send = async (isFine: boolean) => {
        receiver.says(isFine ? {} : later);
        await ended(account, [id]);
        const delivery = await becomes(account, id, isFine ? 'delivered' : 'retrying');
        await clock.advance(1_000);
        return delivery.id;
      };
      const old = await send(false);
      const since = clock.now();
      const fine = await send(true);
      const lost = await send(false);
      await ask(account, Webhooks.change, { id, enabled: false });
      await expect(ask(account, Webhooks.recover, { id, since })).rejects.toMatchObject({
        reason: 'webhook.disabled',
      });
      await ask(account, Webhooks.change, { id, enabled: true });
      receiver.says({});
      await receiver.expect(3);
      expect(await ask(account, Webhooks.recover, { id, since })).toEqual({ recovered: 1, more: false });
      await becomes(account, id, 'delivered', 2);
      const [again] = await receiver.expect(1);
      expect(again!.headers['carillon-sequence']).toBe('3');
      expect(await ask(account, Webhooks.recover, { id, since })).toEqual({ recovered: 0, more: false });
      const all = await deliveriesOf(account, id);
      expect(all.map((each) => [each.id, each.status, each.attempts])).toEqual([
        [lost, 'delivered', 2],
        [fine, 'delivered', 1],
        [old, 'canceled', 1],
      ]);
    }));

  it('is for the owner or the operator', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      await ended(account, [id]);
      const { id: deliveryId } = await becomes(account, id, 'delivered');
      await receiver.expect(1);
      await expect(ask(newAccount(), Webhooks.resend, { id, deliveryId })).rejects.toMatchObject({
        reason: 'webhook.unknown',
      });
      await expect(
        ask(account, Webhooks.resend, { id, deliveryId: 'whd_0123456789abcdefghjkmnpqrs' }),
      ).rejects.toMatchObject({ reason: 'reply.unknown' });
      await bus.ask(
        Webhooks.resend,
        { id, deliveryId },
        { ...contextOf(''), caller: { accountId: '', process: 'operator' } },
      );
      await receiver.expect(1);
    }));
});

describe('an event that cannot be applied', () => {
  const behind = { reason: 'projection.behind' };

  it('holds back the deliveries of its account only; none is made twice, and a retry makes the others', () =>
    withReceiver(async (receiver) => {
      const projections = running.get(Projections);
      const [ann, bob] = [newAccount(), newAccount()];
      const { id } = await made(ann, receiver.at('/ann'));
      const { id: other } = await made(bob, receiver.at('/bob'));
      receiver.says(({ path }) => ({ status: path === '/ann' ? 207 : 204 }));
      const heal = await poison(database, { table: 'replies', column: 'response_code', value: '207' });
      await ended(ann, [id]);
      await receiver.expect(1);
      await setAside(projections, 'replies');
      const asks: (() => Promise<unknown>)[] = [
        () => read(ann, id),
        () => ask(ann, Webhooks.recover, { id, since: clock.now() }),
        () => ask(ann, Webhooks.resend, { id, deliveryId: newId('whd', clock.ms()) }),
      ];
      for (const each of asks) await expect(each()).rejects.toMatchObject(behind);

      await ended(ann, [id]);
      await ended(bob, [other]);
      expect((await receiver.expect(1)).map(({ path }) => path)).toEqual(['/bob']);
      await becomes(bob, other, 'delivered', 1);
      // The leases that the account's rows still have end.
      await clock.advance(anHour);
      await queued();
      expect(await eventsOf(`outbox-${streamTail(id)}`)).toHaveLength(2);
      expect(await projections.settleSetAside('replies', ann, 'retry')).toBe(false);

      await heal();
      expect(await rejoin(projections, 'replies', ann)).toBe(true);
      const [late] = await receiver.expect(1);
      expect(late).toMatchObject({ path: '/ann', headers: { 'carillon-sequence': '2' } });
      await becomes(ann, id, 'delivered', 1);
      expect((await deliveriesOf(ann, id)).map(({ status, attempts }) => [status, attempts])).toEqual([
        ['delivered', 1],
        ['delivered', 1],
      ]);
    }));

  it('in the queueing of ends holds back those of its account, until it is dropped', () =>
    withReceiver(async (receiver) => {
      const projections = running.get(Projections);
      const [ann, bob] = [newAccount(), newAccount()];
      const { id } = await made(ann, receiver.url);
      const { id: other } = await made(bob, receiver.url);
      await ended(ann, { length: 1 } as never);
      await setAside(projections, 'outbox');
      await ended(ann, [id]);
      await ended(bob, [other]);
      await receiver.expect(1);
      await becomes(bob, other, 'delivered', 1);
      await queued();
      expect(await outboxOf(id)).toEqual([]);
      expect(await projections.settleSetAside('outbox', ann, 'retry')).toBe(false);
      await rejoin(projections, 'outbox', ann, 'drop');
      const [late] = await receiver.expect(1);
      expect(late!.headers['carillon-sequence']).toBe('1');
      await becomes(ann, id, 'delivered', 1);
    }));

  it('about the failures of an endpoint leaves those of the other accounts switched off in time', () =>
    withReceiver(async (receiver) => {
      const projections = running.get(Projections);
      const [ann, bob] = [newAccount(), newAccount()];
      receiver.says({ status: 410 });
      const { id } = await made(ann, receiver.url);
      const { id: other } = await made(bob, receiver.url);
      const heal = await poison(database, { table: 'failing_webhooks', column: 'webhook_id', value: id });
      const isOff = async (account: string, of: string) =>
        !(await read(account, of)).webhook.enabled || undefined;
      await ended(ann, [id]);
      await setAside(projections, 'health');
      await ended(bob, [other]);
      await eventually(
        () => isOff(bob, other),
        () => 'the endpoint of another account is still enabled',
      );
      expect(await isOff(ann, id)).toBeUndefined();
      await heal();
      await rejoin(projections, 'health', ann);
      expect(await isOff(ann, id)).toBe(true);
      await receiver.expect(2);
    }));
});

describe('work that was left', () => {
  it('is reclaimed when its process is dead, or did not finish', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      receiver.says(later);
      await ended(account, [id]);
      await becomes(account, id, 'retrying', 1);
      await receiver.expect(1);
      receiver.says({});
      const owned = (seconds: number) =>
        database.query(
          `UPDATE replies SET owner = 7, owned_until = now() + make_interval(secs => $2) WHERE webhook_id = $1`,
          [id, seconds],
        );
      await anotherOwner(7);
      await owned(60);
      await clock.advance(anHour);
      expect((await deliveriesOf(account, id))[0]).toMatchObject({ status: 'retrying', attempts: 1 });
      await owned(-1);
      await becomes(account, id, 'delivered', 2);
      await receiver.expect(1);
    }));

  it('that the log knows to be done is not done again', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      await ended(account, [id]);
      await becomes(account, id, 'delivered', 1);
      await database.query(`UPDATE replies SET status = 'pending', due_at = $2 WHERE webhook_id = $1`, [
        id,
        clock.now(),
      ]);
      await clock.advance(1_000);
      await receiver.expect(1);
    }));
});
