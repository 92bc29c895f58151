import type {
  ChangeDeviceTokens,
  DeviceDeactivated,
  DeviceEvent,
  DeviceReceipt,
  DeviceRegistered,
  DeviceSeen,
  DeviceSessionBound,
} from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { addressIn, isSameSubscription } from '../transport/subscription';

/** The state of one install of the app; null before its first registration. */
export type Device = RegisteredDevice | null;

interface RegisteredDevice extends Omit<DeviceRegistered, 'type' | 'slotId' | 'endedSessionId'> {
  /** The id of the slot that the device reserves, or reserved until its removal. */
  readonly slotId: string;
  readonly removals: number;
  /** The most recent of its ended sessions. */
  readonly endedSessions: readonly string[];
  readonly pushToStartEnvironment: DeviceRegistered['pushEnvironment'];
  readonly inactive: DeviceDeactivated['reason'] | null;
}

export const device: Decider<Device, DeviceEvent> = {
  category: 'device',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'DeviceRegistered': {
        const { type: _type, slotId = streamTail(event.deviceId), endedSessionId, ...registered } = event;
        return {
          ...registered,
          slotId,
          removals: state?.removals ?? 0,
          endedSessions: withEnded(state, endedSessionId),
          pushToStartEnvironment: event.pushEnvironment,
          inactive: null,
        };
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
        if (event.reason === 'removed')
          return (
            state && {
              ...state,
              inactive: event.reason,
              removals: state.removals + 1,
              endedSessions: withEnded(state, event.endedSessionId),
              pushToken: '',
              pushToStartToken: null,
            }
          );
        return state && { ...state, inactive: event.reason };
    }
  },
  personal: {
    DeviceRegistered: ['installId', 'deviceName', 'pushToken', 'pushToStartToken'],
    DeviceTokensChanged: ['pushToken', 'pushToStartToken'],
    DeviceDeactivated: [],
  },
};

/** Throws `Refused('device.not_found')` unless the state is that of a device of the account. */
export function insistOnOwn(state: Device, deviceId: string, accountId: string): void {
  if (state?.deviceId !== deviceId || state.accountId !== accountId || state.inactive === 'removed')
    throw new Refused('device.not_found');
}

/**
 * The id of the slot that the install of this stream reserves. An install that registers again after its removal
 * reserves a slot with a new id, so that releasing the old slot id does not affect the new one.
 */
export function slotOf(state: Device, tail: string): string {
  if (!state) return tail;
  return state.inactive === 'removed' ? `${tail}.${state.removals}` : state.slotId;
}

/** The maximum number of ended sessions that may still have requests in transit. */
const rememberedSessions = 20;

const withEnded = (state: Device, sessionId: string | undefined): readonly string[] => {
  const before = state?.endedSessions ?? [];
  return sessionId === undefined ? before : [...before, sessionId].slice(-rememberedSessions);
};

/**
 * Whether this session may act for the device. A device registered before sessions were recorded accepts every session
 * of its account, until its app registers again.
 */
export const isOf = (state: RegisteredDevice, accountId: string, sessionId: string | undefined): boolean =>
  state.accountId === accountId && (state.sessionId === undefined || state.sessionId === sessionId);

/** Refuses a session of the device that has ended: a request in transit at that time must not reactivate the device. */
export function insistOnRunning({ endedSessions }: RegisteredDevice, sessionId: string): void {
  if (endedSessions.includes(sessionId)) throw new Refused('session.ended');
}

/** A registration with the same data within this time is a repetition. */
const repeatMs = 60_000;

export interface Registration {
  /** The id for a new install; a known install keeps its id. */
  readonly id: string;
  readonly accountId: string;
  /** The slot reserved for the device. */
  readonly slotId: string;
  /** The session that the install registered with; a browser's device outlives its session. */
  readonly sessionId?: string | undefined;
  readonly install: Install;
  readonly at: Instant;
}

/** What a device registers of itself. */
export type Install = Pick<
  DeviceRegistered,
  | 'platform'
  | 'deviceName'
  | 'pushEnvironment'
  | 'pushToStartToken'
  | 'appBuild'
  | 'liveActivitiesCapable'
  | 'interactiveLiveActivitiesCapable'
> & { readonly installId: string; readonly pushToken: string };

/**
 * Registers the addresses of an install; they always replace the known ones. A registration with a new session ends the
 * install's previous session.
 */
export const register: Decision<Device, DeviceEvent, Registration> =
  ({ id, accountId, slotId, sessionId, install, at }) =>
  (state) => {
    if (state && sessionId !== undefined) insistOnRunning(state, sessionId);
    const tail = streamTail(id);
    // The device was removed or registered again since the slot was reserved.
    if (slotId !== slotOf(state, tail)) throw new Refused('stream.concurrent_update');
    const registered: DeviceRegistered = {
      type: 'DeviceRegistered',
      deviceId: state?.deviceId ?? id,
      accountId,
      ...(slotId !== tail && { slotId }),
      ...(sessionId !== undefined && { sessionId }),
      ...endsSession(state, sessionId),
      ...install,
      pushToken: tokenFor(state, install),
      registeredAt: at,
    };
    const isRepeated =
      state !== null &&
      state.inactive === null &&
      millis(at) - millis(state.registeredAt) < repeatMs &&
      saysTheSame(state, registered);
    return isRepeated ? [] : [registered];
  };

