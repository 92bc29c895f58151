import type { ReplyQueued } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { type OutboxEntry, hears, outbox, queue } from './outbox';

const entry = (source: bigint): OutboxEntry => ({
  webhookId: 'whk_1',
  accountId: 'usr_1',
  deliveryId: `whd_${source}`,
  messageId: `msg_${source}`,
  interactionId: `int_${source}`,
  replyType: 'interaction.answered',
  source,
  at: '2026-11-20T09:00:00.000Z',
});
const queued = (source: bigint, sequence: number): ReplyQueued => {
  const { at, ...rest } = entry(source);
  return { type: 'ReplyQueued', ...rest, sequence, source: String(source), queuedAt: at };
};

describe('an outbox', () => {
  it('counts from one, without gaps', () => {
    given(outbox)
      .when(queue(entry(100n)))
      .then(queued(100n, 1));
    given(outbox, queued(100n, 1))
      .when(queue(entry(250n)))
      .then(queued(250n, 2));
  });

  it('takes what happened once', () => {
    given(outbox, queued(100n, 1))
      .when(queue(entry(100n)))
      .thenNothing();
  });

  it('takes nothing from before its newest entry: that was judged before', () => {
    given(outbox, queued(100n, 1), queued(250n, 2))
      .when(queue(entry(100n)))
      .thenNothing();
    given(outbox, queued(250n, 1))
      .when(queue(entry(100n)))
      .thenNothing();
  });

  it('compares positions of the log as numbers, not as texts', () => {
    given(outbox, queued(999n, 1))
      .when(queue(entry(1000n)))
      .then(queued(1000n, 2));
  });

  it('is known from its newest entry alone', () => {
    const all = [queued(100n, 1), queued(250n, 2), queued(300n, 3)];
    expect(fold(outbox, all.slice(-1))).toEqual(fold(outbox, all));
  });
});

describe('an endpoint', () => {
  const endpoint = {
    id: 'whk_1',
    accountId: 'usr_1',
    enabled: true,
    events: ['interaction.answered', 'interaction.expired'] as const,
  };
  const answered = entry(1n);

  it('hears what it has subscribed to', () => expect(hears(endpoint, answered)).toBe(true));
  it('hears nothing else', () =>
    expect(hears(endpoint, { ...answered, replyType: 'interaction.canceled' })).toBe(false));
  it('hears nothing while it is disabled', () =>
    expect(hears({ ...endpoint, enabled: false }, answered)).toBe(false));
  it('hears nothing when it is deleted', () => expect(hears(null, answered)).toBe(false));
  it('hears nothing of another account', () =>
    expect(hears({ ...endpoint, accountId: 'usr_2' }, answered)).toBe(false));
  it('is not another one whose name in the log is the same', () =>
    expect(hears({ ...endpoint, id: 'whk_2' }, answered)).toBe(false));
});
