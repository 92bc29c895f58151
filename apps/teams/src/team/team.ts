import { type TeamEvent, type TeamKind, type TeamRole, teamRoles } from '@carillon/contracts';
import { type Decider, type Instant, Refused } from '@carillon/eventing';
import { type DeviceGroups, evolveGroups, withoutMember } from './groups';
import { type Domain, evolveDomain, noDomain } from './domain';
import { evolveOncall, type OncallGroups, withoutOncall } from './oncall';
import { type Made, withMade } from './made';
import { closedTo, evolveInvites, type Invites } from './invites';

/** Null before the team is created, and after it is deleted. */
export type TeamState = Team | null;

export interface Team {
  readonly teamId: string;
  readonly kind: TeamKind;
  readonly name: string;
  readonly members: readonly Member[];
  /** The number of joins so far. */
  readonly joins: number;
  /** Accounts that left or were removed and have not come back. */
  readonly departed: readonly string[];
  readonly invites: Invites;
  readonly groups: DeviceGroups;
  readonly oncall: OncallGroups;
  readonly made: Made | null;
  readonly domain: Domain;
  readonly autoJoinVerifiedDomain: boolean;
  readonly retentionDays: number | null;
  readonly createdAt: Instant;
}

export interface Member {
  readonly accountId: string;
  readonly role: TeamRole;
  readonly joinedAt: Instant;
  /** The number of the join, which differs after leaving and coming back. */
  readonly join: number;
}

export const team: Decider<TeamState, TeamEvent> = {
  category: 'team',
  initial: null,
  evolve(state, event) {
    if (event.type === 'TeamCreated')
      return {
        teamId: event.teamId,
        kind: event.kind,
        name: event.name ?? '',
        members: [],
        joins: 0,
        departed: [],
        invites: [],
        groups: [],
        oncall: [],
        made: null,
        domain: noDomain,
        autoJoinVerifiedDomain: false,
        retentionDays: null,
        createdAt: event.createdAt,
      };
    return state && evolveTeam(state, event);
  },
  personal: {
    TeamCreated: ['name'],
    TeamChanged: ['name'],
    InviteCreated: ['email'],
    DeviceGroupCreated: ['name'],
    OncallGroupCreated: ['name'],
    OncallGroupChanged: ['name'],
    DeviceGroupChanged: ['name', 'formerName'],
    DeviceGroupDeleted: ['name'],
    DeviceLeftGroups: [],
    DomainCleared: [],
    DomainSet: [],
    DomainVerified: [],
    InviteAccepted: [],
    InviteRevoked: [],
    MemberJoined: [],
    MemberLeft: [],
    MemberRemoved: [],
    MemberRoleChanged: [],
    OncallGroupDeleted: [],
    OncallGroupEmptied: [],
    OverrideCreated: [],
    OverrideDeleted: [],
    OwnershipTransferred: [],
    TeamDeleted: [],
  },
};

type Later = Exclude<TeamEvent, { readonly type: 'TeamCreated' }>;

function evolveTeam(state: Team, event: Later): TeamState {
  switch (event.type) {
    case 'TeamChanged':
      return {
        ...state,
        name: event.name ?? state.name,
        autoJoinVerifiedDomain: event.autoJoinVerifiedDomain ?? state.autoJoinVerifiedDomain,
        retentionDays: event.retentionDays === undefined ? state.retentionDays : event.retentionDays,
      };
    case 'TeamDeleted':
      return null;
    case 'MemberJoined': {
      const { accountId, role, joinedAt } = event;
      const join = state.joins + 1;
      return {
        ...state,
        joins: join,
        members: [...state.members, { accountId, role, joinedAt, join }],
        departed: state.departed.filter((departed) => departed !== accountId),
      };
    }
    case 'MemberLeft':
      return left(state, event.accountId, event.leftAt);
    case 'MemberRemoved': {
      const { accountId, removedAt } = event;
      return left({ ...state, invites: closedTo(state.invites, accountId, removedAt) }, accountId, removedAt);
    }
    case 'MemberRoleChanged':
      return withRoles(state, { [event.accountId]: event.role });
    case 'OwnershipTransferred':
      return withRoles(state, {
        [event.toAccountId]: 'owner',
        [event.fromAccountId]: state.kind === 'family' ? 'member' : 'admin',
      });
    case 'InviteCreated':
    case 'InviteAccepted':
    case 'InviteRevoked':
      return { ...state, invites: evolveInvites(state.invites, event) };
    case 'DeviceGroupCreated':
      return {
        ...state,
        groups: evolveGroups(state.groups, event),
        made: withMade(state.made, event.groupId, event),
      };
    case 'DeviceGroupChanged':
    case 'DeviceGroupDeleted':
    case 'DeviceLeftGroups':
      return { ...state, groups: evolveGroups(state.groups, event) };
    case 'OncallGroupCreated':
      return {
        ...state,
        oncall: evolveOncall(state.oncall, event),
        made: withMade(state.made, event.groupId, event),
      };
    case 'OverrideCreated':
      return {
        ...state,
        oncall: evolveOncall(state.oncall, event),
        made: withMade(state.made, event.overrideId, event),
      };
    case 'OncallGroupChanged':
    case 'OncallGroupDeleted':
    case 'OncallGroupEmptied':
    case 'OverrideDeleted':
      return { ...state, oncall: evolveOncall(state.oncall, event) };
    case 'DomainSet':
    case 'DomainVerified':
      return { ...state, domain: evolveDomain(state.domain, event) };
    case 'DomainCleared':
      return { ...state, domain: noDomain, autoJoinVerifiedDomain: false };
  }
}

const left = (state: Team, leaver: string, at: Instant): Team => ({
  ...state,
  members: state.members.filter(({ accountId }) => accountId !== leaver),
  departed: [...state.departed, leaver],
  groups: withoutMember(state.groups, leaver),
  oncall: withoutOncall(state.oncall, leaver, at),
});

const withRoles = (state: Team, roles: Readonly<Record<string, TeamRole>>): Team => ({
  ...state,
  members: state.members.map((member) => ({ ...member, role: roles[member.accountId] ?? member.role })),
});

/** The caller, and the requested team. */
export interface TeamRequest {
  readonly teamId: string;
  readonly accountId: string;
  readonly at: Instant;
}

export const memberOf = (state: Team, accountId: string): Member | undefined =>
  state.members.find((member) => member.accountId === accountId);

/** The team, and the caller's role in it. Refused `team.unknown` unless the caller is a member. */
export function asMember(
  state: TeamState,
  { teamId, accountId }: Pick<TeamRequest, 'teamId' | 'accountId'>,
): { readonly team: Team; readonly role: TeamRole } {
  const member = state?.teamId === teamId ? memberOf(state, accountId) : undefined;
  if (!state || !member) throw new Refused('team.unknown');
  return { team: state, role: member.role };
}

/** Refused `team.forbidden_role` for a lower role. */
export function insistOn(held: TeamRole, needed: TeamRole): void {
  if (teamRoles.indexOf(held) < teamRoles.indexOf(needed)) throw new Refused('team.forbidden_role');
}

/** Refused `team.feature_unavailable` in a family. */
export function insistOnWorkplace({ kind }: Pick<Team, 'kind'>): void {
  if (kind === 'family') throw new Refused('team.feature_unavailable');
}
