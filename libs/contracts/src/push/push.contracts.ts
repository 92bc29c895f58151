import type { Instant } from '@carillon/eventing';
import {
  About,
  bool,
  Bool,
  ChangesAnyOf,
  CurvePoint,
  Id,
  id,
  Int,
  Link,
  ListOf,
  ListOfShapes,
  NeededWhere,
  Nested,
  Nullable,
  nullable,
  Num,
  object,
  OneOf,
  oneOf,
  OnlyWhere,
  Opaque,
  Optional,
  optional,
  resource,
  SixteenBytes,
  type Static,
  Text,
  text,
  When,
  when,
} from '@carillon/schema';
import type { ActivityWarning } from '../activities/activities.contracts';
import { answers, Nothing, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';

const phonePlatforms = ['ios', 'android'] as const;
export const platforms = [...phonePlatforms, 'web'] as const;
export type Platform = (typeof platforms)[number];
export const pushEnvironments = ['sandbox', 'production'] as const;
export type PushEnvironment = (typeof pushEnvironments)[number];

export const Device = resource(
  'Device',
  {
    id: id('dev'),
    platform: oneOf(platforms, '`web` is a browser; the Agent API lists it only with `platform=web`.'),
    deviceName: nullable(text()),
    active: bool('Whether it gets pushes: false once its provider has said that the app is gone.'),
    liveActivitiesCapable: bool(),
    liveActivityTokenEnvironment: nullable(oneOf(pushEnvironments)),
    liveActivityTokenUpdatedAt: nullable(when()),
    interactiveLiveActivitiesCapable: bool(),
    createdAt: when(),
    lastSeenAt: when(),
  },
  'A phone with the app, or a browser with a push subscription, signed in to the account.',
);
export type Device = Static<typeof Device>;

export class PushSubscriptionKeys {
  @CurvePoint() p256dh!: string;
  @SixteenBytes() auth!: string;
}

/** What `PushSubscription.toJSON()` of a browser gives. */
export class WebPushSubscription {
  @Link('https') endpoint!: string;
  @Nested(PushSubscriptionKeys) keys!: PushSubscriptionKeys;
  @Optional() @Nullable() @Num(-1e15, 1e15) @About('Ignored.') expirationTime?: number | null;
}

const neededOfPhones = [
  'pushToken',
  'pushEnvironment',
  'appBuild',
  'liveActivitiesCapable',
  'interactiveLiveActivitiesCapable',
] as const;

/** Registers a phone app or a browser. The same account and `installId` update the same device. */
@NeededWhere(neededOfPhones, 'platform', phonePlatforms)
@NeededWhere(['subscription'], 'platform', ['web'])
@OnlyWhere([...neededOfPhones, 'pushToStartToken'], 'platform', phonePlatforms, 'is for phones only')
@OnlyWhere(['subscription'], 'platform', ['web'], 'is for platform web only')
export class RegisterDevice {
  @Text(1, 64) installId!: string;
  @OneOf(platforms) platform!: Platform;
  @Optional() @Text(1, 64) deviceName?: string;
  @Optional() @Opaque(1, 4096) pushToken?: string;
  @Optional() @OneOf(pushEnvironments) pushEnvironment?: PushEnvironment;
  @Optional() @Text(1, 40) appBuild?: string;
  @Optional() @Bool() liveActivitiesCapable?: boolean;
  @Optional() @Bool() interactiveLiveActivitiesCapable?: boolean;
  @Optional() @Opaque(1, 4096) pushToStartToken?: string;
  @Optional() @Nested(WebPushSubscription) subscription?: WebPushSubscription;
}

/** Why Web Push is off: `CARILLON_WEB_PUSH_SUBJECT` is not set, or names this machine, which Apple refuses. */
export const webPushOffReasons = ['subject_missing', 'subject_local'] as const;
export type WebPushOffReason = (typeof webPushOffReasons)[number];

@ChangesAnyOf('pushToken', 'pushToStartToken')
export class ChangeDeviceTokens {
  @Id('dev') id!: string;
  @Optional() @Opaque(1, 4096) pushToken?: string;
  @Optional() @Opaque(1, 4096) pushToStartToken?: string;
  @OneOf(pushEnvironments) environment!: PushEnvironment;
}

/** Registers the token for updates of an activity, which the phone's system gave to the app. */
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

/** Reports what the app received: the only proof that a push reached a phone. */
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

/** Selects all active devices of the caller's account, or the named ones, which must all be such. */
export class FindTargets {
  @Optional() @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true }) deviceIds?: string[];
  /** Also devices in their quiet hours. */
  @Optional() @Bool() urgent?: boolean;
}

