import type { Bus, Context } from '@carillon/bus';
import {
  type DeliverySettledSignal,
  type InteractionAsked,
  type InteractionCanceled,
  type NotificationSent,
  Push,
  type PushCleared,
  type PushReported,
  operationsOf,
} from '@carillon/contracts';
import { Database, Log, Projections, QueueRunner } from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { KeyRing, newId, streamTail } from '@carillon/signing';
import {
  end,
  eventually,
  interactionAsked,
  notificationSent,
  startParts,
  startSimulator,
} from '@carillon/testkit';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { pushTokenContext } from '../device/devices.projection';
import { PushModule } from '../push.module';

interface Received {
  readonly provider: 'apns' | 'fcm';
  readonly headers: Record<string, string>;
  readonly payload: any;
  readonly verdict: { readonly status: number; readonly reason: string | null };
  readonly shown: boolean;
}
interface Phone {
  readonly id: string;
  readonly deviceId: string;
  readonly pushToken: string;
  readonly account: string;
}

let parts: Awaited<ReturnType<typeof startParts>>;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let service: RunningService;
let bus: Bus;
let log: Log;
let clock: ManualClock;
let stopListening: () => void;
const signals = new Map<string, DeliverySettledSignal>();

const start = async (): Promise<void> => {
  service = await startService({ name: 'push', module: PushModule });
  log = service.get(Log);
  clock = service.get(Clock) as ManualClock;
  // The bus registers new listeners with a short delay.
  await eventually(
    () => bus.ask(Push.targets, {}, contextOf('usr_none')).catch(() => undefined),
    () => 'the service does not answer',
  );
};

beforeAll(async () => {
  simulator = await startSimulator();
  parts = await startParts({ ...simulator.env, LOG_LEVEL: 'fatal' });
  bus = await sharedBus.take();
  await start();
  stopListening = bus.onSignal<DeliverySettledSignal>('delivery.settled', (id, signal) =>
    signals.set(id, signal),
  );
}, 60_000);
afterAll(async () => {
  stopListening();
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
  await simulator?.stop();
}, 60_000);
afterEach(() => simulator.call('DELETE', '/faults'));

const asIs = (category: string, personal: readonly string[] = []): Decider<null, DomainEvent> => ({
  category,
  initial: null,
  evolve: () => null,
  personal: { NotificationSent: personal, InteractionAsked: ['title', 'prompt', 'choices'] },
});
const interactions = asIs('interaction');
const notifications = asIs('notification', ['title', 'body', 'summary', 'sourceName', 'projectName']);

const contextOf = (accountId: string): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId, sessionId: newId('ses', Date.now()) },
  deadline: Date.now() + 25_000,
});

async function phone(account: string, platform: 'ios' | 'android'): Promise<Phone> {
  const { phone: made } = await simulator.call('POST', '/phones', { platform });
  const { value } = await bus.ask(
    Push.registerDevice,
    {
      installId: made.id,
      platform,
      deviceName: made.name,
      pushToken: made.pushToken,
      pushEnvironment: 'sandbox',
      appBuild: '1',
      liveActivitiesCapable: true,
      interactiveLiveActivitiesCapable: false,
    },
    contextOf(account),
  );
  return { id: made.id, deviceId: value.device.id, pushToken: made.pushToken, account };
}

const newAccount = (): string => newId('usr', Date.now());

async function send(phones: readonly Phone[], more: Partial<NotificationSent> = {}): Promise<string> {
  const accountId = phones[0]!.account;
  const notificationId = newId('anot', clock.ms());
  const event = notificationSent({
    notificationId,
    accountId,
    deviceIds: phones.map(({ deviceId }) => deviceId),
    sentAt: clock.now(),
    ...more,
  });
  await log.appendTo(notifications, streamTail(notificationId), [event], 'no_stream', {
    commandId: randomUUID(),
    correlationId: 'test',
    accountId,
    actor: { accountId },
  });
  return notificationId;
}

const metadataOf = (accountId: string) => ({
  commandId: randomUUID(),
  correlationId: 'test',
  accountId,
  actor: { accountId },
});

async function ask(phones: readonly Phone[], more: Partial<InteractionAsked> = {}): Promise<string> {
  const asked = question(phones, more);
  const { interactionId: id, accountId } = asked;
  await log.appendTo(interactions, streamTail(id), [asked], 'no_stream', metadataOf(accountId));
  return id;
}

const question = (phones: readonly Phone[], more: Partial<InteractionAsked> = {}): InteractionAsked =>
  interactionAsked({
    interactionId: newId('int', clock.ms()),
    accountId: phones[0]!.account,
    deviceIds: phones.map(({ deviceId }) => deviceId),
    askedAt: clock.now(),
    ...more,
  });

const canceling = (interactionId: string, accountId: string): InteractionCanceled => ({
  type: 'InteractionCanceled',
  interactionId,
  accountId,
  presentation: 'notification',
  liveActivityId: null,
  webhookIds: [],
  canceledAt: clock.now(),
});

async function cancel(id: string, { account }: Phone): Promise<void> {
  const metadata = metadataOf(account);
  await log.appendTo(interactions, streamTail(id), [canceling(id, account)], 0n, metadata);
}

const recorded = async (id: string): Promise<(PushReported | PushCleared)[]> =>
  (await log.open(await log.store.read(`delivery-${id}`))).map(({ event }) => event as any);
const reports = async (id: string): Promise<PushReported[]> =>
  (await recorded(id)).filter((event) => event.type === 'PushReported');
const settled = (id: string, withinMs?: number): Promise<PushReported> =>
  eventually(
    async () => (await reports(id)).find(({ final }) => final),
    () => `${id} was not settled`,
    withinMs,
  );
const cleared = (id: string, withinMs?: number): Promise<PushCleared> =>
  eventually(
    async () => (await recorded(id)).find((event) => event.type === 'PushCleared'),
    () => `${id} was not cleared`,
    withinMs,
  );
const trayOf = async ({ id }: Phone): Promise<any[]> =>
  (await simulator.call('GET', `/phones/${id}`)).phone.tray;
