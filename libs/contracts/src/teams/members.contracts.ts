import { About, Id, object, OneOf } from '@carillon/schema';
import { answers, Ok } from '../contract';
import { TeamById, TeamMember, type TeamRole, teamRoles } from './teams.contracts';

export class MemberById {
  @Id('team') id!: string;
  @Id('usr') userId!: string;
}

export class ChangeRole extends MemberById {
  @About('`owner`: transfers the ownership.') @OneOf(teamRoles) role!: TeamRole;
}

export const Members = {
  leave: answers(Ok)('teams.member.leave', TeamById, ['team.unknown', 'team.owner_must_transfer']),
  changeRole: answers(object({ member: TeamMember }))('teams.member.change_role', ChangeRole, [
    'team.unknown',
    'member.unknown',
    'team.forbidden_role',
    'team.feature_unavailable',
    'team.owner_must_transfer',
    'resource.limit_reached',
  ]),
  remove: answers(Ok)('teams.member.remove', MemberById, [
    'team.unknown',
    'member.unknown',
    'team.forbidden_role',
    'team.owner_must_transfer',
    'team.owner_cannot_be_removed',
  ]),
};