/** The devices that show a live activity. */
export interface FoundActivityTargets {
  deviceIds: string[];
  /** Those of them that show it silently for their quiet hours, unless it is urgent; absent when none does. */
  quietDeviceIds?: string[];
}

/** The devices that a push is sent to. */
export interface FoundTargets {
  deviceIds: string[];
  /** How many devices are left out for their quiet hours; absent when none is. */
  quiet?: number;
}

/** The cursor of a list page of devices: its last device. */
export class LastDevice {
  @When() lastSeenAt!: string;
  @Id('dev') id!: string;
}

/** Selects the devices of several accounts together, last seen first. */
export class DevicesOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 500, unique: true }) accountIds!: string[];
  @Optional() @Nested(LastDevice) before?: LastDevice;
  @Int(1, 100) limit!: number;
  /** Also browsers. */
  @Optional() @Bool() browsers?: boolean;
}

/** Selects devices of any accounts. */
export class OwnersOf {
  @ListOf(Id.rule('dev'), { min: 1, max: 200, unique: true }) deviceIds!: string[];
}

export interface OwnedDevice {
  deviceId: string;
  accountId: string;
  /** How often the device has been removed from its account and came back. */
  removals: number;
  deviceName?: string | null;
}

/** Selects all active devices of these accounts, and of the named devices those that are active. */
export class ReachOf {
  @ListOf(Id.rule('usr'), { min: 0, max: 500, unique: true }) accountIds!: string[];
  @ListOf(Id.rule('dev'), { min: 0, max: 500, unique: true }) deviceIds!: string[];
  /** Only devices that can show a live activity. */
  @Optional() @Bool() forActivity?: boolean;
  /** Also devices in their quiet hours. */
  @Optional() @Bool() urgent?: boolean;
}

export interface Reach {
  devices: { deviceId: string; accountId: string }[];
  /** How many devices are left out for their quiet hours; absent when none is. */
  quiet?: number;
  /** For a live activity, which leaves none out: those of the devices that show it silently. */
  quietDeviceIds?: string[];
}

export class DeliveryOf {
  /** The id of the pushed notification, prompt or page. */
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

/** The outcome of a push so far. `reported` is the count of the first answer; null while the push is in progress. */
export interface DeliveryOutcome {
  accepted: number;
  targets: number;
  final: boolean;
  reported: number | null;
}

/** The outcome of clearing a push from phones. */
export interface ClearOutcome {
  /** The number of devices whose provider accepted the push itself. */
  reached: number;
  /** The number of these whose provider accepted the clearing. */
  cleared: number;
  /** How many cannot be told at all, when these are all that the push reached: browsers behind Apple's push service. */
  unclearable?: number;
}

/** The lanes of one live activity: one for each of its devices. */
export class LanesOf {
  @Id('act') activityId!: string;
  /** The sequence of the change whose outcomes are requested; by default the newest that push knows. */
  @Optional() @Int(1, 1_000_000_000) sequence?: number;
  /** The log position that push must have processed before it answers. */
  @Optional() @Opaque(1, 40) after?: string;
}

/** The readiness of the devices of a live activity. */
export interface LaneReadiness {
  /** Devices whose start was accepted and that can get updates: Android, and iOS with an update token. */
  ready: number;
  /** Devices whose start was neither accepted nor finally refused. */
  queuedStarts: number;
  /** iOS devices whose start was accepted but that have not sent an update token. */
  awaitingUpdateToken: number;
  /** The earliest time of a queued start; null if none is queued. */
  nextStartAt: Instant | null;
  warnings: ActivityWarning[];
}

/**
 * The outcome of one change on all devices so far. `accepted` + `failed` + `queued` are its target devices, except
 * those where a newer change replaced it or the deadline came first.
 */
export interface LanesReport extends LaneReadiness {
  accepted: number;
  failed: number;
  /** Stored operations without an outcome, including those in flight. */
  queued: number;
  /** Unsent routine operations of older changes that this change replaced. */
  superseded: number;
}

export class ReadinessOf {
  @ListOf(Id.rule('act'), { min: 1, max: 100, unique: true }) activityIds!: string[];
}

export class AccountsOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 100, unique: true }) accountIds!: string[];
}

