import type { EscalationStep, OncallGroupEmptied, OncallGroupEvent, RotationFact } from '@carillon/contracts';
import { type Instant, isAfter, isBefore, plus } from '@carillon/eventing';
import { type Override, type Schedule, shiftAt } from '../rotation/shifts';

export type OncallGroups = readonly OncallGroup[];

export interface OncallGroup {
  readonly groupId: string;
  readonly name: string;
  readonly rotation: RotationFact;
  readonly escalation: readonly EscalationStep[];
  readonly handoffNotices: boolean;
  /** Includes overrides that ended recently. */
  readonly overrides: readonly Override[];
  /** When a change, and no handoff, last put somebody else on call; null when none has. */
  readonly handedOverAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The events after a member's leaving, for the groups whose rotation had no other member. */
export const emptiedBy = (
  { teamId, oncall }: { readonly teamId: string; readonly oncall: OncallGroups },
  accountId: string,
  emptiedAt: Instant,
): OncallGroupEmptied[] =>
  oncall
    .filter(
      ({ rotation: { accountIds } }) =>
        accountIds.length > 0 && accountIds.every((each) => each === accountId),
    )
    .map(({ groupId }) => ({ type: 'OncallGroupEmptied', teamId, groupId, accountId, emptiedAt }));

const rememberedMs = 90 * 24 * 60 * 60 * 1000;

export function evolveOncall(groups: OncallGroups, event: OncallGroupEvent): OncallGroups {
  switch (event.type) {
    case 'OncallGroupCreated': {
      const { groupId, name, rotation, escalation, handoffNotices = false, createdAt } = event;
      const at = { createdAt, updatedAt: createdAt };
      const made = { groupId, name: name ?? '', rotation, escalation, handoffNotices, ...at };
      return [...groups, { ...made, overrides: [], handedOverAt: null }];
    }
    case 'OncallGroupChanged':
      return changed(groups, event.groupId, (group) => ({
        ...(event.rotation
          ? rescheduled(group, { rotation: event.rotation, overrides: group.overrides }, event.changedAt)
          : group),
        name: event.name ?? group.name,
        escalation: event.escalation ?? group.escalation,
        handoffNotices: event.handoffNotices ?? group.handoffNotices,
        updatedAt: event.changedAt,
      }));
    case 'OncallGroupDeleted':
      return groups.filter(({ groupId }) => groupId !== event.groupId);
    case 'OncallGroupEmptied':
      return groups;
    case 'OverrideCreated': {
      const { overrideId, accountId, startsAt, endsAt, createdAt } = event;
      const forgotten = plus(createdAt, -rememberedMs);
      return changed(groups, event.groupId, (group) => ({
        ...group,
        overrides: [
          ...group.overrides.filter((override) => isAfter(override.endsAt, forgotten)),
          { overrideId, accountId, startsAt, endsAt },
        ],
        updatedAt: createdAt,
      }));
    }
    case 'OverrideDeleted':
      return changed(groups, event.groupId, (group) => ({
        ...group,
        overrides: endedAt(
          group.overrides,
          ({ overrideId }) => overrideId === event.overrideId,
          event.deletedAt,
        ),
        updatedAt: event.deletedAt,
      }));
  }
}

/**
 * The groups after a member left: without the member in rotations and overrides. Groups without the member stay as
 * they are: a change of schedule computes two shifts, each of which costs zone lookups.
 */
export const withoutOncall = (groups: OncallGroups, leaver: string, at: Instant): OncallGroups =>
  groups.map((group) => {
    const { rotation, overrides } = group;
    const isLeaver = (accountId: string): boolean => accountId === leaver;
    if (!rotation.accountIds.some(isLeaver) && !overrides.some(({ accountId }) => isLeaver(accountId)))
      return group;
    const schedule = {
      rotation: { ...rotation, accountIds: rotation.accountIds.filter((accountId) => !isLeaver(accountId)) },
      overrides: endedAt(overrides, ({ accountId }) => isLeaver(accountId), at),
    };
    return rescheduled(group, schedule, at);
  });

/** The group with another schedule from now on. The person on call by it has not been on call since the handoff. */
const rescheduled = (group: OncallGroup, schedule: Schedule, at: Instant): OncallGroup => ({
  ...group,
  ...schedule,
  ...(shiftAt(group, at)?.accountId !== shiftAt(schedule, at)?.accountId && { handedOverAt: at }),
});

/** Ends the selected overrides at a time: drops those that begin later, and keeps the past part of others. */
const endedAt = (
  overrides: readonly Override[],
  meant: (override: Override) => boolean,
  at: Instant,
): readonly Override[] =>
  overrides
    .filter((override) => !meant(override) || isBefore(override.startsAt, at))
    .map((override) =>
      meant(override) && isAfter(override.endsAt, at) ? { ...override, endsAt: at } : override,
    );

const changed = (
  groups: OncallGroups,
  groupId: string,
  change: (group: OncallGroup) => OncallGroup,
): OncallGroups => groups.map((group) => (group.groupId === groupId ? change(group) : group));
