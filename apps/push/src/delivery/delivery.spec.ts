import type { PushCleared, PushReceipt, PushReceiptsNoted, PushReported } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import type { PushOutcome, OutcomeClass } from '../transport/transport';
import { DeadTokens } from './dead-tokens';
import {
  begun,
  delivery,
  endClearing,
  type Facts,
  furtherOf,
  furtherReceipts,
  next,
  noteReceipts,
  type TaskProgress,
  recordClearing,
  report,
  reportSettled,
  type NextStep,
} from './delivery';

const at = '2026-11-20T09:00:00.000Z';
const receipt = (deviceId: string, status: PushReceipt['status']): PushReceipt => ({
  id: `rcp_${deviceId}`,
  deviceId,
  status,
  errorCode: null,
  checkedAt: at,
});
const reported = (final: boolean, ...receipts: PushReceipt[]): PushReported => ({
  type: 'PushReported',
  subjectId: 'anot_1',
  accountId: 'usr_1',
  accepted: receipts.filter(({ status }) => status === 'accepted').length,
  receipts,
  final,
  reportedAt: at,
});
const cleared = (reached: number, count: number): PushCleared => ({
  type: 'PushCleared',
  subjectId: 'anot_1',
  accountId: 'usr_1',
  reached,
  cleared: count,
  clearedAt: at,
});
const reporting = (final: boolean, ...receipts: PushReceipt[]) =>
  report({ subjectId: 'anot_1', accountId: 'usr_1', receipts, final, at });
const clearing = (reached: number, count: number) =>
  recordClearing({ subjectId: 'anot_1', accountId: 'usr_1', reached, cleared: count, at });

describe('reporting a push', () => {
  const both = [receipt('dev_1', 'accepted'), receipt('dev_2', 'error')];
  const one = [receipt('dev_1', 'accepted'), receipt('dev_2', 'pending')];

  it('counts what the providers accepted', () =>
    given(delivery)
      .when(reporting(true, ...both))
      .then(reported(true, ...both)));
  it('repeats the recipients', () => {
    const recipients = ['usr_2'];
    given(delivery)
      .when(report({ subjectId: 'anot_1', accountId: 'usr_1', recipients, receipts: both, final: true, at }))
      .then({ ...reported(true, ...both), recipients });
  });
  it('does nothing the second time', () =>
    given(delivery, reported(true, ...both))
      .when(reporting(true, ...both))
      .thenNothing());
  it('records the interim state once', () => {
    given(delivery)
      .when(reporting(false, ...one))
      .then(reported(false, ...one));
    given(delivery, reported(false, ...one))
      .when(reporting(false, ...both))
      .thenNothing();
  });
  it('records the final state later', () =>
    given(delivery, reported(false, ...one))
      .when(reporting(true, ...both))
      .then(reported(true, ...both)));
  it('does not return from final to interim', () =>
    given(delivery, reported(true, ...both))
      .when(reporting(false, ...one))
      .thenNothing());
  it('records what settles after the first report, once, and only then', () => {
    const settled = (...receipts: PushReceipt[]) =>
      reportSettled({ subjectId: 'anot_1', accountId: 'usr_1', receipts, at });
    const none = [receipt('dev_1', 'pending'), receipt('dev_2', 'pending')];
    given(delivery)
      .when(settled(...one))
      .thenNothing();
    given(delivery, reported(false, ...none))
      .when(settled(...one))
      .then(reported(false, ...one));
    given(delivery, reported(false, ...none), reported(false, ...one))
      .when(settled(...one))
      .thenNothing();
    given(delivery, reported(true, ...both))
      .when(settled(...one))
      .thenNothing();
  });
  it('never takes the settled receipts of rows from an older backup as news', () =>
    given(delivery, reported(false, ...one))
      .when(
        reportSettled({
          subjectId: 'anot_1',
          accountId: 'usr_1',
          receipts: [receipt('dev_1', 'pending'), receipt('dev_2', 'error')],
          at,
        }),
      )
      .thenNothing());
  it('keeps the count of the first report', () => {
    const state = [reported(false, ...one), reported(true, ...both.slice(1))].reduce(
      delivery.evolve,
      delivery.initial,
    );
    expect(state).toMatchObject({ reported: 1, final: true, receipts: both.slice(1) });
  });
});

