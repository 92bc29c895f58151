import {
  type ActivityEnded,
  type ActivityEvent,
  type ActivityProps,
  type ActivityStarted,
  type ActivityUpdated,
  type ChangedProps,
  type CommandKey,
  forgottenProps,
  type GrantedPriority,
  recipientsOf,
} from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isBefore, millis, Refused } from '@carillon/eventing';
import { granted, type Grants, hasBudget } from './budget';
import { merged, refuseTooLarge } from './props';

/** The state of one activity; null before its start. */
export type ActivityState = Activity | null;

export interface Activity extends Omit<ActivityStarted, 'type'> {
  /** The present props; null when the account's key was deleted. */
  readonly props: ActivityProps | null;
  /** The sequence of the newest operation. */
  readonly sequence: number;
  readonly updatedAt: Instant;
  readonly over: { readonly status: 'ended' | 'expired' | 'failed'; readonly at: Instant } | null;
  readonly grants: Grants;
  readonly remembered: Remembered | null;
}

/** Commands with idempotency keys, newest first, with the priority granted to each. */
export interface Remembered extends CommandKey, GrantedPriority {
  readonly sequence: number;
  readonly at: Instant;
  readonly before: Remembered | null;
}

const ending: GrantedPriority = { apnsPriority: 10, priorityReason: 'end' };

export const activity: Decider<ActivityState, ActivityEvent> = {
  category: 'activity',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ActivityStarted': {
        const { type: _type, ...started } = event;
        return { ...started, updatedAt: event.startedAt, over: null, grants: [], remembered: null };
      }
      case 'ActivityUpdated':
        return (
          state && {
            ...state,
            props: event.props,
            sequence: event.sequence,
            updatedAt: event.updatedAt,
            grants:
              event.priorityReason === 'milestone' ? granted(state.grants, event.updatedAt) : state.grants,
            remembered: remembering(state.remembered, event, event.updatedAt, event),
          }
        );
      case 'ActivityEnded':
        return (
          state && {
            ...state,
            props: event.props,
            sequence: event.sequence,
            updatedAt: event.endedAt,
            over: { status: 'ended', at: event.endedAt },
            remembered: remembering(state.remembered, event, event.endedAt, ending),
          }
        );
      case 'ActivityExpired':
        return (
          state && {
            ...state,
            updatedAt: event.expiredAt,
            over: { status: 'expired', at: event.expiredAt },
          }
        );
      case 'ActivityFailed':
        return (
          state && { ...state, updatedAt: event.failedAt, over: { status: 'failed', at: event.failedAt } }
        );
    }
  },
  personal: {
    ActivityStarted: ['sourceName', 'props', 'prompt'],
    ActivityUpdated: ['props'],
    ActivityEnded: ['props'],
    ActivityExpired: [],
    ActivityFailed: [],
  },
};

const remembering = (
  before: Remembered | null,
  { key, sequence }: Pick<ActivityUpdated | ActivityEnded, 'key' | 'sequence'>,
  at: Instant,
  { apnsPriority, priorityReason }: GrantedPriority,
): Remembered | null => (key ? { ...key, sequence, at, apnsPriority, priorityReason, before } : before);

/** The status by the clock, since the expiry timer may be late. */
export const statusAt = (
  { over, expiresAt }: Activity,
  at: Instant,
): 'running' | NonNullable<Activity['over']>['status'] =>
  over ? over.status : !isBefore(at, expiresAt) ? 'expired' : 'running';

// ----------------------------------------------------------------------------------------------------- begin

/** Begins the activity as admitted. Repeatable: a second call finds the activity begun. */
export const begin: Decision<ActivityState, ActivityEvent, Omit<ActivityStarted, 'type' | 'sequence'>> =
  (started) => (state) => (state ? [] : [{ type: 'ActivityStarted', ...started, sequence: 1 }]);

// ---------------------------------------------------------------------------------------------------- change

/** The requester and the requested activity. A token sees its own activities, a person all of the account's. */
export interface ActivityRequester {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string | null;
}

export function visible(state: ActivityState, { id, accountId, tokenId }: ActivityRequester): Activity {
  if (
    state?.activityId !== id ||
    state.accountId !== accountId ||
    (tokenId !== null && state.tokenId !== tokenId)
  )
    throw new Refused('activity.not_found');
  return state;
}

