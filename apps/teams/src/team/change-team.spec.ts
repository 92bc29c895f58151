import type { TeamChanged, TeamEvent } from '@carillon/contracts';
import { family, given, workplaceTeam } from '@carillon/testkit';
import { changeTeam } from './change-team';
import { team } from './team';

const at = '2026-11-20T10:00:00.000Z';
const later = '2026-11-20T11:00:00.000Z';
const verified: TeamEvent = {
  type: 'DomainVerified',
  teamId: 'team_1',
  domain: 'acme.example',
  verifiedAt: at,
};

const ask = (accountId: string, settings: Parameters<typeof changeTeam>[0]['settings']) =>
  changeTeam({ teamId: 'team_1', accountId, at: later, settings });

const renamed: TeamChanged = {
  type: 'TeamChanged',
  teamId: 'team_1',
  name: 'Acme Ltd',
  changedAt: later,
};

describe('changing a team', () => {
  it('renames it for an admin', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_admin', { name: 'Acme Ltd' }))
      .then(renamed));
  it('does nothing the second time', () =>
    given(team, ...workplaceTeam, renamed)
      .when(ask('usr_admin', { name: 'Acme Ltd' }))
      .thenNothing());
  it('tells nobody outside whether it exists', () => {
    for (const state of [workplaceTeam, []])
      given(team, ...state)
        .when(ask('usr_stranger', { name: 'Mine' }))
        .thenRefused('team.unknown');
  });
  it('is not for a member', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_member', { name: 'Mine' }))
      .thenRefused('team.forbidden_role'));
  it('applies nothing of what an admin asks when one field is for the owner', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_admin', { name: 'Acme Ltd', retentionDays: 30 }))
      .thenRefused('team.forbidden_role'));
  it('keeps for so many days, and for ever again, as the owner says', () => {
    const kept: TeamChanged = {
      type: 'TeamChanged',
      teamId: 'team_1',
      retentionDays: 30,
      changedAt: at,
    };
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { retentionDays: 30 }))
      .then({ ...kept, changedAt: later });
    given(team, ...workplaceTeam, kept)
      .when(ask('usr_owner', { retentionDays: null }))
      .then({ ...kept, retentionDays: null, changedAt: later });
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { retentionDays: null }))
      .thenNothing();
  });
  it('lets people join by the domain once that is verified, and applies nothing before', () => {
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { name: 'Acme Ltd', autoJoinVerifiedDomain: true }))
      .thenRefused('domain.not_verified');
    given(team, ...workplaceTeam, verified)
      .when(ask('usr_owner', { autoJoinVerifiedDomain: true }))
      .then({
        type: 'TeamChanged',
        teamId: 'team_1',
        autoJoinVerifiedDomain: true,
        changedAt: later,
      });
  });
  it('may say without a domain that nobody joins by it', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_owner', { autoJoinVerifiedDomain: false }))
      .thenNothing());
  it('refuses joining by domain in a family, for any request and caller', () => {
    for (const accountId of ['usr_owner', 'usr_member'])
      for (const autoJoinVerifiedDomain of [true, false])
        given(team, ...family)
          .when(ask(accountId, { autoJoinVerifiedDomain }))
          .thenRefused('team.feature_unavailable');
  });
});
