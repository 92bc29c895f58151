import {
  type ActivityPushed,
  type ActivityTokenRegistered,
  type LaneEvent,
  type PushEnvironment,
  recipientsOf,
} from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import type { OperationKey, Settlement } from './lane';

/** The recorded state of one lane. */
export interface LaneRecord {
  readonly token: { readonly token: string | null; readonly environment: PushEnvironment } | null;
  /** The newest settled operations. */
  readonly settled: readonly string[];
}

const remembered = 400;

/** The part of the lane's stream name after `lane-`. */
export const laneTail = (activityId: string, deviceId: string): string =>
  `${streamTail(activityId)}${streamTail(deviceId)}`;

const keyOf = ({ kind, sequence, round }: OperationKey): string => `${kind} ${sequence} ${round}`;

export const laneRecord: Decider<LaneRecord, LaneEvent> = {
  category: 'lane',
  initial: { token: null, settled: [] },
  evolve(state, event) {
    switch (event.type) {
      case 'ActivityTokenRegistered':
        return { ...state, token: { token: event.token, environment: event.environment } };
      case 'ActivityPushed':
        return { ...state, settled: [...state.settled, keyOf(settlementOf(event))].slice(-remembered) };
    }
  },
  personal: { ActivityTokenRegistered: ['token'], ActivityPushed: [] },
};

export const settlementOf = ({
  operation: kind,
  sequence,
  round = 0,
  outcome,
  errorCode,
}: ActivityPushed): Settlement => ({ kind, sequence, round, outcome, errorCode });

export type Registering = Omit<ActivityTokenRegistered, 'type'>;

/** Records the phone's update token. A repetition records nothing. */
export const registerToken: Decision<LaneRecord, LaneEvent, Registering> = (given) => (state) =>
  state.token?.token === given.token && state.token.environment === given.environment
    ? []
    : [{ type: 'ActivityTokenRegistered', ...given }];

export interface Settling {
  readonly activityId: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly recipients?: readonly string[];
  readonly settlements: readonly Settlement[];
  readonly at: Instant;
}

/** Records the outcomes of operations, each once. */
export const settle: Decision<LaneRecord, LaneEvent, Settling> =
  ({ activityId, deviceId, accountId, recipients, settlements, at }) =>
  (state) =>
    settlements
      .filter((settlement) => !state.settled.includes(keyOf(settlement)))
      .map(({ kind, sequence, round, outcome, errorCode }) => ({
        type: 'ActivityPushed',
        activityId,
        deviceId,
        accountId,
        ...recipientsOf({ recipients }),
        operation: kind,
        sequence,
        ...(round > 0 && { round }),
        outcome,
        errorCode,
        pushedAt: at,
      }));