describe('clearing a push', () => {
  const sent = reported(true, receipt('dev_1', 'accepted'));

  it('is recorded', () => given(delivery, sent).when(clearing(1, 1)).then(cleared(1, 1)));
  it('does nothing the second time', () =>
    given(delivery, sent, cleared(1, 1)).when(clearing(1, 1)).thenNothing());
  it('records nothing when no provider accepted it', () =>
    given(delivery, sent).when(clearing(2, 0)).thenNothing());
  it('does not make the report of a pending push final', () =>
    given(delivery, cleared(1, 1))
      .when(reporting(true, receipt('dev_1', 'accepted')))
      .then(reported(true, receipt('dev_1', 'accepted'))));
});

describe('the report of a push to many devices', () => {
  const many = Array.from({ length: 1_234 }, (_, n) => receipt(`dev_${n}`, n % 2 ? 'accepted' : 'error'));
  const noting = (receipts: readonly PushReceipt[]) =>
    noteReceipts({ subjectId: 'anot_1', accountId: 'usr_1', receipts, at });
  const noted = (receipts: readonly PushReceipt[]): PushReceiptsNoted => ({
    type: 'PushReceiptsNoted',
    subjectId: 'anot_1',
    accountId: 'usr_1',
    receipts,
    notedAt: at,
  });

  it('has the first 500 receipts, and the count of all', () =>
    given(delivery)
      .when(reporting(true, ...many))
      .then({ ...reported(true, ...many), receipts: many.slice(0, 500), targets: 1_234 }));

  it('has the others in preceding events of 500', () => {
    expect(furtherOf(many).map(({ length }) => length)).toEqual([500, 234]);
    expect(furtherOf(many).flat()).toEqual(many.slice(500));
    expect(furtherOf(many.slice(0, 500))).toEqual([]);
  });

  it('records each receipt once', () => {
    const [first, second] = furtherOf(many) as [PushReceipt[], PushReceipt[]];
    given(furtherReceipts).when(noting(first)).then(noted(first));
    given(furtherReceipts, noted(first)).when(noting(first)).thenNothing();
    given(furtherReceipts, noted(first))
      .when(noting([...first, ...second]))
      .then(noted(second));
  });
});

const hour = 3_600_000;
const now = Date.parse(at);
const facts: Facts = {
  provider: 'apns',
  tokenSinceMs: now - hour,
  nowMs: now,
  expiresAtMs: now + 24 * hour,
  chance: 0.5,
};
const after = (
  outcome: PushOutcome | OutcomeClass,
  { progress = {}, ...more }: { progress?: Partial<TaskProgress> } & Partial<Facts> = {},
): NextStep =>
  next({ ...begun, ...progress }, typeof outcome === 'string' ? { class: outcome, reason: 'Why' } : outcome, {
    ...facts,
    ...more,
  });

