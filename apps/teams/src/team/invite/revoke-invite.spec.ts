import type { InviteAccepted, InviteRevoked } from '@carillon/contracts';
import { given, inviteCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { revokeInvite } from './revoke-invite';

const at = '2026-11-20T10:00:00.000Z';
const ask = (accountId: string, inviteId = 'inv_1') =>
  revokeInvite({ teamId: 'team_1', accountId, inviteId, at });
const revoked: InviteRevoked = { type: 'InviteRevoked', teamId: 'team_1', inviteId: 'inv_1', revokedAt: at };
const accepted: InviteAccepted = {
  type: 'InviteAccepted',
  teamId: 'team_1',
  inviteId: 'inv_1',
  accountId: 'usr_new',
  acceptedAt: at,
};

describe('revoking an invite', () => {
  it('is for admins and the owner', () => {
    const asked = given(team, ...workplaceTeam, inviteCreated());
    asked.when(ask('usr_admin')).then(revoked);
    asked.when(ask('usr_member')).thenRefused('team.forbidden_role');
    asked.when(ask('usr_other')).thenRefused('team.unknown');
  });
  it('does nothing the second time', () =>
    given(team, ...workplaceTeam, inviteCreated(), revoked)
      .when(ask('usr_owner'))
      .thenNothing());
  it('comes too late once it was used up, and not for one that is for many', () => {
    given(team, ...workplaceTeam, inviteCreated({ form: 'email', email: 'e@example.test' }), accepted)
      .when(ask('usr_owner'))
      .thenRefused('invite.already_accepted');
    given(team, ...workplaceTeam, inviteCreated(), accepted)
      .when(ask('usr_owner'))
      .then(revoked);
  });
  it('is refused for one that is not there', () =>
    given(team, ...workplaceTeam)
      .when(ask('usr_owner'))
      .thenRefused('invite.unknown'));
});