const typesOf = (pushes: readonly Received[]): string[] =>
  pushes.map(({ payload }) => (payload.carillon ?? payload.data).type);
const noRowsLeft = (id: string): Promise<true> =>
  eventually(
    async () => ((await rows(id)).length + (await rows(`withdraw:${id}`)).length === 0 ? true : undefined),
    () => 'rows were left',
  );
const received = async ({ id }: Phone): Promise<Received[]> =>
  (await simulator.call('GET', `/phones/${id}/received`)).received;
const receivedCount = (of: Phone, count: number): Promise<Received[]> =>
  eventually(
    async () => {
      const all = await received(of);
      return all.length >= count ? all : undefined;
    },
    () => `${count} pushes were expected`,
  );
const fault = (match: object, effect: object, count?: number): Promise<unknown> =>
  simulator.call('POST', '/faults', { match, effect, ...(count && { count }) });
const rows = (id: string): Promise<any[]> =>
  service.get(Database).query(`SELECT * FROM deliveries WHERE subject_id = $1 ORDER BY device_id`, [id]);
const waitingRow = (id: string, check: (row: any) => boolean): Promise<any> =>
  eventually(
    async () => (await rows(id)).find((row) => row.owner === null && check(row)),
    () => `${id} has no such row`,
  );
const devices = async (account: string) =>
  (await bus.ask(Push.listDevices, {}, contextOf(account))).value.items;
const activeOf = async ({ account, deviceId }: Phone): Promise<boolean> =>
  (await devices(account)).find(({ id }) => id === deviceId)!.active;

describe('a notification', () => {
  it('is accepted for two phones and reported once', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await send(phones, { url: 'https://ci.example.test/1', projectId: 'web' });
    const report = await settled(id);

    expect(report).toMatchObject({ subjectId: id, accountId: account, accepted: 2, final: true });
    expect(report.receipts.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ['accepted', null],
      ['accepted', null],
    ]);
    expect(await reports(id)).toHaveLength(1);
    await eventually(
      async () => ((await rows(id)).length === 0 ? true : undefined),
      () => 'rows were left',
    );
    expect(signals.get(id)).toEqual({ accepted: 2, final: true, position: expect.any(String) });
    // A request that has missed the signal gets the same answer.
    const { position } = await bus.ask(Push.outcome, { subjectId: id }, contextOf(account));
    expect(position).toBe(signals.get(id)?.position);

    const [[onIphone], [onAndroid]] = (await Promise.all(phones.map(received))) as [Received[], Received[]];
    expect(onIphone).toMatchObject({
      shown: true,
      headers: { 'apns-push-type': 'alert', 'apns-collapse-id': id },
      payload: {
        aps: { alert: { title: 'Build finished', body: 'main is green' }, 'thread-id': 'web' },
        carillon: { type: 'notification', id, url: 'https://ci.example.test/1' },
      },
    });
    expect(onAndroid).toMatchObject({ shown: true, payload: { data: { type: 'notification', id } } });
  });

  it('is reported in its interim state on request', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    await fault({ phoneId: phones[0]!.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send(phones);
    await waitingRow(id, (row) => row.failures === 1);
    await eventually(
      async () =>
        (await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value.accepted === 1 ||
        undefined,
      () => 'one should be accepted',
    );
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 1,
      targets: 2,
      final: false,
      reported: null,
    });
    const once = (await bus.ask(Push.report, { subjectId: id }, contextOf(account))).value;
    expect(once).toEqual({ accepted: 1, targets: 2, final: false, reported: 1 });
    expect((await bus.ask(Push.report, { subjectId: id }, contextOf(account))).value).toEqual(once);

    await simulator.call('DELETE', '/faults');
    await clock.advance(3_000);
    await settled(id);
    expect((await reports(id)).map(({ accepted, final }) => [accepted, final])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 2,
      targets: 2,
      final: true,
      reported: 1,
    });
    await expect(bus.ask(Push.outcome, { subjectId: id }, contextOf(newAccount()))).rejects.toMatchObject({
      reason: 'delivery.not_found',
    });
    await expect(
      bus.ask(Push.report, { subjectId: newId('anot', clock.ms()) }, contextOf(account)),
    ).rejects.toMatchObject({ reason: 'delivery.not_found' });
  });

  it('in a burst over a cold connection is sent completely, each push once', async () => {
    await simulator.call('POST', '/reset');
    await service.close();
    await start();
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const ids = await Promise.all(Array.from({ length: 150 }, () => send([iphone])));
    for (const id of ids) expect(await settled(id, 20_000)).toMatchObject({ accepted: 1 });
    const pushes = await received(iphone);
    expect(pushes.filter(({ verdict }) => verdict.status === 200)).toHaveLength(150);
  });
});

