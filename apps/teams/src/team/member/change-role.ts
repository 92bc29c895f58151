import type { TeamEvent, TeamRole } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { type TeamRequest, asMember, insistOn, insistOnWorkplace, type TeamState } from '../team';
import { insistOnMember } from './insist-on-member';

export interface RoleChange extends TeamRequest {
  /** The member whose role changes. */
  readonly memberId: string;
  readonly role: TeamRole;
}

/**
 * Admins and the owner promote members to admins and demote admins to members. The owner can transfer the ownership,
 * which is the only way in which a team's one owner changes.
 */
export const changeRole: Decision<TeamState, TeamEvent, RoleChange> =
  ({ memberId, role, ...asked }) =>
  (state) => {
    const { team, role: held } = asMember(state, asked);
    const { role: formerRole } = insistOnMember(team, memberId);
    if (role === 'admin') insistOnWorkplace(team);
    insistOn(held, role === 'owner' || formerRole === 'owner' ? 'owner' : 'admin');
    if (role === formerRole) return [];
    if (formerRole === 'owner') throw new Refused('team.owner_must_transfer');
    const { teamId, accountId, at } = asked;
    return role === 'owner'
      ? [
          {
            type: 'OwnershipTransferred',
            teamId,
            fromAccountId: accountId,
            toAccountId: memberId,
            transferredAt: at,
          },
        ]
      : [{ type: 'MemberRoleChanged', teamId, accountId: memberId, role, formerRole, changedAt: at }];
  };
