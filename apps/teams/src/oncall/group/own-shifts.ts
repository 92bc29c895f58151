import { compareInstants, type Instant, isAfter, plus } from '@carillon/eventing';
import { eachShiftIn, type Shift } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';

/** A group and its team. */
export interface InTeam {
  readonly teamId: string;
  readonly group: OncallGroup;
}

export interface OwnShift extends InTeam {
  readonly shift: Shift;
}

const aheadMs = 60 * 24 * 60 * 60 * 1000;
const most = 20;

/** In each group the shift that somebody has now and the next of theirs within 60 days, by their start. */
export const ownShifts = (accountId: string, groups: readonly InTeam[], now: Instant): OwnShift[] =>
  groups
    .flatMap((found) => nextOf(accountId, found.group, now).map((shift) => ({ ...found, shift })))
    .sort((one, other) => compareInstants(one.shift.startsAt, other.shift.startsAt))
    .slice(0, most);

function nextOf(accountId: string, group: OncallGroup, now: Instant): Shift[] {
  if (!takesPart(accountId, group)) return [];
  const own: Shift[] = [];
  for (const shift of eachShiftIn(group, { startsAt: now, endsAt: plus(now, aheadMs) })) {
    if (shift.accountId !== accountId) continue;
    own.push(shift);
    if (isAfter(shift.startsAt, now)) break;
  }
  return own;
}

/** Spares the time of groups that somebody has nothing to do with. */
const takesPart = (accountId: string, { rotation, overrides }: OncallGroup): boolean =>
  rotation.accountIds.includes(accountId) || overrides.some((override) => override.accountId === accountId);
