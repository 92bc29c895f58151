import type { Instant } from '@carillon/eventing';
import { millis } from '@carillon/eventing';
import { Temporal } from 'temporal-polyfill';
import type { Explanation } from '../../rotation/explanation';
import { handoff, type RotationSchedule, shiftedByMinutes, whoseTurn } from '../../rotation/rotation';
import type { TimeWindow } from '../../rotation/shifts';

/** A sentence on why somebody, or nobody, is on call. Times are in the rotation's zone. */
export function inWords(
  { at, accountId, kind, turn, shift }: Explanation,
  rotation: RotationSchedule,
  nameOf: (accountId: string) => string,
): string {
  const local = localTime(rotation.timezone);
  const from = (window: TimeWindow): string => `from ${local(window.startsAt)} to ${local(window.endsAt)}`;
  const holder = turn === null ? null : whoseTurn(rotation, turn);
  const moved = turn === null ? '' : movedBy(rotation, turn);
  if (!shift || accountId === null) return `Nobody is on call at ${local(at)}: ${noTurn(rotation, local)}.`;
  if (kind === 'override') {
    const instead =
      holder !== null && holder !== accountId ? `, instead of ${nameOf(holder)}, whose turn it is` : '';
    return `${nameOf(accountId)} is on call ${from(shift)} by an override${instead}.${moved}`;
  }
  return `${nameOf(accountId)} is on call ${from(shift)}: it is their turn, number ${turn ?? 0} of the ${rotation.period} rotation (the first is 0).${moved}`;
}

const noTurn = (rotation: RotationSchedule, local: (at: Instant) => string): string =>
  rotation.accountIds.length === 0
    ? 'nobody is left who takes turns'
    : `the first turn begins at ${local(handoff(rotation, 0).at)}`;

export const localTime =
  (timezone: string) =>
  (at: Instant): string => {
    const there = Temporal.Instant.fromEpochMilliseconds(millis(at)).toZonedDateTimeISO(timezone);
    const clock = there.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
    return `${clock} ${timezone}`;
  };

/** The effect of a clock change on the handoff that begins the turn, else on the one that ends it. */
function movedBy(rotation: RotationSchedule, turn: number): string {
  const began = shiftedByMinutes(rotation, turn);
  const minutes = began || shiftedByMinutes(rotation, turn + 1);
  if (minutes === 0) return '';
  const which = began === 0 ? 'that ends it' : 'that began it';
  return minutes > 0
    ? ` The clock leaves ${rotation.handoffAt} out on that day, so the handoff ${which} is ${minutes} minutes later.`
    : ` The clock shows ${rotation.handoffAt} twice on that day, and the handoff ${which} is at the first, ${-minutes} minutes before the second.`;
}
