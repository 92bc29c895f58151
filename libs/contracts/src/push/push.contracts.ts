import { answers, type Page } from '../contract';
import { bool, id, nullable, object, Ok, oneOf, resource, type Static, text, when } from '../schema/schema';
import {
  Bool,
  Id,
  ListOf,
  ListOfShapes,
  OneOf,
  Opaque,
  Optional,
  Paged,
  Text,
  When,
} from '../validation/rules';

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

export class ChangeDeviceTokens {
  @Id('dev') id!: string;
  @Optional() @Opaque(1, 4096) pushToken?: string;
  @Optional() @Opaque(1, 4096) pushToStartToken?: string;
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

export class ListDevices extends Paged {
  @Optional() @Bool() active?: boolean;
  @Optional() @OneOf(platforms) platform?: Platform;
}

/** All active devices of the caller's account, or the named ones when they all are such. */
export class FindTargets {
  @Optional() @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true }) deviceIds?: string[];
}

export class DeliveryOf {
  /** The notification, prompt or page that was pushed. */
  @Id() subjectId!: string;
}

export const receiptStatuses = ['pending', 'accepted', 'error', 'unknown'] as const;
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

export const Push = {
  registerDevice: answers<{ device: Device; created: boolean }>()('push.device.register', RegisterDevice),
  changeTokens: answers(object({ device: Device }))('push.device.change-tokens', ChangeDeviceTokens, [
    'device.not_found',
  ]),
  reportReceipts: answers(Ok)('push.device.report-receipts', ReportReceipts, ['device.not_found']),
  listDevices: answers<Page<Device>>()('push.device.list', ListDevices, ['page.invalid_cursor']),
  /** Refused when a named device is not an active one of the account. */
  targets: answers<{ deviceIds: string[] }>()('push.device.targets', FindTargets, ['device.not_found']),
  /** Records what is known so far as the reported outcome when there is none yet. */
  report: answers<DeliveryOutcome>()('push.delivery.report', DeliveryOf, ['delivery.not_found']),
  /** Takes the device off the account until its app registers it again. */
  removeDevice: answers(Ok)('push.device.remove', DeviceById, ['device.unknown']),
  /** Refused when it is no device of the account; one that cannot be reached at the moment is. */
  device: answers<{ deviceId: string }>()('push.device.get', DeviceById, ['device.not_found']),
  outcome: answers<DeliveryOutcome>()('push.delivery.outcome', DeliveryOf),
  /** Sends the silent command that removes the push from the trays and waits until it is settled or 10 s are over. */
  clear: answers<ClearOutcome>()('push.delivery.clear', DeliveryOf),
};

/** Core NATS signal `sig.delivery.settled.<subjectId>`, sent when a push is settled. Lossy: it only wakes. */
export interface DeliverySettledSignal {
  accepted: number;
  final: boolean;
  position: string;
}
