import type { ActivityEvent, ActivityPushed, ActivityStatus } from '@carillon/contracts';
import { type Instant, isBefore } from '@carillon/eventing';
import type { Activity } from '../activity/activity';

/** How the activity stands on one device, as far as its provider has said. */
export interface Instance {
  readonly state: 'starting' | 'started' | 'failed';
  /** The newest operation that was settled there, and how. */
  readonly sequence: number;
  readonly outcome: ActivityPushed['outcome'] | null;
}

/** How an activity stands, from its own events and from what became of its operations. */
export interface DerivedStatus {
  readonly status: ActivityStatus;
  readonly sequence: number;
  readonly endedAt: Instant | null;
  readonly instances: Readonly<Record<string, Instance>>;
}

export type StatusEvent = ActivityEvent | ActivityPushed;

const notYet: Instance = { state: 'starting', sequence: 0, outcome: null };

/** An activity of which no device has said anything. */
export const atFirst = ({ deviceIds, sequence, over }: Activity): DerivedStatus => ({
  status: over?.status ?? 'starting',
  sequence,
  endedAt: over?.at ?? null,
  instances: Object.fromEntries(deviceIds.map((deviceId) => [deviceId, notYet])),
});

/** The rows may be late; what the activity itself says of its end goes before them. */
export const withItsEnd = ({ over, sequence }: Activity, stands: DerivedStatus): DerivedStatus => ({
  ...stands,
  sequence,
  ...(over && isRunning(stands.status) && { status: over.status, endedAt: over.at }),
});

/** Before the start there is nothing to stand. */
export function standing(before: DerivedStatus | null, event: StatusEvent): DerivedStatus | null {
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
        // No change of the sender's: the sequence stays.
        ...before,
        // What had failed on every device was over before.
        ...(before.status !== 'failed' && { status: 'expired', endedAt: event.expiredAt }),
      };
    case 'ActivityFailed':
      // Where its operations had told it already, that is when it was over.
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

/** What was refused for good stays so until something is accepted there again. */
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

/** By the clock: the timer of the deadline may be late. */
export const standingAt = (of: DerivedStatus, expiresAt: Instant, at: Instant): DerivedStatus =>
  isRunning(of.status) && !isBefore(at, expiresAt) ? { ...of, status: 'expired', endedAt: expiresAt } : of;

/** Devices whose provider has accepted, or refused for good, the newest operation. */
export function countsOf({ sequence, instances }: DerivedStatus): { accepted: number; failed: number } {
  const outcomes = Object.values(instances).filter((instance) => instance.sequence === sequence);
  return {
    accepted: outcomes.filter(({ outcome }) => outcome === 'accepted').length,
    failed: outcomes.filter(({ outcome }) => outcome === 'failed').length,
  };
}
