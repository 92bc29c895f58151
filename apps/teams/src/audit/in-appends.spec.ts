import type { ChainedRecord } from './chain.service';
import { inAppends } from './in-appends';

const told = (n: number, text = ''): ChainedRecord => ({
  said: {
    entryId: `aud_${n}`,
    at: '2026-11-20T09:00:00.000Z',
    action: 'team.updated',
    actorUserId: null,
    actorTokenId: null,
    target: null,
    actorName: null,
    ip: null,
    userAgent: null,
    metadata: { text },
  },
  why: { commandId: 'cmd', correlationId: 'story', actor: { process: 'test' } },
});
const many = (count: number, text?: string): ChainedRecord[] =>
  Array.from({ length: count }, (_, n) => told(n, text));

describe('entries of a chain', () => {
  it('are one piece when they are few and short, in their order', () => {
    expect(inAppends(many(200))).toEqual([many(200)]);
    expect(inAppends([])).toEqual([]);
  });

  it('are more pieces when they are many, and none is lost or moved', () => {
    const pieces = inAppends(many(450));
    expect(pieces.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(pieces.flat()).toEqual(many(450));
  });

  it('are more pieces when they are long, one by itself if need be', () => {
    const pieces = inAppends([...many(9, 'x'.repeat(100_000)), told(9, 'x'.repeat(900_000)), told(10)]);
    expect(pieces.map(({ length }) => length)).toEqual([3, 3, 3, 1, 1]);
  });
});