describe('a provider’s answer', () => {
  it('accepted: done', () =>
    expect(after('accepted')).toEqual({ to: 'settled', status: 'accepted', errorCode: null }));

  it('not sent: three immediate retries, then with backoff', () => {
    expect([0, 1, 2].map((quick) => after('not_sent', { progress: { quick } }))).toEqual([
      { to: 'try_again', afterMs: 20, progress: { ...begun, quick: 1 } },
      { to: 'try_again', afterMs: 80, progress: { ...begun, quick: 2 } },
      { to: 'try_again', afterMs: 180, progress: { ...begun, quick: 3 } },
    ]);
    expect(after('not_sent', { progress: { quick: 3 } })).toEqual({
      to: 'wait',
      afterMs: 2_000,
      progress: { ...begun, failures: 1 },
    });
  });

  it('ambiguous: retried after a backoff, and remembered', () =>
    expect(after('ambiguous')).toEqual({
      to: 'wait',
      afterMs: 2_000,
      progress: { ...begun, failures: 1, ambiguous: true },
    }));

  it('ambiguous until it expires: unknown', () =>
    expect(after('ambiguous', { expiresAtMs: now + 1_000 })).toEqual({
      to: 'settled',
      status: 'unknown',
      errorCode: 'Why',
      late: true,
    }));

  it('our token has expired: one retry with a new one, then the credential is held', () => {
    expect(after('provider_token')).toEqual({
      to: 'try_again',
      afterMs: 0,
      progress: { ...begun, renewals: 1 },
    });
    expect(after('provider_token', { progress: { renewals: 1 } })).toEqual({ to: 'hold' });
  });

  it('Google rejects a new token too: a doubt, since the address may be the cause', () => {
    expect(after('provider_token', { provider: 'fcm' })).toMatchObject({ to: 'try_again' });
    expect(after('provider_token', { provider: 'fcm', progress: { renewals: 1 } })).toEqual({
      to: 'doubt',
      progress: { ...begun, failures: 1 },
    });
  });

  it('throttled: the requested delay, else a minute, doubled each time', () => {
    const wait = (throttles: number, outcome: PushOutcome) =>
      after(outcome, { progress: { throttles } }) as { to: string; afterMs: number };
    expect(wait(0, { class: 'throttled', retryAfterMs: 7_000 }).afterMs).toBe(7_000);
    expect([0, 1, 2, 9].map((throttles) => wait(throttles, { class: 'throttled' }).afterMs)).toEqual([
      60_000, 120_000, 240_000, 3_600_000,
    ]);
    expect(wait(0, { class: 'throttled' })).toMatchObject({
      to: 'wait',
      progress: { throttles: 1, failures: 0 },
    });
  });

  it.each([
    ['apns', [2_000, 10_000, 915_000, 915_000]],
    ['fcm', [10_000, 60_000, 915_000, 915_000]],
  ] as const)(
    'trouble of its own (%s): two short pauses, then a quarter of an hour each',
    (provider, pauses) =>
      expect(
        [0, 1, 2, 50].map(
          (failures) =>
            (after('server', { provider, progress: { failures } }) as { afterMs: number }).afterMs,
        ),
      ).toEqual(pauses),
  );

  it('server error with a delay: that delay', () =>
    expect(after({ class: 'server', retryAfterMs: 33_000 })).toMatchObject({ to: 'wait', afterMs: 33_000 }));

  it('server error that outlasts the push: an error', () =>
    expect(after('server', { expiresAtMs: now + 2_000 })).toEqual({
      to: 'settled',
      status: 'error',
      errorCode: 'Why',
      late: true,
    }));

  it.each(['config', 'throttled_key'] as const)(
    '%s: the credential is held, no token is deactivated',
    (kind) => expect(after(kind)).toEqual({ to: 'hold' }),
  );

  it('either our credential or this token: a doubt, no token is deactivated', () =>
    expect(after('config_doubtful')).toEqual({ to: 'doubt', progress: { ...begun, failures: 1 } }));

  it('the token is dead: the device is deactivated', () => {
    const retired = { to: 'settled', status: 'error', errorCode: 'Why', retire: 'unregistered' };
    expect(after('token_dead')).toEqual(retired);
    expect(after({ class: 'token_dead', reason: 'Why', deadSince: now - hour })).toEqual(retired);
  });

  it('the token was dead before the app registered it again: the device is kept', () =>
    expect(after({ class: 'token_dead', reason: 'Why', deadSince: now - hour - 1 })).toEqual({
      to: 'settled',
      status: 'error',
      errorCode: 'Why',
    }));

  it('the token is invalid: the device is deactivated', () =>
    expect(after('token_suspect')).toEqual({
      to: 'settled',
      status: 'error',
      errorCode: 'Why',
      retire: 'bad_token',
    }));

  it('our request is invalid: an alarm and no retry', () =>
    expect(after('rejected')).toEqual({ to: 'settled', status: 'error', errorCode: 'Why', alarm: true }));
});

