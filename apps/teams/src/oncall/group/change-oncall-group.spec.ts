import type { ChangeOncallGroup, OncallGroupChanged, TeamEvent } from '@carillon/contracts';
import { given, oncallGroupCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../../team/team';
import { changeOncallGroup } from './change-oncall-group';
import { deleteOncallGroup } from './delete-oncall-group';

const at = '2026-11-25T10:00:00.000Z';
const made = oncallGroupCreated();
const before: readonly TeamEvent[] = [...workplaceTeam, made];
const asked = { teamId: 'team_1', groupId: 'ocg_1', accountId: 'usr_admin' };
const change = (changes: Omit<ChangeOncallGroup, 'groupId'>, accountId = 'usr_admin') =>
  changeOncallGroup({ ...asked, accountId, changes, at });
const changed = (said: Partial<OncallGroupChanged>): OncallGroupChanged => ({
  type: 'OncallGroupChanged',
  teamId: 'team_1',
  groupId: 'ocg_1',
  changedAt: at,
  ...said,
});

describe('a change of an on-call group', () => {
  it('is what differs, once', () => {
    given(team, ...before)
      .when(change({ name: 'Platform', escalation: [{ afterMinutes: 5, target: 'next' }] }))
      .then(changed({ name: 'Platform' }));
    given(team, ...before, changed({ name: 'Platform' }))
      .when(change({ name: 'Platform' }))
      .thenNothing();
  });
  it('may be that hand-offs are notified of, or no longer', () => {
    const on = changed({ handoffNotices: true });
    given(team, ...before)
      .when(change({ handoffNotices: true }))
      .then(on);
    given(team, ...before)
      .when(change({ handoffNotices: false }))
      .thenNothing();
    given(team, ...before, on)
      .when(change({ handoffNotices: false }))
      .then(changed({ handoffNotices: false }));
  });
  it('leaves of the rotation what is not named, also the date that it is counted from', () =>
    given(team, ...before)
      .when(change({ rotation: { period: 'weekly', timezone: 'UTC' } }))
      .then(changed({ rotation: { ...made.rotation, period: 'weekly', timezone: 'UTC' } })));
  it('counts from another date where one is given, in the zone that is given with it', () =>
    given(team, ...before)
      .when(change({ rotation: { timezone: 'Asia/Tokyo', startsAt: '2026-11-30T18:00:00.000Z' } }))
      .then(changed({ rotation: { ...made.rotation, timezone: 'Asia/Tokyo', anchor: '2026-12-01' } })));
  it('keeps its own name in another case, and takes no other’s', () => {
    given(team, ...before)
      .when(change({ name: 'BACKEND' }))
      .then(changed({ name: 'BACKEND' }));
    given(team, ...before, oncallGroupCreated({ groupId: 'ocg_2', name: 'Platform' }))
      .when(change({ name: 'platform' }))
      .thenRefused('name.taken');
  });
  it('is applied whole or not at all', () => {
    given(team, ...before)
      .when(change({ name: 'Platform', rotation: { timezone: '+02:00' } }))
      .thenRefused('oncall.invalid_timezone');
    given(team, ...before)
      .when(change({ name: 'Platform', rotation: { userIds: ['usr_stranger'] } }))
      .thenRefused('member.not_found');
  });
  it('is for admins of its team', () => {
    given(team, ...before)
      .when(change({ name: 'Platform' }, 'usr_member'))
      .thenRefused('team.forbidden_role');
    given(team, ...before)
      .when(change({ name: 'Platform' }, 'usr_stranger'))
      .thenRefused('oncall_group.unknown');
  });
});

describe('an on-call group that is deleted', () => {
  const remove = (accountId: string) => deleteOncallGroup({ ...asked, accountId, at });
  const deleted: TeamEvent = {
    type: 'OncallGroupDeleted',
    teamId: 'team_1',
    groupId: 'ocg_1',
    deletedAt: at,
  };
  it('is deleted by an admin, and unknown the second time', () => {
    given(team, ...before)
      .when(remove('usr_owner'))
      .then(deleted);
    given(team, ...before, deleted)
      .when(remove('usr_owner'))
      .thenRefused('oncall_group.unknown');
    given(team, ...before, deleted)
      .when(change({ name: 'Platform' }))
      .thenRefused('oncall_group.unknown');
  });
  it('is not for members to delete, nor for others to know', () => {
    given(team, ...before)
      .when(remove('usr_member'))
      .thenRefused('team.forbidden_role');
    given(team, ...before)
      .when(remove('usr_stranger'))
      .thenRefused('oncall_group.unknown');
  });
  it('gives its name free', () =>
    given(team, ...before, oncallGroupCreated({ groupId: 'ocg_2', name: 'Platform' }), deleted)
      .when(changeOncallGroup({ ...asked, groupId: 'ocg_2', changes: { name: 'Backend' }, at }))
      .then(changed({ groupId: 'ocg_2', name: 'Backend' })));
});
