import type { Bus } from '@carillon/bus';
import {
  type DeliverySettledSignal,
  type InteractionAnswered,
  type InteractionAsked,
  type InteractionCanceled,
  type NotificationSent,
  Push,
  type PushCleared,
  type PushReported,
} from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import {
  contextOf,
  eventually,
  interactionAsked,
  streamMetadata,
  notificationSent,
  startParts,
  startSimulator,
} from '@carillon/testkit';
import { PushModule } from '../push.module';

export interface Received {
  readonly provider: 'apns' | 'fcm' | 'web';
  readonly headers: Record<string, string>;
  readonly payload: Readonly<Record<string, unknown>> & {
    readonly [from in 'carillon' | 'data']?: { readonly type: string };
  } & { readonly notification?: { readonly data: { readonly kind: string } } };
  readonly verdict: { readonly status: number; readonly reason: string | null };
  readonly shown: boolean;
}
/** Some columns of a delivery that is not finished. */
export interface DeliveryRow {
  readonly state: string;
  readonly owner: string | null;
  readonly failures: number;
  readonly throttles: number;
  readonly ambiguous: boolean;
  readonly held: string | null;
  readonly due_at: Date;
}
export interface Phone {
  readonly id: string;
  readonly deviceId: string;
  readonly pushToken: string;
  readonly account: string;
}

let parts: Awaited<ReturnType<typeof startParts>>;
export let simulator: Awaited<ReturnType<typeof startSimulator>>;
export let service: RunningService;
export let bus: Bus;
export const natsUrl = (): string => String(parts.env['NATS_URL']);
export let log: Log;
export let clock: ManualClock;
let stopListening: () => void;
export const signals = new Map<string, DeliverySettledSignal>();

export const start = async (): Promise<void> => {
  service = await startService({ name: 'push', module: PushModule });
  log = service.get(Log);
  clock = service.get(Clock) as ManualClock;
  // The bus registers new listeners with a short delay.
  await eventually(
    () => bus.ask(Push.targets, {}, contextOf('usr_none')).catch(() => undefined),
    () => 'the service does not answer',
  );
};

/** Starts the service on real parts, beside a simulator of the providers. */
export async function begin(env: Record<string, string> = {}): Promise<void> {
  simulator = await startSimulator();
  parts = await startParts({ ...simulator.env, LOG_LEVEL: 'fatal', ...env });
  bus = await sharedBus.take();
  await start();
  stopListening = bus.onSignal<DeliverySettledSignal>('delivery.settled', (id, signal) =>
    signals.set(id, signal),
  );
}
export async function stop(): Promise<void> {
  stopListening();
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
  await simulator?.stop();
}
/** The signal of a settled push, which may come after its event. */
export const signalOf = (id: string): Promise<DeliverySettledSignal> =>
  eventually(
    () => signals.get(id),
    () => `no signal says that ${id} is settled`,
  );
export const clearFaults = (): Promise<unknown> => simulator.call('DELETE', '/faults');

const asIs = (category: string, personal: readonly string[] = []): Decider<null, DomainEvent> => ({
  category,
  initial: null,
  evolve: () => null,
  personal: { NotificationSent: personal, InteractionAsked: ['title', 'prompt', 'choices'] },
});
export const interactions = asIs('interaction');
const notifications = asIs('notification', ['title', 'body', 'summary', 'sourceName', 'projectName']);

export async function phone(
  account: string,
  platform: 'ios' | 'android' | 'web',
  more: object = {},
): Promise<Phone> {
  const { phone: made } = await simulator.call('POST', '/phones', { platform, ...more });
  const { value } = await bus.ask(
    Push.registerDevice,
    platform === 'web'
      ? { installId: made.id, platform, deviceName: made.name, subscription: made.subscription }
      : {
          installId: made.id,
          platform,
          deviceName: made.name,
          pushToken: made.pushToken,
          pushEnvironment: 'sandbox',
          appBuild: '1',
          liveActivitiesCapable: true,
          interactiveLiveActivitiesCapable: false,
        },
    contextOf(account, { caller: { sessionId: newId('ses', clock.ms()) } }),
  );
  return { id: made.id, deviceId: value.device.id, pushToken: made.pushToken, account };
}

export async function send(phones: readonly Phone[], more: Partial<NotificationSent> = {}): Promise<string> {
  const accountId = phones[0]!.account;
  const notificationId = newId('anot', clock.ms());
  const event = notificationSent({
    notificationId,
    accountId,
    deviceIds: phones.map(({ deviceId }) => deviceId),
    sentAt: clock.now(),
    ...more,
  });
  await log.appendTo(
    notifications,
    streamTail(notificationId),
    [event],
    'no_stream',
    streamMetadata(accountId),
  );
  return notificationId;
}