describe('dead tokens', () => {
  const dead = (n: number, accountId = 'usr_1') => ({ deviceId: `dev_${n}`, accountId });
  const say = (tokens: DeadTokens, count: number, { from = 0, accountId = 'usr_1' } = {}) =>
    Array.from({ length: count }, (_, n) => tokens.believe('fcm', dead(from + n, accountId), now));

  it('are believed one by one', () => expect(say(new DeadTokens(), 4)).toEqual([true, true, true, true]));

  it('are not believed when most pushes are reported dead', () => {
    const tokens = new DeadTokens();
    expect(say(tokens, 6).at(-1)).toBe(false);
    expect(tokens.believe('apns sandbox', dead(1), now)).toBe(true);
  });

  it('are believed among many live tokens', () => {
    const tokens = new DeadTokens();
    for (let n = 0; n < 100; n += 1) tokens.taken('fcm', 'usr_1', now);
    expect(say(tokens, 20).every(Boolean)).toBe(true);
  });

  it('of one device count once', () => {
    const tokens = new DeadTokens();
    for (let n = 0; n < 20; n += 1) expect(tokens.believe('fcm', dead(1), now)).toBe(true);
  });

  it('are believed again in the next window', () => {
    const tokens = new DeadTokens();
    say(tokens, 20);
    expect(tokens.believe('fcm', dead(99), now + 600_000)).toBe(true);
  });

  it('that one account has invented do not discredit those of the others', () => {
    const tokens = new DeadTokens();
    tokens.taken('fcm', 'usr_2', now);
    tokens.taken('fcm', 'usr_3', now);
    expect(say(tokens, 500)).not.toContain(false);
    expect(tokens.believe('fcm', dead(501, 'usr_4'), now)).toBe(true);
  });

  it('of many accounts are not believed merely because some of their tokens still live', () => {
    const tokens = new DeadTokens();
    for (const accountId of ['usr_1', 'usr_2', 'usr_3']) tokens.taken('fcm', accountId, now);
    const said = ['usr_1', 'usr_2', 'usr_3'].flatMap((accountId, n) =>
      say(tokens, 4, { from: n * 10, accountId }),
    );
    expect(said.at(-1)).toBe(false);
  });
});

describe('the end of a clearing', () => {
  const ending = (reached: number, count: number) =>
    endClearing({ subjectId: 'anot_1', accountId: 'usr_1', reached, cleared: count, at });

  it('is recorded with its counts', () => given(delivery).when(ending(2, 1)).then(cleared(2, 1)));
  it('is recorded even when no phone received the push', () =>
    given(delivery).when(ending(0, 0)).then(cleared(0, 0)));
  it('does nothing the second time', () => given(delivery, cleared(2, 1)).when(ending(2, 2)).thenNothing());
  it('adds the counts of the phones that a withdrawal left', () => {
    const left = { ...cleared(2, 1), left: ['dev_3'] };
    given(delivery)
      .when(
        recordClearing({
          subjectId: 'anot_1',
          accountId: 'usr_1',
          reached: 2,
          cleared: 1,
          left: ['dev_3'],
          at,
        }),
      )
      .then(left);
    given(delivery, left).when(ending(1, 1)).then(cleared(3, 2));
    given(delivery, left, cleared(3, 2)).when(ending(1, 1)).thenNothing();
    given(delivery, left).when(clearing(2, 2)).thenNothing();
  });
});