describe('a provider with an outage', () => {
  it('that answers 503 once gets a retry two seconds later, with the same id', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' }, 1);
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    await clock.advance(1_000);
    expect(await received(iphone)).toHaveLength(1);
    await clock.advance(1_500);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(iphone);
    expect(pushes.map(({ verdict }) => verdict.status)).toEqual([503, 200]);
    expect(new Set(pushes.map(({ headers }) => headers['apns-id'])).size).toBe(1);
  });

  it('that keeps failing gets a retry every quarter of an hour, and none after a day', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 500, reason: 'InternalServerError' });
    const id = await send([iphone]);
    for (const [failures, ms] of [
      [1, 2_000],
      [2, 10_000],
      [3, 16 * 60_000],
    ] as const) {
      await waitingRow(id, (row) => row.failures === failures);
      await clock.advance(ms);
    }
    await waitingRow(id, (row) => row.failures === 4);
    await clock.advance(24 * 3_600_000);
    expect((await settled(id)).receipts).toEqual([
      expect.objectContaining({ status: 'error', errorCode: expect.any(String) }),
    ]);
    expect(await received(iphone)).toHaveLength(4);
  });

  it('that refuses streams gets an immediate retry', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { refuseStream: true }, 2);
    const id = await send([iphone]);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    expect((await received(iphone)).map(({ verdict }) => verdict.status)).toEqual([0, 0, 200]);
  });

  it('that sends GOAWAY gets a retry', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { goaway: true }, 1);
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1 && row.ambiguous);
    await clock.advance(2_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
  });

  it('that accepts the push and loses the connection gets it again with the same id, and the phone shows it once', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { cut: 'after' }, 1);
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.ambiguous);
    await clock.advance(2_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(iphone);
    expect(pushes).toHaveLength(2);
    expect(pushes[0]!.headers['apns-id']).toBe(pushes[1]!.headers['apns-id']);
    const { phone: shown } = await simulator.call('GET', `/phones/${iphone.id}`);
    expect(shown.tray.filter((entry: { id: string }) => entry.id === id)).toHaveLength(1);
  });

  it('that throttles gets a retry at the requested time, or a minute later when the library hides that time', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 }, 1);
    const first = await send([iphone]);
    const row = await waitingRow(first, ({ throttles }) => throttles === 1);
    expect(row.due_at.getTime() - clock.ms()).toBeLessThanOrEqual(7_000);
    await clock.advance(7_000);
    await settled(first);

    const android = await phone(newAccount(), 'android');
    await fault({ phoneId: android.id }, { reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 7 }, 1);
    const second = await send([android]);
    const wait = await waitingRow(second, ({ throttles }) => throttles === 1);
    expect(wait.due_at.getTime() - clock.ms()).toBeGreaterThan(50_000);
    await clock.advance(8_000);
    expect(await reports(second)).toEqual([]);
    await clock.advance(53_000);
    expect(await settled(second)).toMatchObject({ accepted: 1 });
  });
});

describe('an expired provider token', () => {
  it('is renewed once for many concurrent pushes', async () => {
    await simulator.call('POST', '/reset');
    await service.close();
    await start();
    const iphone = await phone(newAccount(), 'ios');
    await settled(await send([iphone]));
    // All pushes are sent before the first is answered.
    await fault({ provider: 'apns' }, { status: 403, reason: 'ExpiredProviderToken', latencyMs: 1_000 }, 40);
    const ids = await Promise.all(Array.from({ length: 40 }, () => send([iphone])));
    for (const id of ids) expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(iphone);
    expect(new Set(pushes.map(({ headers }) => headers['authorization'])).size).toBe(2);
    expect(pushes.some(({ verdict }) => verdict.reason === 'TooManyProviderTokenUpdates')).toBe(false);
  });

  it('at Google is exchanged once for all pushes', async () => {
    const before = (await simulator.call('GET', '/stats')).oauth.requests;
    const android = await phone(newAccount(), 'android');
    await fault({ phoneId: android.id }, { status: 401, reason: 'UNAUTHENTICATED', latencyMs: 1_000 }, 10);
    const ids = await Promise.all(Array.from({ length: 10 }, () => send([android])));
    for (const id of ids) expect(await settled(id)).toMatchObject({ accepted: 1 });
    expect((await simulator.call('GET', '/stats')).oauth.requests - before).toBeLessThanOrEqual(2);
  });
});

describe('a rejected credential', () => {
  it('holds its pushes, deactivates no token, and resumes when it is accepted again', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const android = await phone(account, 'android');
    await fault({ provider: 'apns' }, { status: 403, reason: 'InvalidProviderToken' });
    const first = await send([iphone, android]);
    await waitingRow(first, (row) => row.held !== null);
    expect(await received(iphone)).toHaveLength(1);

    const second = await send([iphone]);
    await waitingRow(second, (row) => row.held !== null);
    expect(await received(iphone)).toHaveLength(1);
    expect(await received(android)).toHaveLength(1);
    expect(await activeOf(iphone)).toBe(true);

    // One push probes every minute; unproven phones wait ten seconds longer than proven ones.
    await clock.advance(71_000);
    await receivedCount(iphone, 2);
    expect(await received(iphone)).toHaveLength(2);
    await simulator.call('DELETE', '/faults');
    await clock.advance(71_000);
    expect(await settled(first)).toMatchObject({ accepted: 2 });
    expect(await settled(second)).toMatchObject({ accepted: 1 });
    expect(await activeOf(iphone)).toBe(true);
  });
});

describe('phones with foreign addresses', () => {
  const foreign = async (account: string, count = 1): Promise<Phone[]> => {
    const phones: Phone[] = [];
    for (let n = 0; n < count; n += 1) {
      const made = await phone(account, 'android');
      await fault({ phoneId: made.id }, { status: 403, reason: 'SENDER_ID_MISMATCH' });
      phones.push(made);
    }
    return phones;
  };
  const rested = (id: string): Promise<any> => waitingRow(id, (row) => row.failures > 0);

  it('of one account do not hold the pushes of other accounts, whether those are being accepted or not', async () => {
    await clock.advance(120_000);
    const phones = await foreign(newAccount(), 6);
    for (const each of phones) expect(await rested(await send([each]))).toMatchObject({ held: null });
    const neighbour = await phone(newAccount(), 'android');
    expect(await settled(await send([neighbour]))).toMatchObject({ accepted: 1 });
    for (const each of phones) expect(await activeOf(each)).toBe(true);
  });

  it('of many accounts make the credential doubtful, but accounts without such phones are pushed to at once', async () => {
    const known = await phone(newAccount(), 'android');
    await settled(await send([known]));
    // What still waits from before is accepted with the first, and long ago with the second.
    for (let times = 0; times < 2; times += 1) await clock.advance(120_000);
    const bad = (await Promise.all([0, 1, 2].map(() => foreign(newAccount())))).flat();
    const held: string[] = [];
    for (const each of bad) {
      const id = await send([each]);
      await rested(id);
      held.push(id);
    }
    const late = await send([(await foreign(bad[0]!.account))[0]!]);
    await waitingRow(late, (row) => row.held === 'fcm');
    for (const each of [known, await phone(newAccount(), 'android')])
      expect(await settled(await send([each]))).toMatchObject({ accepted: 1 });
    // Held pushes are retried once one is accepted; from then on each address has its own backoff.
    expect(await rested(late)).toMatchObject({ held: null });
  });

  it('have their own backoff, and are deactivated when others are accepted and they never are', async () => {
    const [bad] = await foreign(newAccount());
    const good = await phone(newAccount(), 'android');
    const id = await send([bad!]);
    await rested(id);
    // Other pushes to the same address wait as well.
    const other = await send([bad!]);
    await waitingRow(other, (row) => row.due_at.getTime() > clock.ms() + 30_000);
    expect(await received(bad!)).toHaveLength(1);
    for (const ms of [61_000, 122_000]) {
      await settled(await send([good]));
      await clock.advance(ms);
    }
    for (const each of [id, other])
      expect((await settled(each)).receipts).toEqual([
        expect.objectContaining({ status: 'error', errorCode: expect.any(String) }),
      ]);
    await eventually(
      async () => ((await activeOf(bad!)) ? undefined : true),
      () => 'it is still active',
    );
    expect(await activeOf(good)).toBe(true);
  });
});

