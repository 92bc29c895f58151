import { begun, ended, expired, expiryGraceMs, updated } from './activity';
import { dueAt, newTokenWithinMs, take } from './due';
import type { Lane, LaneOutcome } from './lane';
import { heard } from './outcome';
import { repaced } from './pace';
import { gone, registered, restarted } from './phone';
import { farewellDone, released, tokenDied, waits } from './rest';
import { isAwaitingToken, isReady, isTokenDelayed, nextStartAt, statusOf, supersededBy } from './lane-status';

const t0 = 1_800_000_000_000;
const deadline = t0 + 600_000;
const [first, second] = ['token 1', 'token 2'].map((hash) => ({
  hash,
  sealed: '',
  environment: 'sandbox' as const,
}));

type Step = (lane: Lane) => Lane;
const after = (lane: Lane, ...steps: Step[]): Lane => steps.reduce((left, step) => step(left), lane);
const on = (platform: 'ios' | 'android', notBeforeMs = t0): Lane =>
  begun({ platform, sequence: 1, expiresAtMs: deadline, notBeforeMs });

const routine =
  (sequence: number, atMs = t0): Step =>
  (lane) =>
    updated(lane, { sequence, priority: 5, isRoutine: true, atMs });
const milestone =
  (sequence: number, atMs = t0): Step =>
  (lane) =>
    updated(lane, { sequence, priority: 10, isRoutine: false, atMs });
const end =
  (sequence: number, atMs = t0): Step =>
  (lane) =>
    ended(lane, { sequence, dismissAtMs: atMs + 300_000, atMs });
const expiry =
  (sequence: number): Step =>
  (lane) =>
    expired(lane, { sequence, atMs: deadline });
const token =
  (which = first!, atMs = t0): Step =>
  (lane) =>
    registered(lane, which, atMs);
const taken =
  (atMs = t0): Step =>
  (lane) =>
    take(lane, atMs).lane;
/** Settles the operation under way. */
const settled =
  (outcome: LaneOutcome = 'accepted', atMs = t0): Step =>
  (lane) => {
    const { kind, sequence, round } = lane.waiting[0]!;
    return heard(lane, { kind, sequence, round, outcome, errorCode: null }, atMs);
  };
const putOff =
  (untilMs: number, ambiguous = false): Step =>
  (lane) =>
    waits(lane, { untilMs, held: null, progress: { failures: 1, throttles: 0, ambiguous }, atMs: t0 });
const started: Step[] = [taken(), settled()];

const order = (lane: Lane): string =>
  lane.waiting.map(({ kind, sequence }) => `${kind} ${sequence}`).join(', ');
const owed = (lane: Lane): string =>
  lane.owed.map(({ kind, sequence, outcome }) => `${kind} ${sequence} ${outcome}`).join(', ');
const sent = (lane: Lane, atMs = t0): string | null => {
  const { send } = take(lane, atMs);
  return send && `${send.operation.kind} ${send.operation.sequence}`;
};

