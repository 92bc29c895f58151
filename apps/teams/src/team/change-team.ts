import type { TeamChanged, TeamEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { type TeamRequest, asMember, insistOn, insistOnWorkplace, type Team, type TeamState } from './team';

type TeamSettings = Partial<Pick<Team, 'name' | 'autoJoinVerifiedDomain' | 'retentionDays'>>;

/** Applies all settings, or none if the role may not change one of them. Unchanged settings cause no event. */
export const changeTeam: Decision<TeamState, TeamEvent, TeamRequest & { readonly settings: TeamSettings }> =
  ({ settings, ...asked }) =>
  (state) => {
    const { team, role } = asMember(state, asked);
    const { name, autoJoinVerifiedDomain, retentionDays } = settings;
    if (autoJoinVerifiedDomain !== undefined) insistOnWorkplace(team);
    if (name !== undefined) insistOn(role, 'admin');
    if (autoJoinVerifiedDomain !== undefined || retentionDays !== undefined) insistOn(role, 'owner');
    if (autoJoinVerifiedDomain && team.domain.verified === null) throw new Refused('domain.not_verified');
    const changes = changesOf(team, settings);
    return Object.keys(changes).length === 0
      ? []
      : [{ type: 'TeamChanged', teamId: asked.teamId, ...changes, changedAt: asked.at }];
  };

function changesOf(
  team: Team,
  { name, autoJoinVerifiedDomain, retentionDays }: TeamSettings,
): Omit<TeamChanged, 'type' | 'teamId' | 'changedAt'> {
  return {
    ...(name !== undefined && name !== team.name && { name }),
    ...(autoJoinVerifiedDomain !== undefined &&
      autoJoinVerifiedDomain !== team.autoJoinVerifiedDomain && { autoJoinVerifiedDomain }),
    ...(retentionDays !== undefined && retentionDays !== team.retentionDays && { retentionDays }),
  };
}
