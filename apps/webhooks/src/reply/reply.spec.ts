import type { ReplyEvent } from '@carillon/contracts';
import { fold, plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { cancel, isWaiting, type AttemptOutcome, recordAttempt, reply, resend } from './reply';

const at = '2026-11-20T09:00:00.000Z';
const named = { deliveryId: 'whd_1', webhookId: 'whk_1', accountId: 'usr_1' };

const ok: AttemptOutcome = { error: null, responseCode: 204, latencyMs: 12, retryAfterMs: null };
const broken: AttemptOutcome = { error: 'http_status', responseCode: 500, latencyMs: 12, retryAfterMs: null };
const attempt = (number: number, outcome: AttemptOutcome) =>
  recordAttempt({ ...named, attempt: number, outcome, at, chance: 0.5 });

const attempted = (number: number, more: Partial<Extract<ReplyEvent, { type: 'ReplyAttempted' }>> = {}) =>
  ({
    type: 'ReplyAttempted',
    ...named,
    attempt: number,
    status: 'retrying',
    responseCode: 500,
    error: 'http_status',
    latencyMs: 12,
    nextAttemptAt: plus(at, 5_012),
    attemptedAt: at,
    ...more,
  }) as const satisfies ReplyEvent;
const delivered = (number: number) =>
  attempted(number, { status: 'delivered', responseCode: 204, error: null, nextAttemptAt: null });
const failed = (number: number) => attempted(number, { status: 'failed', nextAttemptAt: null });
const nine = Array.from({ length: 9 }, (_, index) => attempted(index + 1));
const canceled: ReplyEvent = { type: 'ReplyCanceled', ...named, reason: 'disabled', canceledAt: at };
const resent: ReplyEvent = { type: 'ReplyResent', ...named, resentAt: at };

const after = (...events: ReplyEvent[]) => fold(reply, events);

describe('a delivery that was queued', () => {
  it('is pending, without an attempt', () => {
    expect(after()).toEqual({ status: 'pending', attempts: 0, tries: 0, resends: 0, nextAttemptAt: null });
  });
});

describe('an attempt that is answered 2xx', () => {
  it('delivers what was pending', () => {
    given(reply).when(attempt(1, ok)).then(delivered(1));
    expect(after(delivered(1))).toMatchObject({ status: 'delivered', attempts: 1, nextAttemptAt: null });
  });

  it('delivers what was retrying', () => given(reply, attempted(1)).when(attempt(2, ok)).then(delivered(2)));

  it('delivers with the last attempt too', () =>
    given(reply, ...nine)
      .when(attempt(10, ok))
      .then(delivered(10)));

  it('is written down once', () => given(reply, delivered(1)).when(attempt(1, ok)).thenNothing());
});

describe('an attempt that fails', () => {
  it('is followed by another', () => {
    given(reply).when(attempt(1, broken)).then(attempted(1));
    expect(after(attempted(1))).toMatchObject({
      status: 'retrying',
      attempts: 1,
      nextAttemptAt: plus(at, 5_012),
    });
  });

  it('pauses longer each time, from when it was over', () => {
    given(reply, attempted(1))
      .when(attempt(2, broken))
      .then(attempted(2, { nextAttemptAt: plus(at, 300_012) }));
  });

  it('is the end when it was the tenth', () => {
    given(reply, ...nine)
      .when(attempt(10, broken))
      .then(failed(10));
    expect(after(...nine, failed(10))).toMatchObject({ status: 'failed', attempts: 10, nextAttemptAt: null });
  });

  it('is the end at once when the receiver is gone', () => {
    const gone = { ...broken, responseCode: 410 };
    given(reply)
      .when(attempt(1, gone))
      .then(attempted(1, { status: 'failed', responseCode: 410, nextAttemptAt: null }));
  });

  it('leaves the receiver alone for as long as it asks', () => {
    const busy = { ...broken, responseCode: 503, retryAfterMs: 60_000 };
    given(reply)
      .when(attempt(1, busy))
      .then(attempted(1, { responseCode: 503, nextAttemptAt: plus(at, 60_012) }));
  });

  it('is written down once', () => given(reply, attempted(1)).when(attempt(1, broken)).thenNothing());
});

describe('canceling', () => {
  const disable = cancel({ ...named, reason: 'disabled', resends: 0, at });

  it('ends what was pending', () => given(reply).when(disable).then(canceled));
  it('ends what was retrying', () => given(reply, attempted(1)).when(disable).then(canceled));
  it('says when the endpoint was deleted', () =>
    given(reply)
      .when(cancel({ ...named, reason: 'deleted', resends: 0, at }))
      .then({ ...canceled, reason: 'deleted' }));
  it('does nothing the second time', () => given(reply, canceled).when(disable).thenNothing());
  it('does not end what was sent once more meanwhile', () =>
    given(reply, attempted(1), resent).when(disable).thenNothing());
  it('ends what was sent once more before', () =>
    given(reply, attempted(1), resent)
      .when(cancel({ ...named, reason: 'disabled', resends: 1, at }))
      .then(canceled));
});

describe('what is over', () => {
  it.each<[string, ReplyEvent[]]>([
    ['delivered', [delivered(1)]],
    ['failed', [...nine, failed(10)]],
    ['canceled', [attempted(1), canceled]],
  ])('stays %s whatever comes', (_, events) => {
    given(reply, ...events)
      .when(attempt(11, ok))
      .thenNothing();
    given(reply, ...events)
      .when(attempt(11, broken))
      .thenNothing();
    given(reply, ...events)
      .when(cancel({ ...named, reason: 'deleted', resends: 0, at }))
      .thenNothing();
    expect(isWaiting(after(...events))).toBe(false);
  });
});

describe('sending once more', () => {
  const again = resend({ ...named, at });

  it.each<[string, ReplyEvent[]]>([
    ['was delivered', [delivered(1)]],
    ['failed', [...nine, failed(10)]],
    ['was canceled', [canceled]],
    ['waits for a later attempt', [attempted(1)]],
  ])('restarts a delivery that %s', (_, events) => {
    given(reply, ...events)
      .when(again)
      .then(resent);
    expect(after(...events, resent)).toMatchObject({ status: 'pending', tries: 0, nextAttemptAt: at });
  });

  it('has ten attempts again, counted on', () => {
    const before = [...nine, failed(10), resent];
    given(reply, ...before)
      .when(attempt(11, broken))
      .then(attempted(11));
    const more = Array.from({ length: 9 }, (_, index) => attempted(index + 11));
    given(reply, ...before, ...more)
      .when(attempt(20, broken))
      .then(failed(20));
  });

  it('does nothing the second time', () => given(reply, failed(1), resent).when(again).thenNothing());
  it('does nothing while the first attempt is still to be made', () =>
    given(reply).when(again).thenNothing());
});

describe('a test', () => {
  it('is one attempt and over', () => {
    const tested: ReplyEvent = {
      type: 'ReplyTested',
      ...named,
      messageId: 'msg_1',
      replyType: 'interaction.answered',
      status: 'failed',
      responseCode: 500,
      error: 'http_status',
      latencyMs: 1,
      testedAt: at,
    };
    expect(after(tested)).toEqual({
      status: 'failed',
      attempts: 1,
      tries: 1,
      resends: 0,
      nextAttemptAt: null,
    });
    given(reply, tested).when(attempt(2, ok)).thenNothing();
  });
});
