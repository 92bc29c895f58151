import type { TeamEvent } from '@carillon/contracts';
import { family, given, workplaceTeam } from '@carillon/testkit';
import { deleteTeam } from './delete-team';
import { team } from './team';

const at = '2026-11-20T10:00:00.000Z';
const by = (accountId: string) => deleteTeam({ teamId: 'team_1', accountId, at });
const deleted: TeamEvent = { type: 'TeamDeleted', teamId: 'team_1', deletedAt: at };

describe('deleting a team', () => {
  it('is for its owner, of a family and of a workplace team', () => {
    for (const there of [family, workplaceTeam])
      given(team, ...there)
        .when(by('usr_owner'))
        .then(deleted);
  });
  it('is not for an admin, nor for a member', () => {
    for (const accountId of ['usr_admin', 'usr_member'])
      given(team, ...workplaceTeam)
        .when(by(accountId))
        .thenRefused('team.forbidden_role');
  });
  it('finds none the second time, as a stranger never does', () => {
    given(team, ...family, deleted)
      .when(by('usr_owner'))
      .thenRefused('team.unknown');
    given(team, ...family)
      .when(by('usr_stranger'))
      .thenRefused('team.unknown');
  });
});
