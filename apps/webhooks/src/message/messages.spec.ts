import type { PulledMessage } from '@carillon/contracts';
import { firstRecent, pageOf } from './messages';

const message = (sequence: number, body = '{}'): PulledMessage => ({
  sequence,
  id: `msg_${sequence}`,
  timestamp: 1,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'carillon-webhooks/1',
    'webhook-id': `msg_${sequence}`,
    'webhook-timestamp': '1',
    'webhook-signature': 'v1,x',
    'carillon-sequence': String(sequence),
  },
  body,
});
const kept = (sequence: number, body?: string) => ({ sequence, message: message(sequence, body) });
const lost = (sequence: number) => ({ sequence, message: undefined });

describe('a page of messages', () => {
  it('has them in order, and where to go on', () =>
    expect(pageOf(0, [kept(1), kept(2)])).toEqual({
      messages: [message(1), message(2)],
      nextAfter: 2,
      gaps: [],
    }));

  it('names what is missing once, as the longest ranges', () => {
    const { messages, nextAfter, gaps } = pageOf(3, [lost(6), kept(7), lost(8), lost(9), kept(12), lost(13)]);
    expect(messages.map(({ sequence }) => sequence)).toEqual([7, 12]);
    expect(gaps).toEqual([
      { from: 4, to: 6 },
      { from: 8, to: 11 },
      { from: 13, to: 13 },
    ]);
    expect(nextAfter).toBe(13);
  });

  it('is empty, and stays where it was, when there is nothing', () => {
    expect(pageOf(4, [])).toEqual({ messages: [], nextAfter: 4, gaps: [] });
    expect(pageOf(4, [lost(4)])).toEqual({ messages: [], nextAfter: 4, gaps: [] });
  });

  it('ends with the message that fills it, and goes on after that', () => {
    const large = 'é'.repeat(10_000);
    const { messages, nextAfter } = pageOf(
      0,
      Array.from({ length: 25 }, (_, index) => kept(index + 1, large)),
    );
    expect(messages).toHaveLength(14);
    expect(nextAfter).toBe(14);
  });
});

describe('the first recent number', () => {
  it.each([1, 2, 500, 1_000, 1_001])(
    'is found among a thousand when it is %i, with few looks',
    async (is) => {
      let looks = 0;
      const found = await firstRecent(1, 1_000, (sequence) => {
        looks += 1;
        return Promise.resolve(sequence >= is);
      });
      expect(found).toBe(is);
      expect(looks).toBeLessThanOrEqual(10);
    },
  );
});