describe('a push token that cannot be decrypted', () => {
  it('ends its own push with an error, and the other devices are not pushed to again', async () => {
    const account = newAccount();
    const [lost, ...others] = [
      await phone(account, 'ios'),
      await phone(account, 'ios'),
      await phone(account, 'android'),
    ];
    await service
      .get(Database)
      .query(`UPDATE devices SET push_token = 'v1.gone.AA.AA.AA.AA' WHERE device_id = $1`, [lost!.deviceId]);
    const id = await send([lost!, ...others]);
    const report = await settled(id);
    expect(report.accepted).toBe(2);
    expect(report.receipts.find(({ deviceId }) => deviceId === lost!.deviceId)).toMatchObject({
      status: 'error',
      errorCode: 'token_unreadable',
    });
    await noRowsLeft(id);
    for (const each of others) expect(await received(each)).toHaveLength(1);
    // The key may become available again.
    expect(await activeOf(lost!)).toBe(true);
  });
});

describe('a phone', () => {
  it.each(['ios', 'android'] as const)('without the app (%s) is not pushed to again', async (platform) => {
    const account = newAccount();
    const lost = await phone(account, platform);
    const kept = await phone(account, platform);
    await simulator.call('POST', `/phones/${lost.id}/uninstall`);
    const report = await settled(await send([lost, kept]));
    expect(report.accepted).toBe(1);
    expect(report.receipts.find(({ deviceId }) => deviceId === lost.deviceId)).toMatchObject({
      status: 'error',
      errorCode: platform === 'ios' ? 'Unregistered' : 'registration-token-not-registered',
    });
    await eventually(
      async () => ((await activeOf(lost)) ? undefined : true),
      () => 'it is still active',
    );
    expect((await bus.ask(Push.targets, {}, contextOf(account))).value.deviceIds).toEqual([kept.deviceId]);
    expect(await received(lost)).toHaveLength(1);
  });

  it('that registered after Apple recorded its app as removed is kept', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const database = service.get(Database);
    await simulator.call('POST', `/phones/${iphone.id}/uninstall`);
    await database.query(
      `UPDATE devices SET token_since = now() + interval '1 minute' WHERE device_id = $1`,
      [iphone.deviceId],
    );
    expect((await settled(await send([iphone]))).receipts).toEqual([
      expect.objectContaining({ status: 'error', errorCode: 'Unregistered' }),
    ]);
    expect(await activeOf(iphone)).toBe(true);
  });

  it('with an address unknown to Apple is deactivated', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await simulator.call('DELETE', `/phones/${iphone.id}`);
    expect((await settled(await send([iphone]))).receipts).toEqual([
      expect.objectContaining({ status: 'error', errorCode: 'BadDeviceToken' }),
    ]);
    await eventually(
      async () => ((await activeOf(iphone)) ? undefined : true),
      () => 'it is still active',
    );
  });
});

describe('a push to phones of several accounts', () => {
  it('rings on each, is reported once, and has its recipients', async () => {
    const [anns, bobs] = [await phone(newAccount(), 'ios'), await phone(newAccount(), 'android')];
    const id = await send([anns, bobs], { recipients: [bobs.account] });
    await eventually(
      async () => ((await recorded(id)).length > 0 ? true : undefined),
      () => 'nothing was reported',
    );
    expect(await recorded(id)).toMatchObject([
      { type: 'PushReported', accountId: anns.account, recipients: [bobs.account], accepted: 2, final: true },
    ]);
    expect(bobs.account).not.toBe(anns.account);
  });
});

