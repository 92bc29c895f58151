import type { ChangedRotation, GivenRotation, RotationFact } from '@carillon/contracts';
import { type Instant, isZone, Refused } from '@carillon/eventing';
import { anchorOf } from '../../rotation/rotation';

/** The rotation as it is stored: turns count from the local date of its first handoff. */
export function keptRotation({ userIds, startsAt, ...given }: GivenRotation, now: Instant): RotationFact {
  insistOnZone(given.timezone);
  return { accountIds: userIds, ...given, anchor: anchorOf(given, startsAt, now) };
}

/** Changes the given fields. All others stay, including the local date of the first handoff. */
export function changedRotation(
  kept: RotationFact,
  { userIds, startsAt, ...given }: ChangedRotation,
  now: Instant,
): RotationFact {
  const changed = { ...kept, ...given, accountIds: userIds ?? kept.accountIds };
  insistOnZone(changed.timezone);
  return startsAt === undefined ? changed : { ...changed, anchor: anchorOf(changed, startsAt, now) };
}

/** Refused `oncall.invalid_timezone`. */
export function insistOnZone(timezone: string): void {
  if (!isZone(timezone)) throw new Refused('oncall.invalid_timezone');
}
