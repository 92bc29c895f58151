import type { ChangedRotation, GivenRotation, RotationFact } from '@carillon/contracts';
import { type Instant, Refused } from '@carillon/eventing';
import { anchorOf, handoff, isZone } from '../rotation/rotation';

/** The rotation as it is kept: counted from the local date of its first handoff. */
export function keptRotation({ userIds, startsAt, ...given }: GivenRotation, now: Instant): RotationFact {
  insistOnZone(given.timezone);
  return insistOnStart({ accountIds: userIds, ...given, anchor: anchorOf(given, startsAt, now) });
}

/** What is not given stays, also the local date of the first handoff. */
export function changedRotation(
  kept: RotationFact,
  { userIds, startsAt, ...given }: ChangedRotation,
  now: Instant,
): RotationFact {
  const changed = { ...kept, ...given, accountIds: userIds ?? kept.accountIds };
  insistOnZone(changed.timezone);
  return startsAt === undefined
    ? insistOnStart(changed)
    : insistOnStart({ ...changed, anchor: anchorOf(changed, startsAt, now) });
}

function insistOnZone(timezone: string): void {
  if (!isZone(timezone)) throw new Refused('oncall.invalid_timezone');
}

/** The local time of the first handoff may fall out of the years that can be written, though its date was in them. */
function insistOnStart(rotation: RotationFact): RotationFact {
  if (/^\d{4}-/.test(handoff(rotation, 0).at)) return rotation;
  const issue = { path: 'rotation.startsAt', message: 'must be before the year 10000', code: 'too_big' };
  throw new Refused('input.invalid', { issues: [issue] });
}