describe('clearing a push from the phones', () => {
  const clear = async (id: string, account: string) =>
    (await bus.ask(Push.clear, { subjectId: id }, contextOf(account))).value;

  it('sends the command to each provider that accepted the push, and only once', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await send(phones);
    await settled(id);
    expect(await clear(id, account)).toEqual({ reached: 2, cleared: 2 });
    expect(await clear(id, account)).toEqual({ reached: 2, cleared: 2 });
    const [, silent] = await receivedCount(phones[0]!, 2);
    expect(silent).toMatchObject({
      headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
      payload: { aps: { 'content-available': 1 }, carillon: { type: 'withdraw', id } },
    });
    expect((await received(phones[1]!)).map(({ payload }) => payload.data.type)).toEqual([
      'notification',
      'withdraw',
    ]);
    for (const { id: phoneId } of phones)
      expect((await simulator.call('GET', `/phones/${phoneId}`)).phone.tray).toEqual([]);
    expect((await recorded(id)).filter(({ type }) => type === 'PushCleared')).toHaveLength(1);
  });

  it('stops a push that still waits for its retry', async () => {
    const account = newAccount();
    const [waiting, had] = [await phone(account, 'ios'), await phone(account, 'android')];
    await fault({ phoneId: waiting.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([waiting, had]);
    await waitingRow(id, (row) => row.failures === 1);
    await eventually(
      async () => (await rows(id)).some((row) => row.state === 'accepted') || undefined,
      () => 'the other should have it',
    );
    expect(await clear(id, account)).toEqual({ reached: 1, cleared: 1 });
    await simulator.call('DELETE', '/faults');
    await clock.advance(3_600_000);
    const report = await settled(id);
    expect(report.receipts.map(({ status, errorCode }) => [status, errorCode]).sort()).toEqual([
      ['accepted', null],
      ['error', 'superseded'],
    ]);
    expect(await received(waiting)).toHaveLength(1);
  });

  it.each([
    ['is under way', { latencyMs: 8_000 }, 2],
    ['may have got through', { cut: 'after' }, 1],
  ])(
    'takes it off a phone, too, whose push %s',
    async (_, effect, accepted) => {
      const account = newAccount();
      const [had, other] = [await phone(account, 'android'), await phone(account, 'ios')];
      await fault({ phoneId: other.id, pushType: 'alert' }, effect, 1);
      const id = await send([had, other]);
      await receivedCount(other, 1);
      await eventually(
        async () => (await rows(id)).some((row) => row.state === 'accepted') || undefined,
        () => 'one should have it',
      );
      expect(await clear(id, account)).toEqual({ reached: 1, cleared: 1 });
      expect(await settled(id, 30_000)).toMatchObject({ accepted });
      const clearings = async () => (await recorded(id)).filter(({ type }) => type === 'PushCleared');
      await eventually(
        async () => {
          await clock.advance(2_000);
          return (await clearings()).length > 1 || undefined;
        },
        () => 'the other was not cleared',
        30_000,
      );
      expect(await clearings()).toMatchObject([
        { reached: 1, cleared: 1, left: [other.deviceId] },
        { reached: 2, cleared: 2 },
      ]);
      for (const each of [had, other]) expect(await trayOf(each)).toEqual([]);
      await noRowsLeft(id);
      expect(await clear(id, account)).toEqual({ reached: 2, cleared: 2 });
    },
    60_000,
  );

  it('that no provider accepts changes nothing', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const id = await send([iphone]);
    await settled(id);
    await fault({ phoneId: iphone.id }, { status: 400, reason: 'BadCollapseId' });
    expect(await clear(id, account)).toEqual({ reached: 1, cleared: 0 });
    expect((await recorded(id)).map(({ type }) => type)).toEqual(['PushReported']);
    await simulator.call('DELETE', '/faults');
    expect(await clear(id, account)).toEqual({ reached: 1, cleared: 1 });
  });

  it('waits at most ten seconds for a failing provider', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const id = await send([iphone]);
    await settled(id);
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' }, 1);
    const asked = clear(id, account);
    await receivedCount(iphone, 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await clock.advance(2_000);
    expect(await asked).toEqual({ reached: 1, cleared: 1 });
  });

  it('of another account is refused', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const id = await send([iphone]);
    await settled(id);
    await expect(clear(id, newAccount())).rejects.toMatchObject({ reason: 'delivery.not_found' });
  });
});

