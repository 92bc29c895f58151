import { Extent } from './extent';
import { newEvents, someStream } from './event-store.contract.spec';
import { inMemoryEventStore } from './in-memory';

describe('the position before the newest events of a log', () => {
  let nowMs = 0;
  const store = inMemoryEventStore(() => nowMs);
  const positions: bigint[] = [];
  const { signal } = new AbortController();
  const before = (newest: object): Promise<bigint> =>
    new Extent(store).beforeNewest({ sinceMs: 0, most: Infinity, counts: () => true, signal, ...newest });

  beforeAll(async () => {
    const stream = someStream();
    for (let minute = 0; minute < 1_200; minute += 1) {
      nowMs = minute * 60_000;
      const expected = minute === 0 ? 'no_stream' : BigInt(minute - 1);
      positions.push((await store.append(stream, newEvents(1), expected)).position);
    }
  });

  it('is that of the last event that is older than a time, beyond the first page too', async () => {
    expect(await before({ sinceMs: 1_199 * 60_000 })).toBe(positions[1_198]);
    expect(await before({ sinceMs: 30 * 60_000 })).toBe(positions[29]);
    expect(await before({ sinceMs: 1_200 * 60_000 })).toBe(positions[1_199]);
  });

  it('is the start where no event is older', async () => expect(await before({})).toBe(0n));

  it('leaves out more than so many that count', async () => {
    expect(await before({ most: 1 })).toBe(positions[1_198]);
    const even = new Set(positions.filter((_, index) => index % 2 === 0));
    const counts = ({ position }: { position: bigint }): boolean => even.has(position);
    expect(await before({ most: 2, counts })).toBe(positions[1_195]);
  });

  it('is not looked for any longer once nobody wants it', () =>
    expect(before({ signal: AbortSignal.abort() })).rejects.toThrow());
});
