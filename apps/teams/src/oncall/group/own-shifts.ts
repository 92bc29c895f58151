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

/** The account's current shift and its next within 60 days, for each group, by start. */
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

/** Skips groups that the account has no part in, to save time. */
const takesPart = (accountId: string, { rotation, overrides }: OncallGroup): boolean =>
  rotation.accountIds.includes(accountId) || overrides.some((override) => override.accountId === accountId);