describe('waiting operations', () => {
  it('are sent in order, one at a time', () => {
    const lane = after(on('android'), milestone(2), milestone(3), end(4), taken());
    expect(sent(lane, t0 + 60_000)).toBeNull();
    expect(sent(after(lane, settled()))).toBe('update 2');
    expect(sent(after(lane, settled(), taken(), settled()), t0 + 1_000)).toBe('update 3');
    expect(order(after(lane, settled(), taken(), settled(), taken(t0 + 1_000), settled()))).toBe('end 4');
  });

  it('include only the newest of consecutive routine updates', () => {
    const lane = after(on('android'), ...started, routine(2), routine(3), routine(4));
    expect(order(lane)).toBe('update 4');
    expect(owed(lane)).toBe('update 2 superseded, update 3 superseded');
    expect([supersededBy(lane, 3), supersededBy(lane, 4)]).toEqual([1, 1]);
  });

  it.each([
    ['a granted milestone', milestone(3)],
    ['what is under way', taken(t0 + 5_000)],
  ])('are never superseded across %s', (_what, barrier) => {
    const lane = after(on('android'), ...started, routine(2), barrier, routine(4), routine(5));
    expect(order(lane)).toMatch(/^update 2, .*update 5$/);
    expect(owed(lane)).toBe('update 4 superseded');
  });

  it('are never superseded by an end or before a start', () => {
    const lane = after(on('android'), routine(2), end(3));
    expect(order(lane)).toBe('start 1, update 2, end 3');
    expect(owed(lane)).toBe('');
  });

  it('are superseded while waiting for a retry', () => {
    const lane = after(
      on('android'),
      ...started,
      routine(2),
      taken(t0 + 5_000),
      putOff(t0 + 60_000),
      routine(3),
    );
    expect(order(lane)).toBe('update 3');
    expect(dueAt(lane)).toBe(t0 + 1_000);
    expect(sent(lane, t0 + 59_999)).toBeNull();
    expect(sent(lane, t0 + 60_000)).toBe('update 3');
  });

  it('are superseded when a newer update arrived during an attempt that failed temporarily', () =>
    expect(
      order(after(on('android'), ...started, routine(2), taken(t0 + 5_000), routine(3), putOff(t0 + 60_000))),
    ).toBe('update 3'));

  it('are not sent after their deadline', () => {
    const lane = after(on('ios'), ...started, routine(2), milestone(3), end(4));
    const late = take(lane, deadline).lane;
    expect(order(late)).toBe('');
    expect(owed(late)).toBe('update 2 dropped, update 3 dropped, end 4 dropped');
    expect(late.state).toBe('over');
  });

  it('are limited, however often a prompt’s activity changes', () => {
    let lane = after(on('ios'), ...started);
    for (let sequence = 2; sequence < 1_500; sequence += 1) lane = milestone(sequence)(lane);
    expect(lane.waiting).toHaveLength(1_000);
    expect(lane.waiting.at(-1)!.sequence).toBe(1_499);
    expect(lane.counts.superseded).toBe(498);
  });
});

describe('the timestamp', () => {
  it('is the second of sending', () => {
    const lane = after(on('ios'), taken(t0 + 1_999));
    expect(lane.timestamp).toBe(Math.floor(t0 / 1000) + 1);
  });

  it('is a new one for every attempt, and routine updates wait for their own second', () => {
    const lane = after(on('android'), taken(t0 + 100), settled(), routine(2));
    expect(sent(lane, t0 + 999)).toBeNull();
    expect(dueAt(lane)).toBe(t0 + 1_000);
    expect(take(lane, t0 + 1_000).send!.timestamp).toBe(t0 / 1000 + 1);
  });

  it('runs ahead for a milestone up to a maximum, and for an end in any case', () => {
    let lane = after(on('android'), taken(), settled());
    for (let sequence = 2; sequence < 40; sequence += 1) lane = milestone(sequence)(lane);
    lane = end(40)(lane);
    let told = 0;
    while (sent(lane) !== null) {
      lane = after(lane, taken(), settled());
      told += 1;
    }
    expect(told).toBe(10);
    expect(lane.timestamp).toBe(t0 / 1000 + 10);
    const last = { ...lane, waiting: lane.waiting.slice(-1) };
    expect(take(last, t0).send!.timestamp).toBe(t0 / 1000 + 11);
  });

  it('increases even when the clock was set back, and delays no update for long', () => {
    const lane = after(on('android'), taken(t0 + 300_000), settled(), routine(2), repaced);
    const turn = take(lane, t0);
    expect(turn.send!.timestamp).toBe(t0 / 1000 + 301);
    const next = after(turn.lane, settled(), routine(3));
    expect(sent(next, t0 + 999)).toBeNull();
    expect(sent(next, t0 + 1_000)).toBe('update 3');
  });

  it('exceeds all timestamps that may have been sent before the rows were lost', () => {
    const lane = begun({
      platform: 'android',
      sequence: 1,
      expiresAtMs: deadline,
      notBeforeMs: t0,
      isRemade: true,
    });
    const again = after(lane, (one) =>
      heard(one, { kind: 'start', sequence: 1, round: 0, outcome: 'accepted', errorCode: null }, t0),
    );
    const turn = take(milestone(2)(again), t0);
    expect(turn.send!.timestamp).toBeGreaterThan(t0 / 1000 + 11);
    expect(turn.lane.isRemade).toBe(false);
  });
});