describe('a prompt', () => {
  it('is shown on both phones with its buttons, and reported as a push', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await ask(phones, { primaryLabel: 'Ship it' });
    expect(await settled(id)).toMatchObject({ subjectId: id, accepted: 2, final: true });
    expect(signals.get(id)).toMatchObject({ accepted: 2, final: true });
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 2,
      targets: 2,
      final: true,
      reported: 2,
    });
    const [[onIphone], [onAndroid]] = (await Promise.all(phones.map(received))) as [Received[], Received[]];
    expect(onIphone).toMatchObject({
      shown: true,
      headers: { 'apns-push-type': 'alert', 'apns-collapse-id': id },
      payload: {
        aps: { category: 'CARILLON_APPROVAL', 'interruption-level': 'time-sensitive' },
        carillon: { type: 'prompt', id },
      },
    });
    // 10 is the default of APNs.
    expect(onIphone!.headers['apns-priority'] ?? '10').toBe('10');
    expect(Number(onIphone!.headers['apns-expiration']) - clock.ms() / 1000).toBeLessThanOrEqual(3_600);
    expect(onAndroid).toMatchObject({
      shown: true,
      payload: { data: { type: 'prompt', id }, android: { priority: 'high' } },
    });
    for (const each of phones)
      expect(await trayOf(each)).toMatchObject([
        {
          promptId: id,
          title: 'Deploy?',
          body: 'Deploy main to production?',
          actionDigest: `sha256:${'0'.repeat(64)}`,
          actions: [
            { answer: 'approved', label: 'Ship it' },
            { answer: 'denied', label: 'Deny' },
          ],
        },
      ]);
  });

  it('without settled pushes has an outcome, and is reported in its interim state', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await ask([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    const about = { subjectId: id };
    expect((await bus.ask(Push.outcome, about, contextOf(account))).value).toMatchObject({ reported: null });
    expect((await bus.ask(Push.report, about, contextOf(account))).value).toMatchObject({
      accepted: 0,
      final: false,
      reported: 0,
    });
    await expect(bus.ask(Push.outcome, about, contextOf(newAccount()))).rejects.toMatchObject({
      reason: 'delivery.not_found',
    });
  });

  it('that is shown as a live activity is not pushed here', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const id = await ask([iphone], { presentation: 'live_activity' });
    const end = { ...canceling(id, account), presentation: 'live_activity' as const };
    await log.appendTo(interactions, streamTail(id), [end], 0n, metadataOf(account));
    // A later event has been processed.
    await settled(await send([iphone]));
    expect(typesOf(await received(iphone))).toEqual(['notification']);
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 0,
      targets: 0,
      final: true,
      reported: 0,
    });
  });

  it('that ends is cleared from all phones, once, by a silent push to each', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await ask(phones);
    await settled(id);
    await cancel(id, phones[0]!);
    expect(await cleared(id)).toMatchObject({ accountId: account, reached: 2, cleared: 2 });
    await noRowsLeft(id);
    const [onIphone, onAndroid] = (await Promise.all(phones.map(received))) as [Received[], Received[]];
    expect([typesOf(onIphone), typesOf(onAndroid)]).toEqual([
      ['prompt', 'withdraw'],
      ['prompt', 'withdraw'],
    ]);
    expect(onIphone[1]).toMatchObject({
      headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
      payload: { aps: { 'content-available': 1 }, carillon: { type: 'withdraw', id } },
    });
    expect(onAndroid[1]).toMatchObject({ payload: { android: { priority: 'normal' } } });
    for (const each of phones) expect(await trayOf(each)).toEqual([]);
    expect(await service.get(Database).query(`SELECT 1 FROM prompts WHERE prompt_id = $1`, [id])).toEqual([]);
  });

  it('with a phone removed meanwhile is cleared from the others', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await ask(phones);
    await settled(id);
    await simulator.call('POST', `/phones/${phones[0]!.id}/uninstall`);
    await cancel(id, phones[0]!);
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 1 });
    expect(await trayOf(phones[1]!)).toEqual([]);
    await eventually(
      async () => ((await activeOf(phones[0]!)) ? undefined : true),
      () => 'the phone that is gone is still active',
    );
  });

  it('that reached no phone clears none', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await simulator.call('POST', `/phones/${iphone.id}/uninstall`);
    const id = await ask([iphone]);
    await settled(id);
    await cancel(id, iphone);
    expect(await cleared(id)).toMatchObject({ reached: 0, cleared: 0 });
    expect(await received(iphone)).toHaveLength(1);
    await noRowsLeft(id);
  });

  it('that ends while a push waits for its retry does not ring any more, and is cleared from the phone that has it', async () => {
    const account = newAccount();
    const [waiting, had] = [await phone(account, 'ios'), await phone(account, 'android')];
    await fault({ phoneId: waiting.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await ask([waiting, had]);
    await waitingRow(id, (row) => row.failures === 1);
    await receivedCount(had, 1);
    await cancel(id, had);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    await simulator.call('DELETE', '/faults');
    await clock.advance(3_600_000);
    expect((await settled(id)).receipts.map(({ status, errorCode }) => [status, errorCode]).sort()).toEqual([
      ['accepted', null],
      ['error', 'superseded'],
    ]);
    expect(new Set((await received(waiting)).map(({ verdict }) => verdict.status))).toEqual(new Set([503]));
    expect(typesOf(await received(had))).toEqual(['prompt', 'withdraw']);
    await noRowsLeft(id);
  });

  it('with an ambiguous push before its end is cleared from that phone, too', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { cut: 'after' }, 1);
    const id = await ask([iphone]);
    await waitingRow(id, (row) => row.ambiguous);
    expect(await trayOf(iphone)).toHaveLength(1);
    await cancel(id, iphone);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    expect(await trayOf(iphone)).toEqual([]);
    expect((await settled(id)).receipts).toMatchObject([{ status: 'unknown', errorCode: 'superseded' }]);
  });

  it('that a crashed process may have sent is cleared from that phone, too', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' }, 1);
    const id = await ask([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    await service.get(Database).query(`UPDATE deliveries SET doubtful = true WHERE subject_id = $1`, [id]);
    await cancel(id, iphone);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    expect((await settled(id)).receipts).toMatchObject([{ status: 'unknown', errorCode: 'superseded' }]);
  });

  it('that ends during its push is cleared after the push, and from the other phone at once', async () => {
    const account = newAccount();
    const [slow, quick] = [await phone(account, 'ios'), await phone(account, 'android')];
    await fault({ phoneId: slow.id, pushType: 'alert' }, { latencyMs: 8_000 }, 1);
    const id = await ask([slow, quick]);
    await receivedCount(slow, 1);
    await receivedCount(quick, 1);
    await cancel(id, quick);
    expect(typesOf(await receivedCount(quick, 2))).toEqual(['prompt', 'withdraw']);
    expect((await recorded(id)).some(({ type }) => type === 'PushCleared')).toBe(false);
    expect(typesOf(await received(slow))).toEqual(['prompt']);
    expect(await settled(id, 30_000)).toMatchObject({ accepted: 2 });
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 2 });
    expect(typesOf(await received(slow))).toEqual(['prompt', 'withdraw']);
    for (const each of [slow, quick]) expect(await trayOf(each)).toEqual([]);
    await noRowsLeft(id);
  }, 60_000);

  it('with a push that fails after its end is not retried', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable', latencyMs: 2_000 }, 1);
    const id = await ask([iphone]);
    await receivedCount(iphone, 1);
    await cancel(id, iphone);
    expect((await settled(id)).receipts).toMatchObject([{ status: 'error', errorCode: 'superseded' }]);
    expect(await cleared(id)).toMatchObject({ reached: 0, cleared: 0 });
    await clock.advance(60_000);
    expect(await received(iphone)).toHaveLength(1);
  });

  it('that has ended before it is processed does not ring', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const asked = question([iphone]);
    const id = asked.interactionId;
    const events = [asked, canceling(id, iphone.account)];
    await service.get(Projections).stop();
    await log.appendTo(interactions, streamTail(id), events, 'no_stream', metadataOf(iphone.account));
    await service.close();
    await start();
    expect(await settled(id)).toMatchObject({ accepted: 0 });
    expect(await cleared(id)).toMatchObject({ reached: 0, cleared: 0 });
    expect(await received(iphone)).toEqual([]);
    await noRowsLeft(id);
  });

  it('is not sent any more once it has expired', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await ask([iphone], { expiresAt: new Date(clock.ms() + 30_000).toISOString() });
    await waitingRow(id, (row) => row.failures === 1);
    await clock.advance(31_000);
    expect((await settled(id)).receipts).toMatchObject([{ status: 'error' }]);
  });

  it('is cleared by a failing provider once its outage is over', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await ask(phones);
    await settled(id);
    await fault({ phoneId: phones[0]!.id }, { status: 503, reason: 'ServiceUnavailable' }, 3);
    await cancel(id, phones[0]!);
    expect(
      await eventually(
        async () => ((await trayOf(phones[1]!)).length === 0 ? true : undefined),
        () => 'one phone in trouble holds up the other',
      ),
    ).toBe(true);
    for (const [failures, ms] of [
      [1, 2_000],
      [2, 10_000],
      [3, 16 * 60_000],
    ] as const) {
      await waitingRow(`withdraw:${id}`, (row) => row.failures === failures);
      await clock.advance(ms);
    }
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 2 });
    expect(await trayOf(phones[0]!)).toEqual([]);
  });

  it('to an offline phone is not shown when the phone is online again', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    for (const { id } of phones) await simulator.call('PATCH', `/phones/${id}`, { online: false });
    const id = await ask(phones);
    await settled(id);
    await cancel(id, phones[0]!);
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 2 });
    for (const { id } of phones) await simulator.call('PATCH', `/phones/${id}`, { online: true });
    for (const each of phones) expect(await trayOf(each)).toEqual([]);
  });
});

