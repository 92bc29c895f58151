import type { GivenRotation, TeamEvent } from '@carillon/contracts';
import { family, given, oncallGroupCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../../team/team';
import { createOncallGroup, type OncallGroupCreation } from './create-oncall-group';

const at = '2026-11-20T10:00:00.000Z';
const rotation: GivenRotation = {
  userIds: ['usr_owner', 'usr_member'],
  period: 'daily',
  handoffAt: '09:00',
  timezone: 'Europe/Berlin',
};
const escalation = [{ afterMinutes: 5, target: 'next' }] as const;
const make = (said: Partial<OncallGroupCreation> = {}) =>
  createOncallGroup({
    teamId: 'team_1',
    accountId: 'usr_admin',
    groupId: 'ocg_1',
    name: 'Backend',
    rotation,
    escalation,
    fingerprint: null,
    at,
    ...said,
  });
const made = oncallGroupCreated({ createdAt: at });
const deleted: TeamEvent = { type: 'OncallGroupDeleted', teamId: 'team_1', groupId: 'ocg_1', deletedAt: at };

describe('an on-call group', () => {
  it('is made of members who take turns, counted from the newest handoff', () =>
    given(team, ...workplaceTeam)
      .when(make())
      .then(made));
  it('counts turns from the local date that is given', () =>
    given(team, ...workplaceTeam)
      .when(make({ rotation: { ...rotation, startsAt: '2026-11-30T23:30:00.000Z' } }))
      .then({ ...made, rotation: { ...made.rotation, anchor: '2026-12-01' } }));
  it('notifies of hand-offs where that is said', () => {
    given(team, ...workplaceTeam)
      .when(make({ handoffNotices: true }))
      .then({ ...made, handoffNotices: true });
    given(team, ...workplaceTeam)
      .when(make({ handoffNotices: false }))
      .then(made);
  });
  it('is made once by one id, also when it is deleted by now', () => {
    given(team, ...workplaceTeam, made)
      .when(make())
      .thenNothing();
    given(team, ...workplaceTeam, made, deleted)
      .when(make())
      .thenNothing();
  });
  it('is not made by a key that came with another request', () =>
    given(team, ...workplaceTeam, { ...made, fingerprint: 'one' })
      .when(make({ fingerprint: 'another' }))
      .thenRefused('idempotency.key_reused'));
  it('is for admins of workplace teams, and of their own', () => {
    given(team, ...workplaceTeam)
      .when(make({ accountId: 'usr_member' }))
      .thenRefused('team.forbidden_role');
    given(team, ...workplaceTeam)
      .when(make({ accountId: 'usr_stranger' }))
      .thenRefused('team.unknown');
    given(team, ...family)
      .when(make({ accountId: 'usr_owner' }))
      .thenRefused('team.feature_unavailable');
  });
  it('has members of the team only', () =>
    given(team, ...workplaceTeam)
      .when(make({ rotation: { ...rotation, userIds: ['usr_owner', 'usr_stranger'] } }))
      .thenRefused('member.not_found'));
  it.each(['+02:00', 'Europe/Atlantis'])('is in no zone %s', (timezone) =>
    given(team, ...workplaceTeam)
      .when(make({ rotation: { ...rotation, timezone } }))
      .thenRefused('oncall.invalid_timezone'),
  );
  it('has a name of its own in the team, whatever its case', () =>
    given(team, ...workplaceTeam, made)
      .when(make({ groupId: 'ocg_2', name: 'BACKEND' }))
      .thenRefused('name.taken'));
  it('is one of fifty at most', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      oncallGroupCreated({ groupId: `ocg_${index}`, name: `Group ${index}` }),
    );
    given(team, ...workplaceTeam, ...many)
      .when(make({ groupId: 'ocg_50' }))
      .thenRefused('resource.limit_reached', { limit: 50 });
  });
});
