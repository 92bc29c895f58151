import type {
  ActivityCommandClaimed,
  ActivityCommandFreed,
  ActivityCommandTakenOver,
} from '@carillon/contracts';
import { fold, plus, Refused } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { claim, command, free, takeOver } from './command';

const at = '2026-11-20T09:00:00.000Z';
const soon = plus(at, 9_999);
const late = plus(at, 10_000);
const tomorrow = plus(at, 24 * 60 * 60 * 1000);
const by = { accountId: 'usr_1', activityId: 'act_1' };
const claimed: ActivityCommandClaimed = {
  type: 'ActivityCommandClaimed',
  ...by,
  fingerprint: 'f1',
  claimedAt: at,
};
const takenOver: ActivityCommandTakenOver = { type: 'ActivityCommandTakenOver', ...by, takenOverAt: late };
const freed: ActivityCommandFreed = { type: 'ActivityCommandFreed', ...by, freedAt: soon };
const asked = { accountId: 'usr_1', activityId: 'act_1', fingerprint: 'f1', at };

describe('an idempotency key of a change', () => {
  it('is claimed for a request and its activity', () => given(command).when(claim(asked)).then(claimed));
  it('is claimed once, even when the name identifies another activity by now, or none', () => {
    given(command, claimed)
      .when(claim({ ...asked, activityId: 'act_2', at: soon }))
      .thenNothing();
    given(command, claimed)
      .when(claim({ ...asked, activityId: new Refused('activity.not_found'), at: soon }))
      .thenNothing();
  });
  it('is refused with another request', () =>
    given(command, claimed)
      .when(claim({ ...asked, fingerprint: 'f2', at: soon }))
      .thenRefused('idempotency.key_reused'));
  it('is not claimed for a missing activity', () =>
    given(command)
      .when(claim({ ...asked, activityId: new Refused('activity.not_found') }))
      .thenRefused('activity.not_found'));
  it('is a new key a day later', () => {
    const again = { ...asked, activityId: 'act_2', fingerprint: 'f2' };
    given(command, claimed)
      .when(claim({ ...again, at: plus(tomorrow, -1) }))
      .thenRefused('idempotency.key_reused');
    given(command, claimed)
      .when(claim({ ...again, at: tomorrow }))
      .then({ ...claimed, activityId: 'act_2', fingerprint: 'f2', claimedAt: tomorrow });
    expect(fold(command, [claimed, { ...claimed, claimedAt: tomorrow }])).toMatchObject({ claims: 2 });
  });
});

describe('a request that was refused', () => {
  const refused = free({ accountId: 'usr_1', number: 1, at: soon });
  it('frees its key', () => given(command, claimed).when(refused).then(freed));
  it('frees it once', () => given(command, claimed, freed).when(refused).thenNothing());
  it('frees its key for another request', () =>
    given(command, claimed, freed)
      .when(claim({ ...asked, fingerprint: 'f2', at: soon }))
      .then({ ...claimed, fingerprint: 'f2', claimedAt: soon }));
  it('does not free a key that another request has claimed since', () =>
    given(command, claimed, freed, claimed).when(refused).thenNothing());
  it('does not free a key that a repetition has taken over', () =>
    given(command, claimed, takenOver).when(refused).thenNothing());
});

describe('a repetition', () => {
  const taking = (now: string, number = 1) => takeOver({ accountId: 'usr_1', number, at: now });
  it('waits for the first request', () =>
    given(command, claimed).when(taking(soon)).thenRefused('idempotency.in_progress'));
  it('acts for a first request that did not complete', () =>
    given(command, claimed).when(taking(late)).then(takenOver));
  it('acts besides other repetitions', () =>
    given(command, claimed, takenOver).when(taking(late)).thenNothing());
  it('does not act when the key was freed or is claimed again', () => {
    given(command, claimed, freed).when(taking(late)).thenRefused('idempotency.in_progress');
    given(command, claimed, freed, claimed).when(taking(late)).thenRefused('idempotency.in_progress');
  });
});
