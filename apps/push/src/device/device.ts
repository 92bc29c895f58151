import type {
  ChangeDeviceTokens,
  DeviceDeactivated,
  DeviceEvent,
  DeviceReceipt,
  DeviceRegistered,
  DeviceSeen,
  DeviceSessionBound,
  RegisterDevice,
} from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';

/** What is known of one install of the app; null before its first registration. */
export type Device = RegisteredDevice | null;

interface RegisteredDevice extends Omit<DeviceRegistered, 'type' | 'slotId' | 'endedSessionId'> {
  /** Under what it reserves a slot of its account, or took it until it was removed. */
  readonly slotId: string;
  readonly removals: number;
  /** The newest of its sessions that are over. */
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
        const {
          type: _type,
          slotId: slotId = streamTail(event.deviceId),
          endedSessionId,
          ...registered
        } = event;
        return {
          ...registered,
          slotId: slotId,
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

/**
 * Under what the install of this stream reserves a slot of its account. Who comes back after it was removed reserves a slot anew,
 * under another name: what was released under the old one has nothing to do with it.
 */
export function slotOf(state: Device, tail: string): string {
  if (!state) return tail;
  return state.inactive === 'removed' ? `${tail}.${state.removals}` : state.slotId;
}

/** As many as can still have a request on its way. */
const rememberedSessions = 20;

const withEnded = (state: Device, sessionId: string | undefined): readonly string[] => {
  const before = state?.endedSessions ?? [];
  return sessionId === undefined ? before : [...before, sessionId].slice(-rememberedSessions);
};

/**
 * Whether the device is this session's to speak for. One that registered before its session was noted is everybody's of
 * its account, until its app registers again.
 */
export const isOf = (state: RegisteredDevice, accountId: string, sessionId: string | undefined): boolean =>
  state.accountId === accountId && (state.sessionId === undefined || state.sessionId === sessionId);

/** Refused for a session that the device has had: what was on its way when it ended must not bring it back. */
export function insistOnRunning({ endedSessions }: RegisteredDevice, sessionId: string): void {
  if (endedSessions.includes(sessionId)) throw new Refused('session.ended');
}

/** An app that registers again this soon with the same data has only repeated itself. */
const repeatMs = 60_000;

export interface Registration {
  /** Taken when the install is new; a known one keeps its id. */
  readonly id: string;
  readonly accountId: string;
  /** Where there is slot for it. */
  readonly slotId: string;
  /** That the install came with. */
  readonly sessionId: string;
  readonly input: RegisterDevice;
  readonly at: Instant;
}

/**
 * The app of an install says where it can be reached. Always wins over what was known. Who signed in again there ends
 * the session that the install had.
 */
export const register: Decision<Device, DeviceEvent, Registration> =
  ({ id, accountId, slotId, sessionId, input, at }) =>
  (state) => {
    if (state) insistOnRunning(state, sessionId);
    const tail = streamTail(id);
    // It was removed, or came back, since slot was looked for.
    if (slotId !== slotOf(state, tail)) throw new Refused('stream.concurrent_update');
    const registered: DeviceRegistered = {
      type: 'DeviceRegistered',
      deviceId: state?.deviceId ?? id,
      accountId,
      installId: input.installId,
      ...(slotId !== tail && { slotId: slotId }),
      sessionId,
      ...endsSession(state, sessionId),
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

/** The session of a device is over once another one takes its slotId, or none. What a removal ended is over already. */
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

/** The app of a registered install got new addresses. */
export const changeTokens: Decision<Device, DeviceEvent, TokenChange> =
  ({ accountId, sessionId, input, at }) =>
  (state) => {
    if (!state || state.deviceId !== input.id || !isOf(state, accountId, sessionId))
      throw new Refused('device.not_found');
    // Who was removed, or whose phone is somebody else's now, has to register.
    if (state.inactive === 'removed' || state.inactive === 'moved') throw new Refused('device.not_found');
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

export interface Removal {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

/** The person takes the device off the account. Its app brings it back when it registers again. */
export const remove: Decision<Device, DeviceEvent, Removal> =
  ({ id, accountId, at }) =>
  (state) => {
    if (!state || state.deviceId !== id || state.accountId !== accountId) throw new Refused('device.unknown');
    if (state.inactive === 'removed') return [];
    return [removed(state, at)];
  };

/** Its account needs the slot of a device that cannot be reached. One that can be by now stays. */
export const freeSlot: Decision<Device, DeviceEvent, { readonly slotId: string; readonly at: Instant }> =
  ({ slotId, at }) =>
  (state) => {
    if (!state || state.slotId !== slotId || state.inactive === null || state.inactive === 'removed')
      return [];
    return [removed(state, at)];
  };

/** With the device goes the session of its app. */
const removed = (state: RegisteredDevice, at: Instant): DeviceDeactivated => ({
  type: 'DeviceDeactivated',
  deviceId: state.deviceId,
  accountId: state.accountId,
  reason: 'removed',
  ...endsSession(state),
  deactivatedAt: at,
});

/** Whether the device that reserved a slot there has none any more, or never came. */
export const isGone = (state: Device, slotId: string): boolean =>
  !state || state.slotId !== slotId || state.inactive === 'removed';

/** For which device a session of the app is good; null before it has registered one. */
export type DeviceSession = { readonly device: string } | null;

export const deviceSession: Decider<DeviceSession, DeviceSessionBound> = {
  category: 'device_session',
  initial: null,
  evolve: (_state, event) => ({ device: event.device }),
};

export interface Binding {
  readonly sessionId: string;
  readonly accountId: string;
  /** The tail of its stream. */
  readonly device: string;
  readonly at: Instant;
}

/** The first install that comes with a session keeps it. */
export const bind: Decision<DeviceSession, DeviceSessionBound, Binding> =
  ({ sessionId, accountId, device: tail, at }) =>
  (state) => {
    if (state && state.device !== tail) throw new Refused('session.other_device');
    return state ? [] : [{ type: 'DeviceSessionBound', sessionId, accountId, device: tail, boundAt: at }];
  };

/** What a phone has told us since it exists, as far as it is kept. */
export interface SeenNotifications {
  /** The newest notifications that it has received. */
  readonly received: readonly string[];
  readonly seenAt: Instant | null;
}

const rememberedReceipts = 500;
/** A phone that says nothing new is noted this often at most. */
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
};

export interface ReceiptReport {
  readonly deviceId: string;
  readonly accountId: string;
  readonly receipts: readonly DeviceReceipt[];
  readonly at: Instant;
}

/** The phone says what it has received. What it has said before counts once. */
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
