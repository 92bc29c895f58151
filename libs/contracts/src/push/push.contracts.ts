import type { Instant } from '@carillon/eventing';
import {
  bool,
  Bool,
  ChangesAnyOf,
  Id,
  id,
  Int,
  ListOf,
  ListOfShapes,
  Nested,
  nullable,
  object,
  OneOf,
  oneOf,
  Opaque,
  Optional,
  resource,
  type Static,
  Text,
  text,
  When,
  when,
} from '@carillon/schema';
import type { ActivityWarning } from '../activities/activities.contracts';
import { answers, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';

export const platforms = ['ios', 'android'] as const;
export type Platform = (typeof platforms)[number];
export const pushEnvironments = ['sandbox', 'production'] as const;
export type PushEnvironment = (typeof pushEnvironments)[number];

export const Device = resource(
  'Device',
  {
    id: id('dev'),
    platform: oneOf(platforms),
    deviceName: nullable(text()),
    active: bool('Whether it gets pushes: false once its provider has said that the app is gone.'),
    liveActivitiesCapable: bool(),
    liveActivityTokenEnvironment: nullable(oneOf(pushEnvironments)),
    liveActivityTokenUpdatedAt: nullable(when()),
    interactiveLiveActivitiesCapable: bool(),
    createdAt: when(),
    lastSeenAt: when(),
  },
  'A phone with the app, signed in to the account.',
);
export type Device = Static<typeof Device>;

/** A phone app registers itself; the same account and `installId` update the same device. */
export class RegisterDevice {
  @Text(1, 64) installId!: string;
  @OneOf(platforms) platform!: Platform;
  @Optional() @Text(1, 64) deviceName?: string;
  @Opaque(1, 4096) pushToken!: string;
  @OneOf(pushEnvironments) pushEnvironment!: PushEnvironment;
  @Text(1, 40) appBuild!: string;
  @Bool() liveActivitiesCapable!: boolean;
  @Bool() interactiveLiveActivitiesCapable!: boolean;
  @Optional() @Opaque(1, 4096) pushToStartToken?: string;
}

@ChangesAnyOf('pushToken', 'pushToStartToken')
export class ChangeDeviceTokens {
  @Id('dev') id!: string;
  @Optional() @Opaque(1, 4096) pushToken?: string;
  @Optional() @Opaque(1, 4096) pushToStartToken?: string;
  @OneOf(pushEnvironments) environment!: PushEnvironment;
}

/** Where updates of an activity reach the phone, as its system has told the app. */
export class RegisterActivityToken {
  @Id('dev') deviceId!: string;
  @Id('act') activityId!: string;
  @Opaque(1, 4096) token!: string;
  @OneOf(pushEnvironments) environment!: PushEnvironment;
}

export class DeviceReceipt {
  @Id() notificationId!: string;
  @When() receivedAt!: string;
}

/** What the app says it has received: the only proof that a phone got something. */
export class ReportReceipts {
  @Id('dev') id!: string;
  @ListOfShapes(DeviceReceipt, { min: 1, max: 100 }) receipts!: DeviceReceipt[];
}

export class DeviceById {
  @Id('dev') id!: string;
}

export class ListDevices extends ListQuery {
  @Optional() @Bool() active?: boolean;
  @Optional() @OneOf(platforms) platform?: Platform;
}

/** All active devices of the caller's account, or the named ones when they all are such. */
export class FindTargets {
  @Optional() @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true }) deviceIds?: string[];
}

/** Where a page of devices ends: the next one begins after it. */
export class LastDevice {
  @When() lastSeenAt!: string;
  @Id('dev') id!: string;
}

/** Devices of several accounts together, the last seen first. */
export class DevicesOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 500, unique: true }) accountIds!: string[];
  @Optional() @Nested(LastDevice) before?: LastDevice;
  @Int(1, 100) limit!: number;
}

/** Devices of whichever accounts. */
export class OwnersOf {
  @ListOf(Id.rule('dev'), { min: 1, max: 200, unique: true }) deviceIds!: string[];
}

export interface OwnedDevice {
  deviceId: string;
  accountId: string;
  /** How often it has been removed from its account and came back. */
  removals: number;
}

/** All active devices of these accounts, and these of others as far as they are active. */
export class ReachOf {
  @ListOf(Id.rule('usr'), { min: 0, max: 500, unique: true }) accountIds!: string[];
  @ListOf(Id.rule('dev'), { min: 0, max: 500, unique: true }) deviceIds!: string[];
  /** Only those that can show a live activity. */
  @Optional() @Bool() forActivity?: boolean;
}

export class DeliveryOf {
  /** The notification, prompt or page that was pushed. */
  @Id() subjectId!: string;
}

const receiptStatuses = ['pending', 'accepted', 'error', 'unknown'] as const;
export type ReceiptStatus = (typeof receiptStatuses)[number];

export const PushReceipt = resource(
  'PushReceipt',
  {
    id: id('rcp'),
    deviceId: id('dev'),
    status: oneOf(receiptStatuses, '`accepted` is the word of the provider, never of the phone.'),
    errorCode: nullable(text()),
    checkedAt: nullable(when()),
  },
  'What the provider of one device has said about a push.',
);
export type PushReceipt = Static<typeof PushReceipt>;