const keyLifetimeMs = 24 * 60 * 60 * 1000;

/**
 * The change that the request with this key made, if any. A change from before keys were claimed has no claim number:
 * its lifetime of a day counts from the change itself. Refused when the key was used for a different request.
 */
export function earlier(of: Activity, key: CommandKey | null, at: Instant): Remembered | undefined {
  if (!key) return undefined;
  for (let one = of.remembered; one; one = one.before) {
    if (one.hash !== key.hash) continue;
    const same =
      one.claim === undefined ? millis(at) - millis(one.at) < keyLifetimeMs : one.claim === key.claim;
    if (!same) return undefined;
    if (one.fingerprint !== key.fingerprint) throw new Refused('idempotency.key_reused');
    return one;
  }
  return undefined;
}

export interface Changing extends ActivityRequester {
  readonly changes: ChangedProps;
  readonly key: CommandKey | null;
  readonly at: Instant;
}

/** Updates the activity, at the priority that the budget grants. */
export const update: Decision<
  ActivityState,
  ActivityEvent,
  Changing & { readonly priority: 'normal' | 'high' }
> =
  ({ changes, priority, key, at, ...asked }) =>
  (state) => {
    const found = visible(state, asked);
    if (earlier(found, key, at)) return [];
    const props = merged(found.props ?? forgottenProps, changes);
    const status = statusAt(found, at);
    if (status !== 'running') throw new Refused('activity.not_running', { status });
    refuseTooLarge(props);
    return [
      {
        type: 'ActivityUpdated',
        activityId: found.activityId,
        accountId: found.accountId,
        ...recipientsOf(found),
        props,
        ...priorityOf(found, priority, at),
        key,
        sequence: found.sequence + 1,
        updatedAt: at,
      },
    ];
  };

function priorityOf({ prompt, grants }: Activity, asked: 'normal' | 'high', at: Instant): GrantedPriority {
  if (prompt) return { apnsPriority: 10, priorityReason: 'interaction' };
  if (asked === 'normal') return { apnsPriority: 5, priorityReason: 'routine' };
  return hasBudget(grants, at)
    ? { apnsPriority: 10, priorityReason: 'milestone' }
    : { apnsPriority: 5, priorityReason: 'budget_exhausted' };
}

/** Ends the activity at once; the phones receive the end in order. An activity that no longer runs cannot be ended. */
export const end: Decision<
  ActivityState,
  ActivityEvent,
  Changing & { readonly dismissAfterSeconds: number; readonly reason: ActivityEnded['reason'] }
> =
  ({ changes, dismissAfterSeconds, reason, key, at, ...asked }) =>
  (state) => {
    const found = visible(state, asked);
    if (earlier(found, key, at)) return [];
    const props = merged(found.props ?? forgottenProps, changes);
    if (statusAt(found, at) !== 'running') return [];
    refuseTooLarge(props);
    return [
      {
        type: 'ActivityEnded',
        activityId: found.activityId,
        accountId: found.accountId,
        ...recipientsOf(found),
        props,
        reason,
        dismissAfterSeconds,
        key,
        sequence: found.sequence + 1,
        endedAt: at,
      },
    ];
  };

/** Expires the activity at its deadline. Before the deadline or after an end, nothing happens. */
export const expire: Decision<ActivityState, ActivityEvent, { readonly at: Instant }> =
  ({ at }) =>
  (state) => {
    if (!state || state.over || isBefore(at, state.expiresAt)) return [];
    return [{ type: 'ActivityExpired', ...afterAllChanges(state), expiredAt: at }];
  };

/** Records that the activity has failed on every device. */
export const fail: Decision<ActivityState, ActivityEvent, { readonly at: Instant }> =
  ({ at }) =>
  (state) =>
    !state || state.over ? [] : [{ type: 'ActivityFailed', ...afterAllChanges(state), failedAt: at }];

const afterAllChanges = ({ activityId, accountId, recipients, sequence }: Activity) => ({
  activityId,
  accountId,
  ...recipientsOf({ recipients }),
  sequence: sequence + 1,
});