describe('an iPhone', () => {
  const waiting = after(on('ios'), ...started, routine(2), milestone(3), end(4));

  it('receives only the start before its update token is known', () => {
    expect(isAwaitingToken(waiting)).toBe(true);
    expect(sent(waiting, t0 + 60_000)).toBeNull();
    expect(dueAt(waiting)).toBe(deadline);
  });

  it('receives everything in order once its update token is known, even after the end', () => {
    let lane = token()(waiting);
    const told: string[] = [];
    for (let atMs = t0 + 1_000; lane.waiting.length > 0; atMs += 1_000) {
      told.push(sent(lane, atMs)!);
      lane = after(lane, taken(atMs), settled());
    }
    expect(told).toEqual(['update 2', 'update 3', 'end 4']);
    expect(lane.state).toBe('over');
    expect(lane.token).toBeNull();
  });

  it('gets a warning when its token is late', () => {
    expect(isTokenDelayed(waiting, t0 + 29_999)).toBe(false);
    expect(isTokenDelayed(waiting, t0 + 30_000)).toBe(true);
    expect(isTokenDelayed(token()(waiting), t0 + 30_000)).toBe(false);
  });

  it('that has a token has started, even without the provider’s answer', () => {
    const unsure = after(on('ios'), taken(), putOff(t0 + 60_000, true), routine(2), token());
    expect(owed(unsure)).toBe('start 1 accepted');
    expect(order(unsure)).toBe('update 2');
    const meanwhile = after(on('ios'), taken(), routine(2), token());
    expect(order(meanwhile)).toBe('start 1, update 2');
    expect(order(putOff(t0 + 60_000, true)(meanwhile))).toBe('update 2');
  });

  it('with a new token receives the newest content again', () => {
    const lane = after(on('ios'), ...started, token(), routine(2), taken(t0 + 1_000), settled());
    expect(order(token()(lane))).toBe('');
    const moved = token(second!)(lane);
    expect(moved.waiting).toMatchObject([{ kind: 'update', sequence: 2, round: 1, shows: 2 }]);
    expect(sent(moved, t0 + 2_000)).toBe('update 2');
  });

  it('with a new token receives only the waiting operations when there are any', () =>
    expect(order(after(on('ios'), ...started, token(), routine(2), token(second!)))).toBe('update 2'));

  it('with a new token receives the newest content after the request under way to the old one', () => {
    const lane = after(on('ios'), ...started, token(), routine(2), taken(t0 + 1_000), token(second!));
    expect(order(lane)).toBe('update 2, update 2');
    expect(order(after(lane, settled()))).toBe('update 2');
  });

  it('handles a new token once, however often it is registered', () => {
    const lane = after(on('ios'), ...started, token());
    expect(token()(lane)).toBe(lane);
  });

  describe('whose token died', () => {
    const lane = after(on('ios'), ...started, token(), milestone(2), taken(t0), (one) =>
      tokenDied(one, 'token 1', t0 + 5_000),
    );

    it('receives the waiting operations at the next one', () => {
      expect(order(lane)).toBe('update 2');
      expect(isAwaitingToken(lane)).toBe(true);
      expect(isTokenDelayed(lane, t0 + 34_999)).toBe(false);
      expect(isTokenDelayed(lane, t0 + 35_000)).toBe(true);
      expect(sent(token(second!)(lane), t0 + 6_000)).toBe('update 2');
    });

    it('and that has registered another meanwhile receives them there at once', () => {
      const moved = after(on('ios'), ...started, token(), milestone(2), taken(t0), token(second!), (one) =>
        tokenDied(one, 'token 1', t0),
      );
      expect(moved.token).toBe(second);
      expect(sent(moved, t0)).toBe('update 2');
    });

    it('fails the activity when no other token arrives', () => {
      const atMs = t0 + 5_000 + newTokenWithinMs;
      expect(dueAt(lane)).toBeLessThanOrEqual(atMs);
      const given = take({ ...lane, expiresAtMs: atMs * 2, waiting: lane.waiting }, deadline - 1).lane;
      expect(given.state).toBe('started');
      const lost = take(
        { ...lane, waiting: lane.waiting.map((one) => ({ ...one, untilMs: atMs + 1 })) },
        atMs,
      ).lane;
      expect(lost).toMatchObject({ state: 'failed', failure: 'token_lost' });
      expect(owed(lost)).toBe('update 2 failed');
      expect(restarted(lost, { notBeforeMs: t0, atMs: t0 })).toBe(lost);
      expect(order(token(second!)(lost))).toBe('update 2');
    });
  });
});

