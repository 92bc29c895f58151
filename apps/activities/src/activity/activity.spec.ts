import type {
  ActivityEnded,
  ActivityExpired,
  ActivityStarted,
  ActivityUpdated,
  CommandKey,
} from '@carillon/contracts';
import { fold, plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import fc from 'fast-check';
import { activity, begin, type Changing, earlier, end, expire, fail, statusAt, update } from './activity';
import { begun } from './props';

const at = '2026-11-20T09:00:00.000Z';
const props = begun({ title: 'Build', status: 'Testing', progress: 0.1 });
const starting = {
  activityId: 'act_1',
  accountId: 'usr_1',
  tokenId: 'tok_1',
  sourceName: 'CI',
  key: 'build',
  props,
  prompt: null,
  deviceIds: ['dev_1', 'dev_2'],
  replacedId: null,
  fingerprint: null,
  startedAt: at,
  expiresAt: plus(at, 28_800_000),
};
const started: ActivityStarted = { type: 'ActivityStarted', ...starting, sequence: 1 };
const prompted: ActivityStarted = {
  ...started,
  prompt: {
    id: 'int_1',
    kind: 'approval',
    primaryLabel: null,
    secondaryLabel: null,
    actionDigest: 'sha256:1',
  },
};
const later = (seconds: number) => plus(at, seconds * 1000);
const asked = { id: 'act_1', accountId: 'usr_1', tokenId: 'tok_1' };
const changing: Changing & { priority: 'normal' | 'high' } = {
  ...asked,
  changes: { progress: 0.5 },
  priority: 'normal',
  key: null,
  at: later(10),
};
const updated = (sequence: number, more: Partial<ActivityUpdated> = {}): ActivityUpdated => ({
  type: 'ActivityUpdated',
  activityId: 'act_1',
  accountId: 'usr_1',
  props: { ...props, progress: 0.5 },
  apnsPriority: 5,
  priorityReason: 'routine',
  key: null,
  sequence,
  updatedAt: later(10),
  ...more,
});
const milestone = (sequence: number, updatedAt: string) =>
  updated(sequence, { apnsPriority: 10, priorityReason: 'milestone', updatedAt });
const ending = { ...changing, changes: {}, dismissAfterSeconds: 300, reason: 'ended' as const };
const ended: ActivityEnded = {
  type: 'ActivityEnded',
  activityId: 'act_1',
  accountId: 'usr_1',
  props,
  reason: 'ended',
  dismissAfterSeconds: 300,
  key: null,
  sequence: 2,
  endedAt: later(10),
};
const expired: ActivityExpired = {
  type: 'ActivityExpired',
  activityId: 'act_1',
  accountId: 'usr_1',
  sequence: 2,
  expiredAt: starting.expiresAt,
};

describe('beginning', () => {
  it('takes everything from the admission', () => given(activity).when(begin(starting)).then(started));
  it('does nothing the second time, whatever has happened meanwhile', () => {
    given(activity, started).when(begin(starting)).thenNothing();
    given(activity, started, ended).when(begin(starting)).thenNothing();
  });
});

describe('updating', () => {
  it('stores all props with the next sequence', () => {
    given(activity, started).when(update(changing)).then(updated(2));
    given(activity, started, updated(2))
      .when(update({ ...changing, changes: { status: null }, at: later(20) }))
      .then(updated(3, { props: { ...props, progress: 0.5, status: null }, updatedAt: later(20) }));
  });
  it('makes a second change when it is repeated without a key', () =>
    given(activity, started, updated(2)).when(update(changing)).then(updated(3)));
  it('conceals the activity of another account, another token, and another id with the same tail', () => {
    for (const other of [
      { accountId: 'usr_2' },
      { tokenId: 'tok_2' },
      { id: 'act_2' },
      { id: 'act_2', tokenId: null },
    ])
      given(activity, started)
        .when(update({ ...changing, ...other }))
        .thenRefused('activity.not_found');
    given(activity).when(update(changing)).thenRefused('activity.not_found');
    given(activity, started)
      .when(update({ ...changing, tokenId: null }))
      .then(updated(2));
  });
  it('is refused when it does not run any more', () => {
    given(activity, started, ended)
      .when(update({ ...changing, at: later(20) }))
      .thenRefused('activity.not_running', { status: 'ended' });
    given(activity, started, expired)
      .when(update({ ...changing, at: later(30_000) }))
      .thenRefused('activity.not_running', { status: 'expired' });
  });
  it('is refused from the deadline on, also when the timer is late', () => {
    given(activity, started)
      .when(update({ ...changing, at: starting.expiresAt }))
      .thenRefused('activity.not_running', { status: 'expired' });
    given(activity, started)
      .when(update({ ...changing, at: plus(starting.expiresAt, -1) }))
      .then(updated(2, { updatedAt: plus(starting.expiresAt, -1) }));
  });
  it('is refused when the props become too large', () =>
    given(activity, started)
      .when(
        update({
          ...changing,
          changes: {
            imageUrl: `https://a.example/${'x'.repeat(1_500)}`,
            url: `https://a.example/${'x'.repeat(1_500)}`,
          },
        }),
      )
      .thenRefused('activity.props_too_large'));
  it('reports errors of the request before those of the state', () =>
    given(activity, started, ended)
      .when(update({ ...changing, changes: { lines: ['$ make'] } }))
      .thenRefused('input.invalid'));
});

describe('the priority of an update', () => {
  const high = { ...changing, priority: 'high' as const };
  const four = [2, 3, 4, 5].map((sequence) => milestone(sequence, later(sequence)));
  it('is that of a milestone while budget is left', () =>
    given(activity, started)
      .when(update(high))
      .then(milestone(2, later(10))));
  it('is routine beyond the budget, and uses none of it', () => {
    given(activity, started, ...four)
      .when(update(high))
      .then(updated(6, { priorityReason: 'budget_exhausted' }));
    given(activity, started, ...four, updated(6, { priorityReason: 'budget_exhausted' }))
      .when(update({ ...high, at: later(62) }))
      .then(milestone(7, later(62)));
    given(activity, started, ...four, updated(6, { priorityReason: 'budget_exhausted' }))
      .when(update({ ...high, at: plus(later(62), -1) }))
      .then(updated(7, { priorityReason: 'budget_exhausted', updatedAt: plus(later(62), -1) }));
  });
  it('is always that of an interaction when a prompt is attached, without a budget', () => {
    for (const priority of ['normal', 'high'] as const)
      given(activity, prompted, ...four)
        .when(update({ ...changing, priority }))
        .then(updated(6, { apnsPriority: 10, priorityReason: 'interaction' }));
  });
});

describe('ending', () => {
  it('takes effect at once, with the final props', () => {
    given(activity, started).when(end(ending)).then(ended);
    given(activity, started)
      .when(end({ ...ending, changes: { status: 'Done', progress: 1 }, dismissAfterSeconds: 0 }))
      .then({
        ...ended,
        props: { ...props, status: 'Done', progress: 1 },
        dismissAfterSeconds: 0,
      });
  });
  it('does nothing the second time, nor after the deadline', () => {
    given(activity, started, ended).when(end(ending)).thenNothing();
    given(activity, started, expired).when(end(ending)).thenNothing();
    given(activity, started)
      .when(end({ ...ending, at: starting.expiresAt }))
      .thenNothing();
  });
  it('conceals activities of others', () =>
    given(activity, started)
      .when(end({ ...ending, tokenId: 'tok_2' }))
      .thenRefused('activity.not_found'));
});

describe('expiring', () => {
  it('happens at the deadline, once, and not before', () => {
    given(activity, started)
      .when(expire({ at: starting.expiresAt }))
      .then(expired);
    given(activity, started, expired)
      .when(expire({ at: later(40_000) }))
      .thenNothing();
    given(activity, started)
      .when(expire({ at: plus(starting.expiresAt, -1) }))
      .thenNothing();
  });
  it('does nothing to an activity that has ended or never began', () => {
    given(activity, started, ended)
      .when(expire({ at: later(40_000) }))
      .thenNothing();
    given(activity)
      .when(expire({ at: later(40_000) }))
      .thenNothing();
  });
  it('is reported from the deadline on, even when the timer is late', () => {
    const state = fold(activity, [started])!;
    expect(statusAt(state, plus(starting.expiresAt, -1))).toBe('running');
    expect(statusAt(state, starting.expiresAt)).toBe('expired');
    expect(statusAt(fold(activity, [started, ended])!, starting.expiresAt)).toBe('ended');
  });
});

it('counted its deadline as a change', () => {
  const expired: ActivityExpired = {
    type: 'ActivityExpired',
    activityId: 'act_1',
    accountId: 'usr_1',
    sequence: 3,
    expiredAt: starting.expiresAt,
  };
  expect(fold(activity, [started, updated(2), expired])).toMatchObject({ sequence: 2 });
});

describe('failing on every device', () => {
  const at = later(20);
  const failed = {
    type: 'ActivityFailed',
    activityId: 'act_1',
    accountId: 'usr_1',
    sequence: 3,
    failedAt: at,
  } as const;
  it('ends the activity after all changes, without being a change itself', () => {
    given(activity, started, updated(2)).when(fail({ at })).then(failed);
    expect(fold(activity, [started, updated(2), failed])).toMatchObject({
      sequence: 2,
      over: { status: 'failed', at },
    });
  });
  it('does nothing to an activity that is over or never began', () => {
    for (const before of [[], [started, ended], [started, updated(2), failed]])
      given(activity, ...before)
        .when(fail({ at }))
        .thenNothing();
  });
  it('allows no later changes', () => {
    given(activity, started, updated(2), failed)
      .when(update({ ...changing, at: later(30) }))
      .thenRefused('activity.not_running');
    given(activity, started, updated(2), failed)
      .when(end({ ...ending, at: later(30) }))
      .thenNothing();
    given(activity, started, updated(2), failed)
      .when(expire({ at: later(40_000) }))
      .thenNothing();
  });
});

describe('an idempotency key', () => {
  const key: CommandKey = { hash: 'h1', fingerprint: 'f1', claim: 1 };
  it('makes one change for two requests', () => {
    given(activity, started)
      .when(update({ ...changing, key }))
      .then(updated(2, { key }));
    given(activity, started, updated(2, { key }), updated(3))
      .when(update({ ...changing, key, at: later(30) }))
      .thenNothing();
    given(activity, started, { ...ended, key })
      .when(end({ ...ending, key, at: later(30) }))
      .thenNothing();
  });
  it('gives the first answer even when the activity has ended meanwhile', () =>
    given(activity, started, updated(2, { key }), { ...ended, sequence: 3 })
      .when(update({ ...changing, key, at: later(30) }))
      .thenNothing());
  it('is refused with another request', () => {
    const other = { ...key, fingerprint: 'f2' };
    given(activity, started, updated(2, { key }))
      .when(update({ ...changing, key: other, at: later(30) }))
      .thenRefused('idempotency.key_reused');
    given(activity, started, { ...ended, key })
      .when(end({ ...ending, key: other, at: later(30) }))
      .thenRefused('idempotency.key_reused');
  });
  it('is a new key once it was claimed again', () => {
    const state = fold(activity, [started, updated(2, { key })])!;
    expect(earlier(state, key, plus(later(10), 86_400_000))).toMatchObject({ sequence: 2 });
    const fresh = { hash: 'h1', fingerprint: 'f2', claim: 2 };
    expect(earlier(state, fresh, later(10))).toBeUndefined();
    given(activity, started, updated(2, { key }))
      .when(update({ ...changing, key: fresh, at: later(30) }))
      .then(updated(3, { key: fresh, updatedAt: later(30) }));
  });
  it('from before keys were claimed is a new key a day later', () => {
    const { claim: _, ...unclaimed } = key;
    const state = fold(activity, [started, updated(2, { key: unclaimed })])!;
    expect(earlier(state, key, plus(later(10), 86_400_000 - 1))).toMatchObject({ sequence: 2 });
    expect(earlier(state, key, plus(later(10), 86_400_000))).toBeUndefined();
  });
  it('returns the priority granted to the first request', () => {
    const state = fold(activity, [started, { ...milestone(2, later(2)), key }, updated(3)])!;
    expect(earlier(state, key, later(30))).toMatchObject({
      sequence: 2,
      at: later(2),
      apnsPriority: 10,
      priorityReason: 'milestone',
    });
  });
});

it('counts one sequence on for each change, in any history, and never goes past its end', () => {
  const step = fc.record({
    seconds: fc.integer({ min: 0, max: 4_000 }),
    what: fc.constantFrom('expire', 'update', 'update', 'update', 'high', 'end', 'expire'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let state = fold(activity, [started]);
      let now = at;
      let sequence = 1;
      let over = false;
      for (const { seconds, what } of steps) {
        now = plus(now, seconds * 1000);
        const decide =
          what === 'end'
            ? end({ ...ending, at: now })
            : what === 'expire'
              ? expire({ at: now })
              : update({ ...changing, priority: what === 'high' ? 'high' : 'normal', at: now });
        let events: readonly Parameters<typeof activity.evolve>[1][] = [];
        try {
          events = decide(state);
        } catch {
          expect(over || now >= starting.expiresAt).toBe(true);
        }
        for (const event of events) {
          expect(over).toBe(false);
          // An expiry is no change.
          if (event.type === 'ActivityExpired') expect(event).toMatchObject({ sequence: sequence + 1 });
          else expect(event).toMatchObject({ sequence: (sequence += 1) });
          over = event.type === 'ActivityEnded' || event.type === 'ActivityExpired';
        }
        state = fold(activity, events, state);
      }
      expect(state!.sequence).toBe(sequence);
      expect(state!.over !== null).toBe(over);
    }),
  );
});