describe('after a crash', () => {
  const startChild = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ['dist/apps/push/src/main.js'], {
      env: { ...process.env, NODE_OPTIONS: '', LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The service ended with ${code}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('Service ready')) resolve();
      });
    });
    child.removeAllListeners('exit');
    return child;
  };

  it('a push under way is released and sent again with the same id', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const android = await phone(account, 'android');
    await service.close();
    const child = await startChild();
    await start();
    // The child process leased the push; the provider accepts it, and the answer comes too late for the child.
    await fault({ phoneId: iphone.id }, { latencyMs: 20_000 }, 1);
    const id = await send([iphone, android]);
    await receivedCount(iphone, 1);
    await end(child, 'SIGKILL');
    const report = await settled(id, 45_000);
    expect(report.accepted).toBe(2);
    const ids = (await received(iphone)).map(({ headers }) => headers['apns-id']);
    expect(new Set(ids).size).toBe(1);
    expect(await reports(id)).toHaveLength(1);
  }, 90_000);

  it.each(['the prompt', 'its clearing'])(
    'while %s was under way the prompt leaves the phone',
    async (what) => {
      const iphone = await phone(newAccount(), 'ios');
      await service.close();
      const child = await startChild();
      await start();
      const slow = { latencyMs: 20_000 };
      if (what === 'the prompt') await fault({ phoneId: iphone.id, pushType: 'alert' }, slow, 1);
      const id = await ask([iphone]);
      if (what !== 'the prompt') {
        await settled(id);
        await fault({ phoneId: iphone.id, pushType: 'background' }, slow, 1);
      } else await receivedCount(iphone, 1);
      await cancel(id, iphone);
      if (what !== 'the prompt') await receivedCount(iphone, 2);
      else
        await eventually(
          async () => (await rows(`withdraw:${id}`)).length > 0 || undefined,
          () => 'the end was not met',
        );
      await end(child, 'SIGKILL');
      expect(await cleared(id, 45_000)).toMatchObject({ reached: 1, cleared: 1 });
      expect(await trayOf(iphone)).toEqual([]);
      const types = typesOf(await received(iphone));
      expect(types.filter((type) => type === 'prompt')).toHaveLength(1);
      expect(types.at(-1)).toBe('withdraw');
      expect((await recorded(id)).filter(({ type }) => type === 'PushCleared')).toHaveLength(1);
      await noRowsLeft(id);
    },
    90_000,
  );

  it('there are no leases left: a service that is stopped finishes the pushes that it has begun', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { latencyMs: 1_500 });
    const id = await send([iphone]);
    await receivedCount(iphone, 1);
    await service.close();
    await start();
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await received(iphone)).toHaveLength(1);
  });

  it('a settled push without a report is reported', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    await service
      .get(Database)
      .query(`UPDATE deliveries SET state = 'accepted', checked_at = now() WHERE subject_id = $1`, [id]);
    expect(await settled(id)).toMatchObject({ accepted: 1, final: true });
  });

  it('of the database alone, no reported push is sent again', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const prompt = await ask([iphone]);
    const open = await ask([iphone]);
    const ids = [await send([iphone]), await send([iphone]), prompt, open];
    for (const id of ids) await settled(id);
    await cancel(prompt, iphone);
    await cleared(prompt);
    const before = (await received(iphone)).length;
    const database = service.get(Database);
    await service.get(Projections).stop();
    await database.query(`TRUNCATE deliveries, devices, prompts, projection_checkpoints`);
    await service.close();
    await start();
    const late = await send([iphone]);
    expect(await settled(late, 20_000)).toMatchObject({ accepted: 1 });
    expect(await received(iphone)).toHaveLength(before + 1);
    await eventually(
      async () =>
        (await service.get(Database).query(`SELECT 1 FROM deliveries`)).length === 0 ? true : undefined,
      () => 'rows were left',
    );
    expect(await activeOf(iphone)).toBe(true);
    // A prompt from before the crash is still known.
    await cancel(open, iphone);
    expect(await cleared(open)).toMatchObject({ reached: 1, cleared: 1 });
  }, 60_000);
});