describe('an end', () => {
  it('waits for what is under way', () => {
    const lane = after(on('android'), ...started, milestone(2), taken(t0), end(3));
    expect(sent(lane, t0 + 10_000)).toBeNull();
    expect(sent(settled()(lane), t0 + 10_000)).toBe('end 3');
  });

  it('is the last operation', () => {
    const lane = after(on('android'), ...started, end(2), taken(), settled());
    expect(lane.state).toBe('over');
    expect(after(lane, routine(3), end(4), expiry(5)).waiting).toEqual([]);
    expect(dueAt(lane)).toBeNull();
  });

  it('before the device’s turn to start is not sent, nor is the start', () => {
    const lane = after(on('ios', t0 + 2_000), routine(2), end(3, t0 + 1_000));
    expect(lane.waiting).toEqual([]);
    expect(owed(lane)).toBe('start 1 superseded, update 2 superseded, end 3 dropped');
  });

  it('after the start was due follows the start', () =>
    expect(order(after(on('ios', t0), end(2, t0 + 1)))).toBe('start 1, end 2'));

  it('of a failed activity still removes it from the phone', () => {
    const lane = after(on('android'), ...started, milestone(2), taken(), settled('failed'), end(3));
    expect(lane.state).toBe('failed');
    expect(sent(lane, t0 + 1_000)).toBe('end 3');
    expect(after(lane, taken(t0 + 1_000), settled()).state).toBe('over');
  });

  it('of an activity that never started fails as well', () => {
    const lane = after(on('android'), taken(), settled('failed'), end(2));
    expect(owed(lane)).toBe('end 2 failed');
    expect(lane.waiting).toEqual([]);
  });
});

describe('the deadline', () => {
  it('drops waiting operations and removes the activity from the phone', () => {
    const lane = after(on('android'), ...started, routine(2), milestone(3), expiry(4));
    expect(owed(lane)).toBe('update 2 dropped, update 3 dropped');
    expect(lane.waiting).toMatchObject([{ kind: 'end', sequence: 4, shows: 3, dismissAtMs: deadline }]);
    expect(sent(lane, deadline)).toBe('end 4');
  });

  it('waits for what is under way', () => {
    const lane = after(on('android'), ...started, milestone(2), taken(), expiry(3));
    expect(order(lane)).toBe('update 2, end 3');
    expect(sent(lane, deadline)).toBeNull();
  });

  it('sends nothing to a phone that never started the activity', () => {
    const lane = after(on('ios', t0 + 2_000), expiry(2));
    expect(owed(lane)).toBe('start 1 dropped, end 2 dropped');
    expect(lane.state).toBe('over');
  });

  it('is dropped on a phone that stays unreachable', () => {
    const lane = after(on('ios'), ...started, expiry(2));
    expect(sent(lane, deadline)).toBeNull();
    expect(dueAt(lane)).toBe(deadline + expiryGraceMs);
    expect(owed(take(lane, deadline + expiryGraceMs).lane)).toBe('end 2 dropped');
  });

  it('happens once', () => {
    const lane = after(on('android'), ...started, expiry(2));
    expect(order(expiry(3)(lane))).toBe('end 2');
  });
});