export async function ask(phones: readonly Phone[], more: Partial<InteractionAsked> = {}): Promise<string> {
  const asked = question(phones, more);
  const { interactionId: id, accountId } = asked;
  await log.appendTo(interactions, streamTail(id), [asked], 'no_stream', streamMetadata(accountId));
  return id;
}

export const question = (phones: readonly Phone[], more: Partial<InteractionAsked> = {}): InteractionAsked =>
  interactionAsked({
    interactionId: newId('int', clock.ms()),
    accountId: phones[0]!.account,
    deviceIds: phones.map(({ deviceId }) => deviceId),
    askedAt: clock.now(),
    ...more,
  });

export const canceling = (interactionId: string, accountId: string): InteractionCanceled => ({
  type: 'InteractionCanceled',
  interactionId,
  accountId,
  presentation: 'notification',
  liveActivityId: null,
  webhookIds: [],
  canceledAt: clock.now(),
});

export async function answerAs(id: string, { account, deviceId }: Phone, personId: string): Promise<void> {
  const { canceledAt, ...ending } = canceling(id, account);
  const answered: InteractionAnswered = {
    ...ending,
    type: 'InteractionAnswered',
    status: 'approved',
    response: 'approved',
    respondingUserId: personId,
    respondingDeviceId: deviceId,
    answeredAt: canceledAt,
  };
  await log.appendTo(interactions, streamTail(id), [answered], 0n, streamMetadata(account));
}

export async function cancel(id: string, { account }: Phone): Promise<void> {
  const metadata = streamMetadata(account);
  await log.appendTo(interactions, streamTail(id), [canceling(id, account)], 0n, metadata);
}

export const recorded = async (id: string): Promise<(PushReported | PushCleared)[]> =>
  (await log.open(await log.store.read(`delivery-${id}`))).map(
    ({ event }) => event as PushReported | PushCleared,
  );
export const reports = async (id: string): Promise<PushReported[]> =>
  (await recorded(id)).filter((event) => event.type === 'PushReported');
export const settled = (id: string, withinMs?: number): Promise<PushReported> =>
  eventually(
    async () => (await reports(id)).find(({ final }) => final),
    () => `${id} was not settled`,
    withinMs,
  );
export const cleared = (id: string, withinMs?: number): Promise<PushCleared> =>
  eventually(
    async () => (await recorded(id)).find((event) => event.type === 'PushCleared'),
    () => `${id} was not cleared`,
    withinMs,
  );
export const trayOf = async ({ id }: Phone): Promise<{ readonly id: string }[]> =>
  (await simulator.call('GET', `/phones/${id}`)).phone.tray;
/** The transports that the same stories are told of, beside FCM. */
export const transports = ['ios', 'web'] as const;
type Transport = (typeof transports)[number];
/** What a simulated provider calls a notification and a clearing. */
export const pushTypesOf = (platform: Transport) =>
  platform === 'ios'
    ? { notification: 'alert', prompt: 'alert', withdraw: 'background' }
    : { notification: 'notification', prompt: 'prompt', withdraw: 'withdraw' };
/** By what a provider knows a push again that is repeated. */
export const repeatedAs = (platform: Transport, { headers }: Received): string | undefined =>
  headers[platform === 'ios' ? 'apns-id' : 'topic'];
export const takenWith = { ios: 200, web: 201 } as const;

export const typesOf = (pushes: readonly Received[]): string[] =>
  pushes.map(
    ({ payload }) => (payload.carillon ?? payload.data)?.type ?? payload.notification?.data.kind ?? '',
  );
export const noRowsLeft = (id: string): Promise<true> =>
  eventually(
    async () => ((await rows(id)).length + (await rows(`withdraw:${id}`)).length === 0 ? true : undefined),
    () => 'rows were left',
  );
export const received = async ({ id }: Phone): Promise<Received[]> =>
  (await simulator.call('GET', `/phones/${id}/received`)).received;
export const receivedCount = (of: Phone, count: number, withinMs?: number): Promise<Received[]> =>
  eventually(
    async () => {
      const all = await received(of);
      return all.length >= count ? all : undefined;
    },
    () => `${count} pushes were expected`,
    withinMs,
  );
export const fault = (match: object, effect: object, count?: number): Promise<unknown> =>
  simulator.call('POST', '/faults', { match, effect, ...(count && { count }) });
export const rows = (id: string): Promise<DeliveryRow[]> =>
  service.get(Database).query(`SELECT * FROM deliveries WHERE subject_id = $1 ORDER BY device_id`, [id]);
export const waitingRow = (id: string, check: (row: DeliveryRow) => boolean): Promise<DeliveryRow> =>
  eventually(
    async () => (await rows(id)).find((row) => row.owner === null && check(row)),
    () => `${id} has no such row`,
  );
const devices = async (account: string) =>
  (await bus.ask(Push.listDevices, {}, contextOf(account))).value.items;
export const activeOf = async ({ account, deviceId }: Phone): Promise<boolean> =>
  (await devices(account)).find(({ id }) => id === deviceId)!.active;
