import type { ActivityEvent, ActivityPushed, ActivityStatus } from '@carillon/contracts';
import { type Instant, isBefore } from '@carillon/eventing';
import type { Activity } from '../activity/activity';

/** The activity's state on one device, according to its provider. */
export interface Instance {
  readonly state: 'starting' | 'started' | 'failed';
  /** The sequence and outcome of the newest operation settled on the device. */
  readonly sequence: number;
  readonly outcome: ActivityPushed['outcome'] | null;
}

/** The status of an activity, derived from its own events and the outcomes of its operations. */
export interface DerivedStatus {
  readonly status: ActivityStatus;
  readonly sequence: number;
  readonly endedAt: Instant | null;
  readonly instances: Readonly<Record<string, Instance>>;
}

export type StatusEvent = ActivityEvent | ActivityPushed;

const notYet: Instance = { state: 'starting', sequence: 0, outcome: null };

/** The status of an activity without any outcome yet. */
export const atFirst = ({ deviceIds, sequence, over }: Activity): DerivedStatus => ({
  status: over?.status ?? 'starting',
  sequence,
  endedAt: over?.at ?? null,
  instances: Object.fromEntries(deviceIds.map((deviceId) => [deviceId, notYet])),
});

/** The status with the activity's own end, which takes precedence over rows that may lag behind. */
export const withItsEnd = ({ over, sequence }: Activity, stands: DerivedStatus): DerivedStatus => ({
  ...stands,
  sequence,
  ...(over && isRunning(stands.status) && { status: over.status, endedAt: over.at }),
});

/** The status after an event; null before the start. */
export function nextStatus(before: DerivedStatus | null, event: StatusEvent): DerivedStatus | null {
  if (event.type === 'ActivityStarted')
    return (
      before ?? {
        status: 'starting',
        sequence: event.sequence,
        endedAt: null,
        instances: Object.fromEntries(event.deviceIds.map((deviceId) => [deviceId, notYet])),
      }
    );
  if (!before) return null;
  switch (event.type) {
    case 'ActivityUpdated':
      return { ...before, sequence: event.sequence };
    case 'ActivityEnded':
      return { ...before, status: 'ended', sequence: event.sequence, endedAt: event.endedAt };
    case 'ActivityExpired':
      return {
        // An expiry is no change by the sender, so the sequence stays.
        ...before,
        // An activity that failed on every device was over before.
        ...(before.status !== 'failed' && { status: 'expired', endedAt: event.expiredAt }),
      };
    case 'ActivityFailed':
      // If its operations' outcomes have already shown the failure, their time is the end.
      return before.status === 'failed' ? before : { ...before, status: 'failed', endedAt: event.failedAt };
    case 'ActivityPushed':
      return pushed(before, event);
  }
}

function pushed(
  before: DerivedStatus,
  { deviceId, operation, sequence, outcome, pushedAt }: ActivityPushed,
): DerivedStatus {
  const known = before.instances[deviceId];
  if (!known) return before;
  const instances = {
    ...before.instances,
    [deviceId]: {
      state: stateAfter(known.state, operation, outcome),
      ...(sequence >= known.sequence
        ? { sequence, outcome }
        : { sequence: known.sequence, outcome: known.outcome }),
    },
  };
  if (!isRunning(before.status)) return { ...before, instances };
  const status = statusOf(Object.values(instances));
  return { ...before, instances, status, endedAt: status === 'failed' ? pushedAt : null };
}

/** A permanent failure on a device stays until the provider accepts an operation again. */
function stateAfter(
  state: Instance['state'],
  operation: ActivityPushed['operation'],
  outcome: ActivityPushed['outcome'],
): Instance['state'] {
  if (outcome === 'failed') return 'failed';
  if (outcome === 'accepted' && (operation === 'start' || state !== 'starting')) return 'started';
  return state;
}

export const isRunning = (status: ActivityStatus): boolean =>
  status === 'starting' || status === 'active' || status === 'partial';

function statusOf(instances: readonly Pick<Instance, 'state'>[]): ActivityStatus {
  const failed = instances.filter(({ state }) => state === 'failed').length;
  const started = instances.filter(({ state }) => state === 'started').length;
  if (failed === instances.length) return 'failed';
  if (failed > 0 && started > 0) return 'partial';
  return started === instances.length ? 'active' : 'starting';
}

/** The status by the clock, since the expiry timer may be late. */
export const statusAt = (of: DerivedStatus, expiresAt: Instant, at: Instant): DerivedStatus =>
  isRunning(of.status) && !isBefore(at, expiresAt) ? { ...of, status: 'expired', endedAt: expiresAt } : of;

/** Counts the devices whose provider has accepted, or permanently refused, the newest operation. */
export function countsOf({ sequence, instances }: DerivedStatus): { accepted: number; failed: number } {
  const outcomes = Object.values(instances).filter((instance) => instance.sequence === sequence);
  return {
    accepted: outcomes.filter(({ outcome }) => outcome === 'accepted').length,
    failed: outcomes.filter(({ outcome }) => outcome === 'failed').length,
  };
}