describe('a permanent failure', () => {
  it('fails the start, and the operations after it', () => {
    const lane = after(on('ios'), milestone(2), routine(3), taken(), settled('failed'));
    expect(lane).toMatchObject({ state: 'failed', failure: 'refused', waiting: [] });
    expect(owed(lane)).toBe('update 2 failed, update 3 failed');
    expect(owed(routine(4)(lane))).toMatch(/update 4 failed$/);
    expect(statusOf(lane, 1)).toBe('failed');
  });

  it('ends with a new registration, with the newest content', () => {
    const lane = after(on('ios'), taken(), settled('failed'), milestone(2), (one) =>
      restarted(one, { notBeforeMs: t0 + 7_000, atMs: t0 + 6_000 }),
    );
    expect(lane.state).toBe('starting');
    expect(lane.waiting).toMatchObject([{ kind: 'start', sequence: 2, shows: 2, round: 1 }]);
    expect(nextStartAt(lane)).toBe(t0 + 7_000);
    expect(statusOf(lane, 2)).toBe('queued');
    expect(statusOf(after(lane, taken(t0 + 7_000), settled()), 2)).toBe('accepted');
  });

  it('stays after the end', () => {
    const lane = after(on('ios'), taken(), settled('failed'), end(2));
    expect(restarted(lane, { notBeforeMs: t0, atMs: t0 })).toBe(lane);
  });
});

describe('a device that is removed', () => {
  const leaving: Step = (lane) => gone(lane, { code: 'device_removed', withFarewell: true, atMs: t0 });

  it('receives a farewell, and waiting operations fail', () => {
    const lane = after(on('android'), ...started, routine(2), leaving);
    expect(owed(lane)).toBe('update 2 failed');
    expect(lane.waiting).toMatchObject([{ kind: 'end', isFarewell: true }]);
    expect(sent(lane)).toBe('end 2');
    expect(farewellDone(taken()(lane)).waiting).toEqual([]);
    expect(leaving(lane)).toBe(lane);
  });

  it('receives nothing when it is unreachable, or never showed the activity', () => {
    expect(after(on('ios'), ...started, leaving).waiting).toEqual([]);
    expect(after(on('android'), leaving).waiting).toEqual([]);
  });

  it('gets no retry of the operation under way', () => {
    const lane = after(on('android'), ...started, milestone(2), taken(), leaving, putOff(t0 + 2_000));
    expect(order(lane)).toBe('end 2');
    expect(owed(lane)).toBe('update 2 failed');
  });

  it('shows the activity again when it registers again, with increasing sequences', () => {
    const lane = after(on('android'), ...started, routine(2), leaving, taken(), farewellDone, (one) =>
      restarted(one, { notBeforeMs: t0, atMs: t0 + 1_000 }),
    );
    expect(order(lane)).toBe('start 2');
    expect(lane.shift).toBe(2);
  });
});

describe('after a crash', () => {
  it('the operation under way is retried, and nothing before it', () => {
    const lane = after(on('android'), ...started, milestone(2), taken(), milestone(3), (one) =>
      released(one, t0),
    );
    expect(sent(lane, t0 + 1_000)).toBe('update 2');
  });

  it('the outcome in the log counts, and a repetition changes nothing', () => {
    const pushed = (one: Lane): Lane =>
      heard(one, { kind: 'update', sequence: 2, round: 0, outcome: 'accepted', errorCode: null }, t0);
    const lane = after(
      on('android'),
      ...started,
      routine(2),
      taken(t0 + 1_000),
      (one) => released(one, t0),
      routine(3),
    );
    expect(owed(lane)).toBe('update 2 superseded');
    const told = pushed(lane);
    expect(told.counts).toMatchObject({ accepted: 2, superseded: 0 });
    expect(pushed(told)).toBe(told);
  });
});

describe('the status of a lane', () => {
  it('is ready when the start was accepted and updates can be sent', () => {
    expect(isReady(on('android'))).toBe(false);
    expect(isReady(after(on('android'), ...started))).toBe(true);
    expect(isReady(after(on('ios'), ...started))).toBe(false);
    expect(isReady(after(on('ios'), ...started, token()))).toBe(true);
    expect(isReady(after(on('android'), ...started, end(2), taken(), settled()))).toBe(false);
  });

  it('includes each change while it waits and afterwards', () => {
    const lane = after(on('android'), ...started, routine(2));
    expect([1, 2, 3].map((sequence) => statusOf(lane, sequence))).toEqual(['accepted', 'queued', undefined]);
  });
});
