import type { Bus, Context } from '@carillon/bus';
import {
  type ConnectorEvent,
  type InteractionEvent,
  type ReplyWebhookDelivery,
  Webhooks,
} from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  askOn,
  type Authority,
  eventually,
  interactionAsked,
  makeAuthority,
  streamMetadata,
  Receiver,
  rowsReach,
  startParts,
  trust,
} from '@carillon/testkit';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Webhook } from 'standardwebhooks';
import { WebhooksModule } from '../webhooks.module';

let parts: Awaited<ReturnType<typeof startParts>>;
let authority: Authority;
let distrust: () => void;
let running: RunningService;
let bus: Bus;
let nats: NatsConnection;
let log: Log;
let clock: ManualClock;

interface Begin {
  readonly deliveryId: string;
  readonly url: string;
  readonly timestamp: number;
  readonly body: string;
  readonly waitsSince?: string;
}
/** What the connectors service was asked, for whom of this test, and what it says. */
const asked: (Begin & { accountId: string })[] = [];
const accounts = new Set<string>();
const nothing = { value: null };
let says: object = nothing;

beforeAll(async () => {
  authority = await makeAuthority(['bot.test']);
  distrust = trust(authority);
  parts = await startParts({ CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'silent' });
  nats = await connect({ servers: parts.env['NATS_URL'] as string });
  stand('rpc.accounts.rate.take', () => ({
    value: { grants: [{ granted: 1, remaining: 9, resetSeconds: 7 }] },
  }));
  stand('rpc.connectors.callback.check', () => ({ value: { ok: true } }));
  stand<Begin>('rpc.connectors.callback.begin', ({ input, context }) => {
    const { accountId } = context.caller;
    // What a test before has left is tried again meanwhile.
    if (!accounts.has(accountId)) return nothing;
    asked.push({ ...input, accountId });
    return says;
  });
  running = await startService({ name: 'webhooks', module: WebhooksModule });
  bus = await sharedBus.take();
  log = running.get(Log);
  clock = running.get(Clock) as ManualClock;
}, 60_000);
beforeEach(() => {
  asked.length = 0;
  accounts.clear();
  says = nothing;
});
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await nats?.close();
  await parts?.stop();
  distrust?.();
  authority?.remove();
}, 60_000);

/** Another service, as far as it is asked here. */
function stand<Input>(subject: string, answer: (data: { input: Input; context: Context }) => object): void {
  nats.subscribe(subject, {
    callback: (_, message) => {
      const { id, data } = message.json<{ id: string; data: { input: Input; context: Context } }>();
      message.respond(JSON.stringify({ id, response: answer(data), isDisposed: true }));
    },
  });
}

const ask = askOn(() => bus);
/** Others write these streams. */
const words = (
  category: string,
  personal: Readonly<Record<string, readonly string[]>>,
): Decider<null, DomainEvent> => ({
  category,
  initial: null,
  evolve: () => null,
  personal,
});
const interaction = words('interaction', {
  InteractionAsked: ['title', 'prompt', 'choices'],
  InteractionAnswered: ['response'],
});
const connector = words('connector', { ConnectorRemoved: ['name'] });
const tell = async (
  of: Decider<null, DomainEvent>,
  id: string,
  accountId: string,
  ...events: (InteractionEvent | ConnectorEvent)[]
): Promise<void> => {
  await log.appendTo(of, streamTail(id), events, 'any', streamMetadata(accountId, { accountId }));
};
/** A prompt whose end the endpoint is to hear. */
async function ended(accountId: string, webhookId: string): Promise<void> {
  const interactionId = newId('int', clock.ms());
  const at = clock.now();
  const of = {
    interactionId,
    accountId,
    presentation: 'notification',
    liveActivityId: null,
    webhookIds: [webhookId],
  } as const;
  await tell(
    interaction,
    interactionId,
    accountId,
    interactionAsked({
      ...of,
      title: 'Ja — so?',
      prompt: 'Hinaus?',
      deviceIds: [],
      askedAt: at,
      expiresAt: at,
    }),
    { type: 'InteractionExpired', ...of, expiredAt: at },
  );
}
const newAccount = () => {
  const accountId = newId('usr', Date.now());
  accounts.add(accountId);
  return accountId;
};
const made = async (accountId: string, url: string, more: object = {}) => {
  const { webhook, signingSecret } = await ask(accountId, Webhooks.create, { name: 'Bot', url, ...more });
  return { id: webhook.id, signingSecret };
};
const newest = async (accountId: string, id: string): Promise<ReplyWebhookDelivery | undefined> => {
  await rowsReach(running.get(Projections), 'replies', await log.store.head());
  return (await ask(accountId, Webhooks.get, { id, limit: 1 })).deliveries[0];
};
const becomes = (accountId: string, id: string, status: ReplyWebhookDelivery['status'], attempts: number) =>
  eventually(
    async () => {
      const found = await newest(accountId, id);
      return found?.status === status && found.attempts === attempts ? found : undefined;
    },
    () => `no delivery became ${status}`,
    25_000,
  );
async function withReceiver(work: (receiver: Receiver) => Promise<void>): Promise<void> {
  const receiver = await Receiver.start(authority, '127.0.0.1');
  try {
    await work(receiver);
    expect(receiver.unexpected()).toEqual([]);
  } finally {
    await receiver.stop();
  }
}
const callbackId = newId('cbd', Date.now());
const path = `/.well-known/carillon-callback/${callbackId}`;
const begun = (receiver: Receiver, connectorId = newId('con', Date.now())) => ({
  value: { connectorId, url: receiver.at(path), signature: 'v1,bm90IG91ciBidXNpbmVzcw==' },
});

