import type {
  ChangeDeviceTokens,
  DeviceDeactivated,
  DeviceEvent,
  DeviceReceipt,
  DeviceRegistered,
  DeviceSeen,
  RegisterDevice,
} from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';

/** What is known of one install of the app; null before its first registration. */
export type Device = Known | null;

interface Known extends Omit<DeviceRegistered, 'type'> {
  readonly pushToStartEnvironment: DeviceRegistered['pushEnvironment'];
  readonly inactive: DeviceDeactivated['reason'] | null;
}

export const device: Decider<Device, DeviceEvent> = {
  category: 'device',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'DeviceRegistered': {
        const { type: _type, ...registered } = event;
        return { ...registered, pushToStartEnvironment: event.pushEnvironment, inactive: null };
      }
      case 'DeviceTokensChanged':
        return (
          state && {
            ...state,
            ...(event.pushToken !== null && {
              pushToken: event.pushToken,
              pushEnvironment: event.environment,
              inactive: null,
            }),
            ...(event.pushToStartToken !== null && {
              pushToStartToken: event.pushToStartToken,
              pushToStartEnvironment: event.environment,
            }),
          }
        );
      case 'DeviceDeactivated':
        return state && { ...state, inactive: event.reason };
    }
  },
  personal: {
    DeviceRegistered: ['installId', 'deviceName', 'pushToken', 'pushToStartToken'],
    DeviceTokensChanged: ['pushToken', 'pushToStartToken'],
  },
};

/** An app that registers again this soon with the same data has only repeated itself. */
const repeatMs = 60_000;

export interface Registration {
  /** Taken when the install is new; a known one keeps its id. */
  readonly id: string;
  readonly accountId: string;
  readonly input: RegisterDevice;
  readonly at: Instant;
}

/** The app of an install says where it can be reached. Always wins over what was known. */
export const register: Decision<Device, DeviceEvent, Registration> =
  ({ id, accountId, input, at }) =>
  (state) => {
    const registered: DeviceRegistered = {
      type: 'DeviceRegistered',
      deviceId: state?.deviceId ?? id,
      accountId,
      installId: input.installId,
      platform: input.platform,
      deviceName: input.deviceName ?? null,
      pushToken: input.pushToken,
      pushEnvironment: input.pushEnvironment,
      pushToStartToken: input.pushToStartToken ?? null,
      appBuild: input.appBuild,
      liveActivitiesCapable: input.liveActivitiesCapable,
      interactiveLiveActivitiesCapable: input.interactiveLiveActivitiesCapable,
      registeredAt: at,
    };
    const isRepeated =
      state !== null &&
      state.inactive === null &&
      millis(at) - millis(state.registeredAt) < repeatMs &&
      saysTheSame(state, registered);
    return isRepeated ? [] : [registered];
  };

const saysTheSame = (state: Known, next: DeviceRegistered): boolean =>
  state.platform === next.platform &&
  state.deviceName === next.deviceName &&
  state.pushToken === next.pushToken &&
  state.pushEnvironment === next.pushEnvironment &&
  state.pushToStartToken === next.pushToStartToken &&
  state.appBuild === next.appBuild &&
  state.liveActivitiesCapable === next.liveActivitiesCapable &&
  state.interactiveLiveActivitiesCapable === next.interactiveLiveActivitiesCapable;

export interface TokenChange {
  readonly accountId: string;
  readonly input: ChangeDeviceTokens;
  readonly at: Instant;
}

/** The app of a registered install got new addresses. */
export const changeTokens: Decision<Device, DeviceEvent, TokenChange> =
  ({ accountId, input, at }) =>
  (state) => {
    if (!state || state.deviceId !== input.id || state.accountId !== accountId)
      throw new Refused('device.not_found');
    // Who was removed, or whose phone is somebody else's now, has to register.
    if (state.inactive === 'removed' || state.inactive === 'moved') throw new Refused('device.not_found');
    if (input.pushToken === undefined && input.pushToStartToken === undefined)
      throw new Refused('input.empty_update');
    const pushToken =
      input.pushToken === state.pushToken && input.environment === state.pushEnvironment
        ? null
        : (input.pushToken ?? null);
    const pushToStartToken =
      input.pushToStartToken === state.pushToStartToken && input.environment === state.pushToStartEnvironment
        ? null
        : (input.pushToStartToken ?? null);
    if (pushToken === null && pushToStartToken === null) return [];
    return [
      {
        type: 'DeviceTokensChanged',
        deviceId: state.deviceId,
        accountId,
        pushToken,
        pushToStartToken,
        environment: input.environment,
        changedAt: at,
      },
    ];
  };

export interface Deactivation {
  /** The address that is meant. When the device has another by now, nothing happens to it. */
  readonly token: string;
  readonly reason: DeviceDeactivated['reason'];
  readonly at: Instant;
}

/** The address of a device is dead, or is another device's now. */
export const deactivate: Decision<Device, DeviceEvent, Deactivation> =
  ({ token, reason, at }) =>
  (state) => {
    if (!state || state.inactive !== null || state.pushToken !== token) return [];
    return [
      {
        type: 'DeviceDeactivated',
        deviceId: state.deviceId,
        accountId: state.accountId,
        reason,
        deactivatedAt: at,
      },
    ];
  };

/** What a phone has told us since it exists, as far as it is kept. */
export interface Seen {
  /** The newest notifications that it has received. */
  readonly received: readonly string[];
  readonly seenAt: Instant | null;
}

const rememberedReceipts = 500;
/** A phone that says nothing new is noted this often at most. */
const notedEveryMs = 60_000;

export const deviceSeen: Decider<Seen, DeviceSeen> = {
  category: 'device_seen',
  initial: { received: [], seenAt: null },
  evolve: (state, { received, seenAt }) => ({
    received: [...state.received, ...received.map(({ notificationId }) => notificationId)].slice(
      -rememberedReceipts,
    ),
    seenAt,
  }),
};

export interface Report {
  readonly deviceId: string;
  readonly accountId: string;
  readonly receipts: readonly DeviceReceipt[];
  readonly at: Instant;
}

/** The phone says what it has received. What it has said before counts once. */
export const see: Decision<Seen, DeviceSeen, Report> =
  ({ deviceId, accountId, receipts, at }) =>
  (state) => {
    const known = new Set(state.received);
    const received = receipts.filter(({ notificationId }) => {
      if (known.has(notificationId)) return false;
      known.add(notificationId);
      return true;
    });
    const isFresh = state.seenAt !== null && millis(at) - millis(state.seenAt) < notedEveryMs;
    if (received.length === 0 && isFresh) return [];
    return [
      {
        type: 'DeviceSeen',
        deviceId,
        accountId,
        received: received.map(({ notificationId, receivedAt }) => ({ notificationId, receivedAt })),
        seenAt: at,
      },
    ];
  };
