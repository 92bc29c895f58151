import type { TeamEvent } from '@carillon/contracts';
import { fold, plus, type Refused } from '@carillon/eventing';
import { given, oncallGroupCreated, overrideCreated, workplaceTeam } from '@carillon/testkit';
import { team } from '../../team/team';
import { createOverride } from './create-override';
import { deleteOverride } from './delete-override';
import { overrideWindow } from './override-window';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = '2026-11-20T10:00:00.000Z';
const asked = { teamId: 'team_1', groupId: 'ocg_1', accountId: 'usr_admin' };
const before: readonly TeamEvent[] = [...workplaceTeam, oncallGroupCreated()];
const made = overrideCreated({ createdAt: at });
const { startsAt, endsAt } = made;
const make = (said: Partial<Parameters<typeof createOverride>[0]> = {}) =>
  createOverride({
    ...asked,
    overrideId: 'ovr_1',
    memberId: 'usr_admin',
    startsAt,
    endsAt,
    fingerprint: null,
    at,
    ...said,
  });

describe('an override', () => {
  it('puts a member on call for a window, once for one id', () => {
    given(team, ...before)
      .when(make())
      .then(made);
    given(team, ...before, made)
      .when(make())
      .thenNothing();
  });
  it('is not made by a key that came with another request', () =>
    given(team, ...before, { ...made, fingerprint: 'one' })
      .when(make({ fingerprint: 'another' }))
      .thenRefused('idempotency.key_reused'));
  it('is of anyone in the team for an admin, and of themselves for a member', () => {
    given(team, ...before)
      .when(make({ memberId: 'usr_member' }))
      .then({ ...made, accountId: 'usr_member' });
    given(team, ...before)
      .when(make({ accountId: 'usr_member', memberId: 'usr_member' }))
      .then({ ...made, accountId: 'usr_member' });
    given(team, ...before)
      .when(make({ accountId: 'usr_member' }))
      .thenRefused('override.self_only');
    given(team, ...before)
      .when(make({ memberId: 'usr_stranger' }))
      .thenRefused('member.not_found');
  });
  it('is unknown to accounts outside the team', () =>
    given(team, ...before)
      .when(make({ accountId: 'usr_stranger' }))
      .thenRefused('oncall_group.unknown'));
  it('does not overlap another by one millisecond, and may touch it', () => {
    const after = { overrideId: 'ovr_2', startsAt: endsAt, endsAt: plus(endsAt, hourMs) };
    given(team, ...before, made)
      .when(make(after))
      .then({ ...made, ...after });
    given(team, ...before, made)
      .when(make({ ...after, startsAt: plus(endsAt, -1) }))
      .thenRefused('override.overlap');
    given(team, ...before, made)
      .when(make({ overrideId: 'ovr_2', startsAt: plus(startsAt, -hourMs), endsAt: plus(startsAt, 1) }))
      .thenRefused('override.overlap');
  });
  it('of another group may be at the same time', () =>
    given(team, ...before, oncallGroupCreated({ groupId: 'ocg_2', name: 'Platform' }), made)
      .when(make({ groupId: 'ocg_2', overrideId: 'ovr_2' }))
      .then({ ...made, groupId: 'ocg_2', overrideId: 'ovr_2' }));
});

describe('the window of an override', () => {
  const codeOf = (from: string, to: string): string | undefined => {
    try {
      overrideWindow({ startsAt: from, endsAt: to }, at);
      return undefined;
    } catch (error) {
      const [issue] = (error as Refused).details['issues'] as { path: string; code: string }[];
      return `${issue?.path} ${issue?.code}`;
    }
  };
  it('begins now when it is to have begun already', () =>
    expect(overrideWindow({ startsAt: plus(at, -90 * dayMs), endsAt: plus(at, hourMs) }, at)).toEqual({
      startsAt: at,
      endsAt: plus(at, hourMs),
    }));
  it('is 31 days long at most, counted from where it begins now', () => {
    expect(codeOf(plus(at, dayMs), plus(at, 32 * dayMs))).toBeUndefined();
    expect(codeOf(plus(at, dayMs), plus(at, 32 * dayMs + 1_000))).toBe('endsAt too_big');
    expect(codeOf(plus(at, -dayMs), plus(at, 31 * dayMs))).toBeUndefined();
  });
  it('begins at most 366 days ahead', () => {
    expect(codeOf(plus(at, 366 * dayMs), plus(at, 367 * dayMs))).toBeUndefined();
    expect(codeOf(plus(at, 366 * dayMs + 1), plus(at, 367 * dayMs))).toBe('startsAt too_big');
  });
  it('ends in the future, after it begins', () => {
    expect(codeOf(plus(at, -hourMs), at)).toBe('endsAt too_small');
    expect(codeOf(plus(at, hourMs), plus(at, hourMs))).toBe('endsAt invalid_value');
  });
});

describe('an override that is deleted', () => {
  const remove = (accountId: string, when: string) =>
    deleteOverride({ ...asked, accountId, overrideId: 'ovr_1', at: when });
  const deleted = (deletedAt: string): TeamEvent => ({
    type: 'OverrideDeleted',
    teamId: 'team_1',
    groupId: 'ocg_1',
    overrideId: 'ovr_1',
    accountId: 'usr_admin',
    deletedAt,
  });
  const overridesAfter = (deletedAt: string) =>
    fold(team, [...before, made, deleted(deletedAt)])?.oncall[0]?.overrides;

  it('is gone when it had not begun, and keeps its past when it ran', () => {
    given(team, ...before, made)
      .when(remove('usr_owner', at))
      .then(deleted(at));
    expect(overridesAfter(at)).toEqual([]);
    const running = plus(startsAt, hourMs);
    expect(overridesAfter(running)).toEqual([
      { overrideId: 'ovr_1', accountId: 'usr_admin', startsAt, endsAt: running },
    ]);
  });
  it('is deleted once, and not when it is over', () => {
    const running = plus(startsAt, hourMs);
    given(team, ...before, made, deleted(running))
      .when(remove('usr_owner', running))
      .thenRefused('override.unknown');
    given(team, ...before, made)
      .when(remove('usr_owner', endsAt))
      .thenRefused('override.unknown');
  });
  it('is for admins and the member it names', () => {
    given(team, ...before, { ...made, accountId: 'usr_member' })
      .when(remove('usr_member', at))
      .then({ ...deleted(at), accountId: 'usr_member' } as TeamEvent);
    given(team, ...before, made)
      .when(remove('usr_member', at))
      .thenRefused('team.forbidden_role');
    given(team, ...before, made)
      .when(remove('usr_stranger', at))
      .thenRefused('oncall_group.unknown');
  });
});