describe('a delivery whose host is a connector’s', () => {
  it('goes where connectors says, with its signature beside our own over the same body and time', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const url = receiver.at('/hooks?x=1');
      const { id, signingSecret } = await made(account, url);
      says = begun(receiver);
      await ended(account, id);
      const [reply] = await receiver.expect(1);
      expect(reply?.path).toBe(path);
      expect(reply?.headers['connector-signature']).toBe('v1,bm90IG91ciBidXNpbmVzcw==');
      const { deliveryId, timestamp, body, waitsSince, ...about } = asked[0]!;
      expect(waitsSince).toEqual(expect.any(String));
      expect(about).toEqual({ url, accountId: account });
      expect(Buffer.from(body, 'base64').toString('utf8')).toBe(reply?.text);
      expect(reply?.headers['webhook-timestamp']).toBe(String(timestamp));
      new Webhook(signingSecret).verify(reply!.text, reply!.headers as Record<string, string>);
      expect((await becomes(account, id, 'delivered', 1)).id).toBe(deliveryId);
    }));

  it('goes to the URL itself where it is of none, without that header', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.at('/hooks'));
      await ended(account, id);
      const [reply] = await receiver.expect(1);
      expect(reply?.path).toBe('/hooks');
      expect(reply?.headers).not.toHaveProperty('connector-signature');
    }));

  it('fails while the connector is switched off, and is tried again by the schedule', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      says = { refused: 'connector.disabled', details: { connectorId: 'con_1' } };
      await ended(account, id);
      expect(await becomes(account, id, 'retrying', 1)).toMatchObject({
        error: 'connector_disabled',
        responseCode: null,
      });
      says = begun(receiver);
      await clock.advance(6_000);
      await receiver.expect(1);
      await becomes(account, id, 'delivered', 2);
    }));

  it('is not sent to a port beside the connector', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      says = { refused: 'destination.not_allowed', details: { connectorId: 'con_1' } };
      await ended(account, id);
      expect(await becomes(account, id, 'retrying', 1)).toMatchObject({ error: 'blocked_address' });
    }));

  it('is neither sent nor counted while the connectors service is unavailable', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      says = { refused: 'store.unavailable', details: {} };
      await ended(account, id);
      await eventually(
        () => asked.length > 1 || undefined,
        () => 'nobody asked again',
      );
      expect(await newest(account, id)).toMatchObject({ status: 'pending', attempts: 0 });
      says = begun(receiver);
      await receiver.expect(1);
      await becomes(account, id, 'delivered', 1);
    }));

  it('is given up when the connector is removed, and what goes through another is not', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const [connectorId, other] = [newId('con', Date.now()), newId('con', Date.now())];
      const ids = [];
      for (const through of [connectorId, other]) {
        const { id } = await made(account, receiver.url);
        ids.push(id);
        says = { refused: 'connector.disabled', details: { connectorId: through } };
        await ended(account, id);
        await becomes(account, id, 'retrying', 1);
      }
      await tell(connector, connectorId, account, {
        type: 'ConnectorRemoved',
        connectorId,
        accountId: account,
        teamId: null,
        name: 'Home',
        reason: 'person',
        removedAt: clock.now(),
      });
      await becomes(account, ids[0] ?? '', 'canceled', 1);
      expect(await newest(account, ids[1] ?? '')).toMatchObject({ status: 'retrying' });
    }));

  it('that waits goes to another URL, whatever becomes of the connector at the former one', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const connectorId = newId('con', Date.now());
      const { id } = await made(account, receiver.at('/former'));
      says = { refused: 'connector.disabled', details: { connectorId } };
      await ended(account, id);
      await becomes(account, id, 'retrying', 1);
      await ask(account, Webhooks.change, { id, url: receiver.at('/hooks') });
      await tell(connector, connectorId, account, {
        type: 'ConnectorRemoved',
        connectorId,
        accountId: account,
        teamId: null,
        name: 'Home',
        reason: 'person',
        removedAt: clock.now(),
      });
      says = nothing;
      expect(await newest(account, id)).toMatchObject({ status: 'retrying' });
      await clock.advance(6_000);
      const [reply] = await receiver.expect(1);
      expect(reply?.path).toBe('/hooks');
      await becomes(account, id, 'delivered', 2);
    }));

  it('that was never tried is given up when its connector was removed meanwhile', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      says = { value: { connectorId: newId('con', Date.now()), isRemoved: true } };
      await ended(account, id);
      await becomes(account, id, 'canceled', 0);
      expect(asked.map(({ waitsSince }) => waitsSince)).toEqual([expect.any(String)]);
    }));

  it('that was tried is given up when its row missed the removal of its connector', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      const connectorId = newId('con', Date.now());
      says = { refused: 'connector.disabled', details: { connectorId } };
      await ended(account, id);
      await becomes(account, id, 'retrying', 1);
      says = { value: { connectorId, isRemoved: true } };
      await clock.advance(6_000);
      await becomes(account, id, 'canceled', 1);
      expect(asked.at(-1)?.waitsSince).toBe(asked[0]?.waitsSince);
    }));

  it('is tried with a sample in the same way', () =>
    withReceiver(async (receiver) => {
      const account = newAccount();
      const { id } = await made(account, receiver.url);
      says = begun(receiver);
      const { delivery } = await ask(account, Webhooks.test, { id });
      expect(delivery.status).toBe('delivered');
      const [reply] = await receiver.expect(1);
      expect(reply?.path).toBe(path);
      expect(asked[0]?.deliveryId).toBe(delivery.id);
      says = { refused: 'connector.disabled', details: { connectorId: 'con_1' } };
      expect((await ask(account, Webhooks.test, { id })).delivery).toMatchObject({
        status: 'failed',
        error: 'connector_disabled',
      });
    }));
});
