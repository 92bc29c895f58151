import type { EscalationStep, GivenRotation, TeamEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { madeAs } from '../../team/made';
import { insistOnMembers, sameName } from '../../team/naming';
import {
  type TeamRequest,
  asMember,
  insistOn,
  insistOnWorkplace,
  type Team,
  type TeamState,
} from '../../team/team';
import { keptRotation } from './kept-rotation';

const maxOncallGroups = 50;

export interface OncallGroupCreation extends TeamRequest {
  readonly groupId: string;
  readonly name: string;
  readonly rotation: GivenRotation;
  readonly escalation: readonly EscalationStep[];
  readonly handoffNotices?: boolean | undefined;
  readonly fingerprint: string | null;
}

/** Creates a group of members who take turns. An id creates one group only, even after that is deleted (ADR 32). */
export const createOncallGroup: Decision<TeamState, TeamEvent, OncallGroupCreation> =
  ({ groupId, name, rotation, escalation, handoffNotices, fingerprint, ...asked }) =>
  (state) => {
    const { team, role } = asMember(state, asked);
    insistOnWorkplace(team);
    insistOn(role, 'admin');
    const made = madeAs(team, groupId);
    if (made) {
      if (made.fingerprint !== fingerprint) throw new Refused('idempotency.key_reused');
      return [];
    }
    const kept = keptRotation(rotation, asked.at);
    insistOnMembers(team, rotation.userIds);
    insistOnFreeName(team, name);
    if (team.oncall.length >= maxOncallGroups)
      throw new Refused('resource.limit_reached', { limit: maxOncallGroups });
    return [
      {
        type: 'OncallGroupCreated',
        teamId: asked.teamId,
        groupId,
        name,
        rotation: kept,
        escalation,
        ...(handoffNotices && { handoffNotices }),
        fingerprint,
        createdAt: asked.at,
      },
    ];
  };

/** Requires a name that no other on-call group of the team has, ignoring case. */
export function insistOnFreeName({ oncall }: Team, name: string, ownGroupId?: string): void {
  const taken = oncall.some((group) => group.groupId !== ownGroupId && sameName(group.name, name));
  if (taken) throw new Refused('name.taken');
}
