import type { Team as TeamView, TeamMember, TeamRole } from '@carillon/contracts';
import { compareTexts } from '@carillon/eventing';
import type { PersonNames } from '../person/people.service';
import { seatsOf } from './seats';
import { challengeOf } from './domain';
import type { Member, Team } from './team';

/** A team as the API shows it to a member with this role. */
export const teamView = (team: Team, role: TeamRole, appCount: number): TeamView => ({
  id: team.teamId,
  kind: team.kind,
  name: team.name,
  role,
  memberCount: team.members.length,
  appCount,
  oncallGroupCount: team.oncall.length,
  deviceGroupCount: team.groups.length,
  verifiedDomain: team.domain.verified,
  pendingDomain: team.domain.pending?.domain ?? null,
  domainVerification: role === 'owner' && team.domain.pending ? challengeOf(team.domain.pending) : null,
  autoJoinVerifiedDomain: team.autoJoinVerifiedDomain,
  retentionDays: team.retentionDays,
  seats: { used: team.members.length, available: seatsOf(team) - team.members.length, billable: 0 },
  plan: team.kind === 'family' ? 'free' : 'team',
  createdAt: team.createdAt,
});

const rank: Readonly<Record<TeamRole, number>> = { owner: 0, admin: 1, member: 2 };

export const memberView = (
  { accountId, role, joinedAt }: Member,
  personOf: (accountId: string) => PersonNames,
): TeamMember => {
  const { name, email } = personOf(accountId);
  return { userId: accountId, name, email, image: null, role, joinedAt };
};

/** Sorted by role, then by name. */
export const memberViews = (team: Team, personOf: (accountId: string) => PersonNames): TeamMember[] =>
  team.members
    .map((member) => memberView(member, personOf))
    .sort(
      (a, b) =>
        rank[a.role] - rank[b.role] || a.name.localeCompare(b.name, 'en') || compareTexts(a.userId, b.userId),
    );
