import {
  About,
  bool,
  Bool,
  count,
  Email,
  id,
  Id,
  Int,
  list,
  ListOf,
  nullable,
  Nullable,
  object,
  oneOf,
  OneOf,
  optional,
  Optional,
  resource,
  type Static,
  text,
  Text,
  uri,
  when,
} from '@carillon/schema';
import { answers, Ok } from '../contract';
import { type ListPage, ListQuery } from '../list-page';
import { AudienceOf, type GroupAudience } from './groups.contracts';

export const teamKinds = ['family', 'team'] as const;
export type TeamKind = (typeof teamKinds)[number];
/** Roles in ascending order of their rights. */
export const teamRoles = ['member', 'admin', 'owner'] as const;
export type TeamRole = (typeof teamRoles)[number];

export const OperatedTeam = resource('OperatedTeam', {
  id: id('team'),
  kind: oneOf(teamKinds),
  name: text(),
  memberCount: count(),
  createdAt: when(),
});
export type OperatedTeam = Static<typeof OperatedTeam>;

export const Team = resource(
  'Team',
  {
    id: id('team'),
    kind: optional(oneOf(teamKinds)),
    name: text(),
    role: oneOf(teamRoles, 'The role of the account that asks.'),
    memberCount: count(),
    appCount: count(),
    oncallGroupCount: count(),
    deviceGroupCount: count(),
    verifiedDomain: nullable(text()),
    pendingDomain: nullable(text()),
    domainVerification: nullable(
      object({ host: text('Where the TXT record that proves the pending domain belongs.'), value: text() }),
    ),
    autoJoinVerifiedDomain: bool(
      'Whether people with a verified address in the verified domain join when they sign in.',
    ),
    retentionDays: nullable(
      count('How long audit entries, events and closed pages are kept; null: for ever.'),
    ),
    seats: object({ used: count(), available: nullable(count()), billable: count() }),
    plan: oneOf(['free', 'team']),
    createdAt: when(),
  },
  'A family, or a workplace team.',
);
export type Team = Static<typeof Team>;

export const TeamMember = resource(
  'TeamMember',
  {
    userId: id('usr'),
    name: text(),
    email: text(),
    image: nullable(uri()),
    role: oneOf(teamRoles),
    joinedAt: when(),
  },
  'A person in a team.',
);
export type TeamMember = Static<typeof TeamMember>;

export class ListTeams extends ListQuery {
  @Optional() @OneOf(teamKinds) kind?: TeamKind;
}

export class CreateTeam {
  @About(
    '`family`. Where the installation lets everybody make workplace teams (`TEAMS_MODE=open`) also `team`, which is meant too when it is absent.',
  )
  @Optional()
  @OneOf(teamKinds)
  kind?: TeamKind;
  @Text(1, 80) name!: string;
}

/** Creates a workplace team, for the operator of the installation. */
export class FoundTeam {
  @Text(1, 80) name!: string;
  @Email() ownerEmail!: string;
}

export class ChangeTeam {
  @Id('team') id!: string;
  @Optional() @Text(1, 80) name?: string;
  @About('Needs a verified domain.') @Optional() @Bool() autoJoinVerifiedDomain?: boolean;
  @About('How long audit entries, events and closed pages are kept, in days; null: for ever.')
  @Optional()
  @Nullable()
  @Int(7, 3650)
  retentionDays?: number | null;
}

export class TeamById {
  @Id('team') id!: string;
}

/** The account and the team of a membership query. */
export class MembershipOf {
  @Id('team') teamId!: string;
  @Id('usr') accountId!: string;
}

export class TeamsOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 500, unique: true }) accountIds!: string[];
}

/** The current membership of an account in a team, from the log. */
export interface TeamMembership {
  kind: TeamKind;
  name: string;
  /** Null if the account is not a member. */
  role: TeamRole | null;
  memberIds: string[];
  /** The number of the join by member, which differs after leaving and coming back. */
  joins: Record<string, number>;
}

export interface Membership {
  teamId: string;
  kind: TeamKind;
  role: TeamRole;
}

const OneTeam = object({ team: Team });

export const Teams = {
  list: answers<ListPage<Team>>()('teams.team.list', ListTeams, ['list.invalid_cursor'], 'always'),
  /** For an operator: all teams and families, newest first. */
  listAll: answers<ListPage<OperatedTeam>>()(
    'teams.team.list-all',
    ListQuery,
    ['operator.required', 'list.invalid_cursor'],
    'always',
  ),
  create: answers(OneTeam)('teams.team.create', CreateTeam, [
    'team.signup_unavailable',
    'family.exists',
    'resource.limit_reached',
  ]),
  get: answers(object({ team: Team, members: list(TeamMember) }))(
    'teams.team.get',
    TeamById,
    ['team.unknown'],
    'always',
  ),
  /** For the operator of the installation. */
  found: answers(OneTeam)('teams.team.found', FoundTeam, [
    'operator.required',
    'account.not_found',
    'resource.limit_reached',
  ]),
  change: answers(OneTeam)('teams.team.change', ChangeTeam, [
    'team.unknown',
    'team.forbidden_role',
    'team.feature_unavailable',
    'domain.not_verified',
  ]),
  remove: answers(Ok)('teams.team.remove', TeamById, ['team.unknown', 'team.forbidden_role']),
  /** For other services. Refused if the team does not exist. */
  membership: answers<TeamMembership>()('teams.member.membership', MembershipOf, ['team.unknown'], 'always'),
  /** For other services: the teams of these accounts, from rows that include the caller's last change. */
  memberships: answers<{ memberships: Record<string, Membership[]> }>()(
    'teams.member.memberships',
    TeamsOf,
    [],
    'always',
  ),
  /** For other services: the audience of a device group. Refused unless the caller is in the team of the group. */
  audience: answers<GroupAudience>()(
    'teams.device-group.audience',
    AudienceOf,
    ['device_group.not_found'],
    'always',
  ),
};
