import { randomUUID } from 'node:crypto';
import type { Bus } from '@carillon/bus';
import { type InteractionEvent, type PulledMessages, Webhooks } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import type { Decider } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { askOn, interactionAsked, newAccount, rowsReach, startParts } from '@carillon/testkit';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Webhook } from 'standardwebhooks';
import { WebhooksModule } from '../webhooks.module';

let parts: Awaited<ReturnType<typeof startParts>>;
let running: RunningService;
let bus: Bus;
let nats: NatsConnection;
let log: Log;
let clock: ManualClock;

beforeAll(async () => {
  parts = await startParts({ CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'silent' });
  nats = await connect({ servers: parts.env['NATS_URL'] as string });
  for (const [subject, value] of [
    ['rpc.accounts.rate.take', { grants: [{ granted: 1, remaining: 0, resetSeconds: 7 }] }],
    ['rpc.connectors.callback.check', { ok: true }],
    ['rpc.connectors.callback.begin', null],
  ] as const)
    nats.subscribe(subject, {
      callback: (_, message) => {
        const { id } = message.json<{ id: string }>();
        message.respond(JSON.stringify({ id, response: { value }, isDisposed: true }));
      },
    });
  running = await startService({ name: 'webhooks', module: WebhooksModule });
  bus = await sharedBus.take();
  log = running.get(Log);
  clock = running.get(Clock) as ManualClock;
}, 60_000);
afterAll(async () => {
  await running?.close();
  await sharedBus.release();
  await nats?.close();
  await parts?.stop();
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
const ask = askOn(() => bus);

/** A disabled endpoint hears of nothing new, so this one fails at a port where nobody listens. */
const endpoint = async (accountId: string) => {
  const asked = { name: 'Bot', url: 'https://127.0.0.1:9443/' };
  const { webhook, signingSecret } = await ask(accountId, Webhooks.create, asked);
  return { id: webhook.id, signingSecret };
};

/** Ends of prompts of the account, as the interactions service would have put them on record. */
async function ended(
  accountId: string,
  webhookId: string,
  count: number,
  prompt = 'Ship it?',
): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const interactionId = newId('int', clock.ms());
    const at = clock.now();
    const of = {
      interactionId,
      accountId,
      presentation: 'notification',
      liveActivityId: null,
      webhookIds: [webhookId],
    } as const;
    const commandId = randomUUID();
    await log.appendTo(
      interaction,
      streamTail(interactionId),
      [
        interactionAsked({ ...of, title: 'Deploy', prompt, deviceIds: [], askedAt: at, expiresAt: at }),
        { type: 'InteractionExpired', ...of, expiredAt: at },
      ],
      'no_stream',
      { commandId, correlationId: commandId, accountId, actor: { accountId } },
    );
    ids.push(interactionId);
  }
  await rowsReach(running.get(Projections), 'outbox', await log.store.head());
  return ids;
}
const pull = (accountId: string, id: string, after?: number): Promise<PulledMessages> =>
  ask(accountId, Webhooks.messages, { id, ...(after !== undefined && { after }) });
const numbers = ({ messages }: PulledMessages) => messages.map(({ sequence }) => sequence);

const hours = (count: number) => clock.advance(count * 3_600_000);

