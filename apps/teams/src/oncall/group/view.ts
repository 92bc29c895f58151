import type {
  OncallExplanation,
  OncallGroup as GroupView,
  OncallPerson,
  OncallShift,
  OncallWarnings,
  Override as OverrideView,
} from '@carillon/contracts';
import { type Instant, isAfter, later } from '@carillon/eventing';
import type { PersonNames } from '../../person/people.service';
import type { Coverage } from '../../rotation/coverage';
import type { Explanation } from '../../rotation/explanation';
import { handoff, type RotationSchedule } from '../../rotation/rotation';
import { type Override, type Shift, shiftAt, upcomingAfter } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';
import { inWords } from './in-words';

export interface GroupViewContext {
  readonly teamId: string;
  readonly openPageCount: number;
  readonly personOf: (accountId: string) => PersonNames;
  readonly now: Instant;
}

/** A group as the API shows it at a time. */
export function oncallGroupView(
  group: OncallGroup,
  { teamId, openPageCount, personOf, now }: GroupViewContext,
): GroupView {
  const person = personView(personOf);
  const { accountIds, period, handoffAt, timezone } = group.rotation;
  const current = shiftAt(group, now);
  return {
    id: group.groupId,
    teamId,
    name: group.name,
    rotation: {
      members: accountIds.map(person),
      period,
      handoffAt,
      timezone,
      startsAt: handoff(group.rotation, 0).at,
    },
    escalation: group.escalation.map(({ afterMinutes, target }) => ({ afterMinutes, target })),
    handoffNotices: group.handoffNotices,
    current: current && shiftView(heldSince(current, group), personOf),
    upcoming: upcomingAfter(group, now).map((shift) => shiftView(shift, personOf)),
    overrides: group.overrides
      .filter(({ endsAt }) => isAfter(endsAt, now))
      .map((override) => overrideView(override, personOf)),
    openPageCount,
    createdAt: group.createdAt,
    updatedAt: group.updatedAt,
  };
}

/** A shift that a change has put somebody into begins with that for them. */
const heldSince = (shift: Shift, { handedOverAt }: OncallGroup): Shift =>
  handedOverAt === null ? shift : { ...shift, startsAt: later(shift.startsAt, handedOverAt) };

const personView =
  (personOf: GroupViewContext['personOf']) =>
  (userId: string): OncallPerson => ({ userId, name: personOf(userId).name, image: null });

export const shiftView = (
  { accountId, overrideId, startsAt, endsAt }: Shift,
  personOf: GroupViewContext['personOf'],
): OncallShift => ({
  person: personView(personOf)(accountId),
  startsAt,
  endsAt,
  override: overrideId !== null,
  ...(overrideId !== null && { overrideId }),
});

export const overrideView = (
  { overrideId, accountId, startsAt, endsAt }: Override,
  personOf: GroupViewContext['personOf'],
): OverrideView => ({ id: overrideId, person: personView(personOf)(accountId), startsAt, endsAt });

export const coverageView = ({ gaps, overlaps }: Coverage): OncallWarnings => ({
  gaps: gaps.map(({ startsAt, endsAt }) => ({ startsAt, endsAt })),
  overlaps: overlaps.map(({ startsAt, endsAt, accountIds }) => ({
    startsAt,
    endsAt,
    userIds: [...accountIds],
  })),
});

export const explanationView = (
  explanation: Explanation,
  rotation: RotationSchedule,
  personOf: GroupViewContext['personOf'],
): OncallExplanation => {
  const { at, accountId, kind, turn, shift, overrideId, shiftedByMinutes } = explanation;
  return {
    at,
    person: accountId === null ? null : personView(personOf)(accountId),
    kind,
    turn,
    shift,
    overrideId,
    shiftedByMinutes,
    text: inWords(explanation, rotation, (each) => personOf(each).name),
  };
};