/** A subscription keeps the VAPID key that it was made with, also when its page registers it again after a change. */
const tokenFor = (state: Device, { platform, pushToken }: Install): string =>
  platform === 'web' && state?.platform === 'web' && isSameSubscription(state.pushToken ?? '', pushToken)
    ? (state.pushToken ?? pushToken)
    : pushToken;

/**
 * The former session, if this ends it: when a different session or none replaces it. A removal has ended it already.
 */
const endsSession = (state: Device, next?: string): { readonly endedSessionId?: string } => {
  const former = state?.inactive === 'removed' ? undefined : state?.sessionId;
  return former === undefined || former === next ? {} : { endedSessionId: former };
};

const saysTheSame = (state: RegisteredDevice, next: DeviceRegistered): boolean =>
  state.sessionId === next.sessionId &&
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
  readonly sessionId: string | undefined;
  readonly input: ChangeDeviceTokens;
  readonly at: Instant;
}

/** Records new addresses of a registered install. */
export const changeTokens: Decision<Device, DeviceEvent, TokenChange> =
  ({ accountId, sessionId, input, at }) =>
  (state) => {
    if (!state || state.deviceId !== input.id || !isOf(state, accountId, sessionId))
      throw new Refused('device.not_found');
    // A device that was removed or moved to another account must register again.
    if (state.inactive === 'removed' || state.inactive === 'moved') throw new Refused('device.not_found');
    // A browser registers its subscription as a whole.
    if (state.platform === 'web') throw new Refused('device.not_found');
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
  /** The push token to deactivate. A device that has a different address by now stays active. */
  readonly token: string;
  readonly reason: DeviceDeactivated['reason'];
  readonly at: Instant;
}

/** Deactivates a device whose address is dead or belongs to another device now. */
export const deactivate: Decision<Device, DeviceEvent, Deactivation> =
  ({ token, reason, at }) =>
  (state) => {
    if (!state || state.inactive !== null || state.pushToken === null) return [];
    if (addressIn(state.platform, state.pushToken) !== addressIn(state.platform, token)) return [];
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

export interface Removal {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

/** Removes the device from the account. A new registration by its app adds it again. */
export const remove: Decision<Device, DeviceEvent, Removal> =
  ({ id, accountId, at }) =>
  (state) => {
    if (!state || state.deviceId !== id || state.accountId !== accountId) throw new Refused('device.unknown');
    if (state.inactive === 'removed') return [];
    return [removed(state, at)];
  };

/** Removes an unreachable device to free its slot. A device that is reachable by now stays. */
export const freeSlot: Decision<Device, DeviceEvent, { readonly slotId: string; readonly at: Instant }> =
  ({ slotId, at }) =>
  (state) => {
    if (!state || state.slotId !== slotId || state.inactive === null || state.inactive === 'removed')
      return [];
    return [removed(state, at)];
  };

/** The removal, which also ends the session of the device's app. */
const removed = (state: RegisteredDevice, at: Instant): DeviceDeactivated => ({
  type: 'DeviceDeactivated',
  deviceId: state.deviceId,
  accountId: state.accountId,
  reason: 'removed',
  ...endsSession(state),
  deactivatedAt: at,
});

/** Whether the device that reserved this slot no longer holds it, or never registered. */
export const isGone = (state: Device, slotId: string): boolean =>
  !state || state.slotId !== slotId || state.inactive === 'removed';

/** The device that an app session is bound to; null before the session has registered one. */
export type DeviceSession = { readonly device: string } | null;

export const deviceSession: Decider<DeviceSession, DeviceSessionBound> = {
  category: 'device_session',
  initial: null,
  evolve: (_state, event) => ({ device: event.device }),
  personal: { DeviceSessionBound: [] },
};

export interface Binding {
  readonly sessionId: string;
  readonly accountId: string;
  /** The tail of the device's stream. */
  readonly device: string;
  readonly at: Instant;
}

/** Binds a session to the first install that registers with it. */
export const bind: Decision<DeviceSession, DeviceSessionBound, Binding> =
  ({ sessionId, accountId, device: tail, at }) =>
  (state) => {
    if (state && state.device !== tail) throw new Refused('session.other_device');
    return state ? [] : [{ type: 'DeviceSessionBound', sessionId, accountId, device: tail, boundAt: at }];
  };

/** The kept part of what a phone has reported. */
export interface SeenNotifications {
  /** The newest notifications that the phone has received. */
  readonly received: readonly string[];
  readonly seenAt: Instant | null;
}

const rememberedReceipts = 500;
/** The minimum interval between recorded reports without new receipts. */
const notedEveryMs = 60_000;

export const deviceSeen: Decider<SeenNotifications, DeviceSeen> = {
  category: 'device_seen',
  initial: { received: [], seenAt: null },
  evolve: (state, { received, seenAt }) => ({
    received: [...state.received, ...received.map(({ notificationId }) => notificationId)].slice(
      -rememberedReceipts,
    ),
    seenAt,
  }),
  personal: { DeviceSeen: [] },
};

export interface ReceiptReport {
  readonly deviceId: string;
  readonly accountId: string;
  readonly receipts: readonly DeviceReceipt[];
  readonly at: Instant;
}

/** Records the notifications that a phone reports as received. A repeated receipt is recorded once. */
export const see: Decision<SeenNotifications, DeviceSeen, ReceiptReport> =
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