describe('messages to pull', () => {
  it('are signed for the moment, in the order of their numbers, and the same when they are read again', async () => {
    const account = newAccount();
    const { id, signingSecret } = await endpoint(account);
    const prompts = await ended(account, id, 3);
    const page = await pull(account, id);
    expect(page).toMatchObject({ nextAfter: 3, gaps: [] });
    expect(numbers(page)).toEqual([1, 2, 3]);
    for (const [index, { id: messageId, timestamp, headers, body }] of page.messages.entries()) {
      expect(headers).toMatchObject({
        'webhook-id': messageId,
        'webhook-timestamp': String(timestamp),
        'carillon-sequence': String(index + 1),
      });
      expect(new Webhook(signingSecret).verify(body, headers)).toMatchObject({
        data: { interaction: { id: prompts[index] } },
      });
    }
    const again = await pull(account, id, 1);
    expect(again.messages.map(({ body }) => body)).toEqual(page.messages.slice(1).map(({ body }) => body));
    expect(again.messages.map((each) => each.id)).toEqual(page.messages.slice(1).map((each) => each.id));
  });

  it('carry a signature of the former secret for a day after a rotation', async () => {
    const account = newAccount();
    const { id, signingSecret } = await endpoint(account);
    await ended(account, id, 1);
    const rotated = await ask(account, Webhooks.rotate, { id });
    const [message] = (await pull(account, id)).messages;
    for (const secret of [signingSecret, rotated.signingSecret])
      expect(new Webhook(secret).verify(message!.body, message!.headers)).toBeDefined();
  });

  it('leave out the headers that were saved for the URL', async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    await ask(account, Webhooks.change, { id, headers: [{ name: 'X-Key', value: 'planted' }] });
    await ended(account, id, 1);
    expect(JSON.stringify(await pull(account, id))).not.toMatch(/planted|x-key/i);
  });

  it('are there while the endpoint is disabled, and none comes then', async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    await ended(account, id, 1);
    await ask(account, Webhooks.change, { id, enabled: false });
    await ended(account, id, 1);
    expect(numbers(await pull(account, id))).toEqual([1]);
    expect(await pull(account, id, 1)).toEqual({ messages: [], nextAfter: 1, gaps: [] });
  });

  it('come in pages', async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    await ended(account, id, 30);
    const first = await pull(account, id, 0);
    expect(first).toMatchObject({ nextAfter: 25, gaps: [] });
    const second = await pull(account, id, first.nextAfter);
    expect(numbers(first).concat(numbers(second))).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });

  it('of more than a day ago are a gap to who has read before them, and nothing to who has not', async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    await ended(account, id, 3);
    await hours(23);
    await ended(account, id, 2);
    await hours(2);
    const started = await pull(account, id);
    expect(started).toMatchObject({ nextAfter: 5, gaps: [] });
    expect(numbers(started)).toEqual([4, 5]);
    const resumed = await pull(account, id, 1);
    expect(resumed).toMatchObject({ nextAfter: 5, gaps: [{ from: 2, to: 3 }] });
    expect(numbers(resumed)).toEqual([4, 5]);
    await hours(23);
    expect(await pull(account, id, 4)).toEqual({ messages: [], nextAfter: 5, gaps: [{ from: 5, to: 5 }] });
    expect(await pull(account, id)).toEqual({ messages: [], nextAfter: 5, gaps: [] });
    expect(await pull(account, id, 5)).toEqual({ messages: [], nextAfter: 5, gaps: [] });
  });

  it('that were cleared from the log, or whose prompt was, are a gap', async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    const [, , , fourth] = await ended(account, id, 5);
    await log.store.truncateBefore(`outbox-${streamTail(id)}`, 2n);
    await log.store.delete(`interaction-${streamTail(fourth!)}`);
    const page = await pull(account, id, 0);
    expect(page).toMatchObject({
      nextAfter: 5,
      gaps: [
        { from: 1, to: 2 },
        { from: 4, to: 4 },
      ],
    });
    expect(numbers(page)).toEqual([3, 5]);
  });

  it('are none before the first, and a number that was never used is refused', async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    expect(await pull(account, id)).toEqual({ messages: [], nextAfter: 0, gaps: [] });
    expect(await pull(account, id, 0)).toEqual({ messages: [], nextAfter: 0, gaps: [] });
    await expect(pull(account, id, 1)).rejects.toMatchObject({
      reason: 'input.invalid',
      details: { issues: [{ path: 'after' }] },
    });
  });

  it("are nobody else's, and gone with the endpoint", async () => {
    const account = newAccount();
    const { id } = await endpoint(account);
    await ended(account, id, 1);
    await expect(pull(newAccount(), id)).rejects.toMatchObject({ reason: 'webhook.unknown' });
    await ask(account, Webhooks.remove, { id });
    await expect(pull(account, id)).rejects.toMatchObject({ reason: 'webhook.unknown' });
  });
});