/** How a push stands. `reported` is the count that the first answer gave; null while it is still under way. */
export interface DeliveryOutcome {
  accepted: number;
  targets: number;
  final: boolean;
  reported: number | null;
}

/** What became of a request to take a push off the phones. */
export interface ClearOutcome {
  /** Devices whose provider had accepted the push itself. */
  reached: number;
  /** Those of them whose provider accepted the clearing. */
  cleared: number;
}

/** The lanes of one live activity: one for each of its devices. */
export class LanesOf {
  @Id('act') activityId!: string;
  /** Whose outcomes are asked for: the change with this sequence; the newest that push knows when absent. */
  @Optional() @Int(1, 1_000_000_000) sequence?: number;
  /** Answered once push has taken in the log up to this position. */
  @Optional() @Opaque(1, 40) after?: string;
}

/** How far the devices of a live activity are. */
export interface LaneReadiness {
  /** Devices whose start was accepted and that take updates: Android, and iOS with its update token. */
  ready: number;
  /** Devices whose start has neither been accepted nor refused for good. */
  queuedStarts: number;
  /** iOS devices whose start was accepted and whose update token has not come. */
  awaitingUpdateToken: number;
  /** The earliest time at which a queued start is made; null when none is queued. */
  nextStartAt: Instant | null;
  warnings: ActivityWarning[];
}

/**
 * What became of one change on all devices so far: `accepted` + `failed` + `queued` are the devices that it is for, but
 * for those where a newer change has taken its place or where the deadline came first.
 */
export interface LanesReport extends LaneReadiness {
  accepted: number;
  failed: number;
  /** Stored and not settled: in flight ones too. */
  queued: number;
  /** Unsent routine operations of older changes that this change has taken the place of. */
  superseded: number;
}

export class ReadinessOf {
  @ListOf(Id.rule('act'), { min: 1, max: 100, unique: true }) activityIds!: string[];
}

export const Push = {
  /**
   * The devices that can show a live activity, among all active ones of the account or the named ones: Android, and iOS
   * that says so. Refused when a named one is not an active device of the account; none may be left.
   */
  activityTargets: answers<{ deviceIds: string[] }>()(
    'push.device.activity-targets',
    FindTargets,
    ['device.not_found'],
    'always',
  ),
  /** All zero for an activity that push does not know. */
  lanes: answers<LanesReport>()('push.activity.lanes', LanesOf, [], 'always'),
  /** Of each activity by its id; of those that push does not know there is none. */
  readiness: answers<{ readiness: Record<string, LaneReadiness> }>()(
    'push.activity.readiness',
    ReadinessOf,
    [],
    'always',
  ),
  registerDevice: answers<{ device: Device; created: boolean }>()('push.device.register', RegisterDevice, [
    'session.required',
    'session.ended',
    'session.other_device',
    'resource.limit_reached',
  ]),
  changeTokens: answers(object({ device: Device }))(
    'push.device.change-tokens',
    ChangeDeviceTokens,
    ['device.not_found', 'input.empty_update'],
    'always',
  ),
  registerActivityToken: answers(Ok)(
    'push.activity.register-token',
    RegisterActivityToken,
    ['device.not_found', 'activity.not_found'],
    'always',
  ),
  reportReceipts: answers(Ok)('push.device.report-receipts', ReportReceipts, ['device.not_found'], 'always'),
  listDevices: answers<ListPage<Device>>()(
    'push.device.list',
    ListDevices,
    ['list.invalid_cursor'],
    'always',
  ),
  /** Refused when a named device is not an active one of the account. */
  targets: answers<{ deviceIds: string[] }>()(
    'push.device.targets',
    FindTargets,
    ['device.not_found'],
    'always',
  ),
  /** For other services: whose these devices are, as the log has it. Those that are none, or are removed, are left out. */
  owners: answers<{ devices: OwnedDevice[] }>()('push.device.owners', OwnersOf, [], 'always'),
  /** For other services, which know who may send to whom. None of them may be reached. */
  reach: answers<{ devices: { deviceId: string; accountId: string }[] }>()(
    'push.device.reach',
    ReachOf,
    [],
    'always',
  ),
  /** For other services. */
  devicesOf: answers<{ devices: (Device & { userId: string })[]; more: boolean }>()(
    'push.device.of-accounts',
    DevicesOf,
    [],
    'always',
  ),
  /** Records what is known so far as the reported outcome when there is none yet. */
  report: answers<DeliveryOutcome>()('push.delivery.report', DeliveryOf, ['delivery.not_found'], 'always'),
  /** Takes the device off the account until its app registers it again. */
  removeDevice: answers(Ok)('push.device.remove', DeviceById, ['device.unknown']),
  /** Refused when it is no device of the account; one that cannot be reached at the moment is. */
  device: answers<{ deviceId: string }>()('push.device.get', DeviceById, ['device.not_found'], 'always'),
  outcome: answers<DeliveryOutcome>()('push.delivery.outcome', DeliveryOf, [], 'always'),
  /** Sends the silent command that removes the push from the trays and waits until it is settled or 10 s are over. */
  clear: answers<ClearOutcome>()('push.delivery.clear', DeliveryOf),
};

/** Core NATS signal `sig.delivery.settled.<subjectId>`, sent when a push is settled. Lossy: it only wakes. */
export interface DeliverySettledSignal {
  accepted: number;
  final: boolean;
  position: string;
}