describe('an account with thousands of devices from before there was a limit', () => {
  const count = 7_500;
  let account: string;
  let deviceIds: string[];
  const database = () => service.get(Database);
  const deadLetters = (id: string) =>
    database().query<any>(`SELECT * FROM dead_letters WHERE subject_id = $1`, [id]);

  /** Rows as their projection writes them: most are gone by now, the tokens of the others were never Apple's. */
  beforeAll(async () => {
    account = newAccount();
    deviceIds = Array.from({ length: count }, () => newId('dev', clock.ms()));
    const ring = service.get(KeyRing);
    await database().query(
      `INSERT INTO devices (device_id, account_id, platform, active, push_token, push_environment, token_since,
         live_activities_capable, interactive_live_activities_capable, created_at, last_seen_at)
       SELECT id, $1, 'ios', token IS NOT NULL, token, 'sandbox', now(), false, false, now(), now()
       FROM unnest($2::text[], $3::text[]) AS n (id, token)`,
      [
        account,
        deviceIds,
        deviceIds.map((id, n) => (n % 10 === 0 ? ring.seal(randomUUID(), pushTokenContext(id)) : null)),
      ],
    );
  }, 60_000);
  afterAll(() => database().query(`DELETE FROM devices WHERE account_id = $1`, [account]));

  it('and one notification to them all: other pushes are sent meanwhile, it completes, and no rows remain', async () => {
    const neighbours = [await phone(newAccount(), 'ios'), await phone(newAccount(), 'android')];
    const flood = await send([{ id: '', deviceId: '', pushToken: '', account }], { deviceIds });
    await eventually(
      async () => ((await rows(flood)).length > 0 ? true : undefined),
      () => 'the flood did not begin',
    );
    const ids = [];
    for (let times = 0; times < 5; times += 1)
      for (const each of neighbours) {
        const id = await send([each]);
        expect(await settled(id)).toMatchObject({ accepted: 1 });
        if (times === 0) expect(await reports(flood)).toEqual([]);
        ids.push(id);
      }

    const report = await settled(flood, 60_000);
    expect(report).toMatchObject({ accepted: 0, final: true, targets: count });
    const noted = (await log.store.read(`delivery_receipts-${flood}`)).map(({ data }) => data as any);
    const receipts = [report, ...noted].flatMap((event) => event.receipts);
    expect(Math.max(...[report, ...noted].map((event) => event.receipts.length))).toBe(500);
    expect(new Set(receipts.map(({ deviceId }) => deviceId))).toEqual(new Set(deviceIds));
    await noRowsLeft(flood);
    expect(await reports(flood)).toHaveLength(1);
    expect((await bus.ask(Push.outcome, { subjectId: flood }, contextOf(account))).value).toEqual({
      accepted: 0,
      targets: count,
      final: true,
      reported: 0,
    });
    expect(await deadLetters(flood)).toEqual([]);
    expect(ids).toHaveLength(10);
  }, 120_000);

  it('sends a push to no more of them than the device limit', async () => {
    const { deviceIds: targets } = (await bus.ask(Push.targets, {}, contextOf(account))).value;
    expect(targets).toHaveLength(500);
  });

  it('with a report too large for the log: it is kept as a dead letter and not retried', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    await database().query(
      `UPDATE deliveries SET state = 'error', error_code = repeat('x', 2000000), checked_at = now()
       WHERE subject_id = $1`,
      [id],
    );
    const [letter] = await eventually(
      async () => ((await deadLetters(id)).length > 0 ? deadLetters(id) : undefined),
      () => 'there is no dead letter',
    );
    expect(letter).toMatchObject({ account_id: iphone.account, reason: 'too_large' });
    expect(letter.content).toEqual([expect.objectContaining({ deviceId: iphone.deviceId })]);
    await noRowsLeft(id);
    expect(await reports(id)).toEqual([]);
    await simulator.call('DELETE', '/faults');
    expect(await settled(await send([iphone]))).toMatchObject({ accepted: 1 });

    // The operator sees the dead letter, and can retry it once it can be stored, or drop it.
    const { deadLetters: list, retryDeadLetter, dropDeadLetter } = operationsOf('push');
    const operator = { ...contextOf(''), caller: { accountId: '', process: 'operator' } };
    const letterById = { id };
    const isListed = async (): Promise<boolean> =>
      (await bus.ask(list, {}, operator)).value.deadLetters.some((each) => each.id === id);
    await expect(bus.ask(list, {}, contextOf(iphone.account))).rejects.toMatchObject({
      reason: 'operator.required',
    });
    expect((await bus.ask(list, {}, operator)).value.deadLetters).toContainEqual({
      service: 'push',
      queue: 'deliveries',
      id,
      accountId: iphone.account,
      reason: 'too_large',
      since: expect.any(String),
    });
    // The count is exact, however many more there are than a list shows.
    await database().query(
      `INSERT INTO dead_letters (subject_id, account_id, reason, content)
       SELECT 'many ' || n, 'usr_many', 'too_large', '[]' FROM generate_series(1, 1500) n`,
    );
    expect(await service.get(QueueRunner).statuses()).toContainEqual(
      expect.objectContaining({ queue: 'deliveries', dead: 1_501 }),
    );
    await database().query(`DELETE FROM dead_letters WHERE account_id = 'usr_many'`);
    const again = (): object => ({ ...operator, commandId: randomUUID() });
    await expect(bus.ask(retryDeadLetter, letterById, again() as Context)).rejects.toMatchObject({
      reason: 'dead_letter.failed_again',
    });
    expect(await isListed()).toBe(true);
    await database().query(
      `UPDATE dead_letters SET content = jsonb_set(content, '{0,errorCode}', '"short"') WHERE subject_id = $1`,
      [id],
    );
    await bus.ask(retryDeadLetter, letterById, again() as Context);
    expect(await reports(id)).toHaveLength(1);
    expect(await isListed()).toBe(false);
    await expect(bus.ask(dropDeadLetter, letterById, again() as Context)).rejects.toMatchObject({
      reason: 'dead_letter.not_found',
    });
    const acts = (await log.store.read('operation-installation')).map(({ data }) => data);
    expect(acts.filter((act) => (act as { target: string }).target === id)).toEqual(
      Array(2).fill(expect.objectContaining({ action: 'dead_letter.retry', service: 'push' })),
    );
  });
});

it('thousands go through quickly', async () => {
  const account = newAccount();
  const phones = [await phone(account, 'ios'), await phone(account, 'android')];
  await settled(await send(phones));
  const count = 1_000;
  const began = Date.now();
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = 0; n < count / 50; n += 1) ids.push(await send(phones));
    }),
  );
  await Promise.all(
    ids.map((id) =>
      eventually(
        () => signals.get(id),
        () => `${id} is not settled`,
        60_000,
      ),
    ),
  );
  const seconds = (Date.now() - began) / 1000;
  process.stdout.write(`push: ${Math.round(count / seconds)} notifications/s to two phones each\n`);
  expect([...ids].every((id) => signals.get(id)!.accepted === 2)).toBe(true);
}, 90_000);