export const Push = {
  /** For an operator: how many active devices each account has. */
  deviceCounts: answers<{ counts: Record<string, number> }>()('push.device.counts', AccountsOf, [], 'always'),
  /** For an operator: how many pushes wait for each provider; counts up to 100,000 of all. */
  queued: answers<{ queued: Record<string, number> }>()(
    'push.delivery.queued',
    Nothing,
    ['operator.required'],
    'always',
  ),
  /**
   * The devices that can show a live activity, among all active ones of the account or the named ones: Android, and iOS
   * devices that report it. Refused if a named one is not an active device of the account. The result may be empty.
   */
  activityTargets: answers<FoundActivityTargets>()(
    'push.device.activity-targets',
    FindTargets,
    ['device.not_found'],
    'always',
  ),
  /** All counts are zero for an activity that push does not know. */
  lanes: answers<LanesReport>()('push.activity.lanes', LanesOf, [], 'always'),
  /** The readiness by activity id, without activities that push does not know. */
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
    'destination.not_allowed',
  ]),
  /** The key that browsers subscribe with. */
  webPushKey: answers(
    object({
      key: nullable(text('The public VAPID key, base64url of 65 bytes.')),
      reason: optional(oneOf(webPushOffReasons, 'Why Web Push is off; only where `key` is null.')),
    }),
  )('push.web-push.key', Nothing, [], 'always'),
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
  targets: answers<FoundTargets>()('push.device.targets', FindTargets, ['device.not_found'], 'always'),
  /** For other services: the owners of these devices, from the log. Unknown and removed devices are left out. */
  owners: answers<{ devices: OwnedDevice[] }>()('push.device.owners', OwnersOf, [], 'always'),
  /** For other services, which check who may send to whom. The result may be empty. */
  reach: answers<Reach>()('push.device.reach', ReachOf, [], 'always'),
  /** For other services. */
  devicesOf: answers<{ devices: (Device & { userId: string })[]; more: boolean }>()(
    'push.device.of-accounts',
    DevicesOf,
    [],
    'always',
  ),
  /** Records the outcome so far as the reported one, if there is none yet. */
  report: answers<DeliveryOutcome>()('push.delivery.report', DeliveryOf, ['delivery.not_found'], 'always'),
  /** Removes the device from the account until its app registers it again. */
  removeDevice: answers(Ok)('push.device.remove', DeviceById, ['device.unknown']),
  /** Refused if the account has no such device. A device that is currently unreachable is not refused. */
  device: answers<{ deviceId: string }>()('push.device.get', DeviceById, ['device.not_found'], 'always'),
  outcome: answers<DeliveryOutcome>()('push.delivery.outcome', DeliveryOf, [], 'always'),
  /** Sends a silent push that removes the push from the trays, and waits for its outcome for at most 10 s. */
  clear: answers<ClearOutcome>()('push.delivery.clear', DeliveryOf),
};

/** Core NATS signal `sig.delivery.settled.<subjectId>`, sent when a push is settled. Lossy, only a hint. */
export interface DeliverySettledSignal {
  accepted: number;
  final: boolean;
  position: string;
}
