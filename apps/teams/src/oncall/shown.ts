import type {
  OncallExplanation,
  OncallGroup as ShownGroup,
  OncallPerson,
  OncallShift,
  OncallWarnings,
  Override as ShownOverride,
} from '@carillon/contracts';
import { type Instant, isAfter, later } from '@carillon/eventing';
import type { Person } from '../person/people.service';
import type { Coverage } from '../rotation/coverage';
import type { Explanation } from '../rotation/explanation';
import { handoff, type Rotation } from '../rotation/rotation';
import { type Override, type Shift, shiftAt, upcomingAfter } from '../rotation/shifts';
import type { OncallGroup } from '../team/oncall';
import { inWords } from './in-words';

export interface Seen {
  readonly teamId: string;
  readonly openPageCount: number;
  readonly personOf: (accountId: string) => Person;
  readonly now: Instant;
}

/** A group as the API shows it at a time. */
export function shownGroup(group: OncallGroup, { teamId, openPageCount, personOf, now }: Seen): ShownGroup {
  const person = shownPerson(personOf);
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
    current: current && shownShift(heldSince(current, group), personOf),
    upcoming: upcomingAfter(group, now).map((shift) => shownShift(shift, personOf)),
    overrides: group.overrides
      .filter(({ endsAt }) => isAfter(endsAt, now))
      .map((override) => shownOverride(override, personOf)),
    openPageCount,
    createdAt: group.createdAt,
    updatedAt: group.updatedAt,
  };
}

/** A shift that a change has put somebody into begins with that for them. */
const heldSince = (shift: Shift, { handedOverAt }: OncallGroup): Shift =>
  handedOverAt === null ? shift : { ...shift, startsAt: later(shift.startsAt, handedOverAt) };

const shownPerson =
  (personOf: Seen['personOf']) =>
  (userId: string): OncallPerson => ({ userId, name: personOf(userId).name, image: null });

export const shownShift = (
  { accountId, overrideId, startsAt, endsAt }: Shift,
  personOf: Seen['personOf'],
): OncallShift => ({
  person: shownPerson(personOf)(accountId),
  startsAt,
  endsAt,
  override: overrideId !== null,
  ...(overrideId !== null && { overrideId }),
});

export const shownOverride = (
  { overrideId, accountId, startsAt, endsAt }: Override,
  personOf: Seen['personOf'],
): ShownOverride => ({ id: overrideId, person: shownPerson(personOf)(accountId), startsAt, endsAt });

export const shownCoverage = ({ gaps, overlaps }: Coverage): OncallWarnings => ({
  gaps: gaps.map(({ startsAt, endsAt }) => ({ startsAt, endsAt })),
  overlaps: overlaps.map(({ startsAt, endsAt, accountIds }) => ({
    startsAt,
    endsAt,
    userIds: [...accountIds],
  })),
});

export const shownExplanation = (
  explanation: Explanation,
  rotation: Rotation,
  personOf: Seen['personOf'],
): OncallExplanation => {
  const { at, accountId, kind, turn, shift, overrideId, shiftedByMinutes } = explanation;
  return {
    at,
    person: accountId === null ? null : shownPerson(personOf)(accountId),
    kind,
    turn,
    shift,
    overrideId,
    shiftedByMinutes,
    text: inWords(explanation, rotation, (each) => personOf(each).name),
  };
};
