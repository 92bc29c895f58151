import fc from 'fast-check';
import type { StoredEvent } from './record';
import { Tail } from './tail';

const event = (position: number, size = 10, stream = 's'): StoredEvent => ({
  position,
  stream,
  type: 'T',
  bytes: Buffer.alloc(size),
});

describe('the newest events in memory', () => {
  it('are given from any position on, in order', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 0, max: 1100 }),
        fc.integer({ min: 1, max: 60 }),
        (unordered, from, limit) => {
          const positions = [...unordered].sort((a, b) => a - b);
          const tail = new Tail();
          tail.add(positions.map((position) => event(position)));
          const given = tail.forwards(from, limit)?.map((each) => each.position);
          if (from < positions[0]!) expect(given).toBeUndefined();
          else expect(given).toEqual(positions.filter((position) => position >= from).slice(0, limit));
        },
      ),
    ));

  it('do not reach back for ever, whether they are many or large', () => {
    const many = new Tail();
    for (let n = 0; n < 100_000; n++) many.add([event(n)]);
    expect(many.forwards(0, 10)).toBeUndefined();
    expect(many.forwards(99_990, 100)).toHaveLength(10);

    const large = new Tail();
    for (let n = 0; n < 100; n++) large.add([event(n, 1024 * 1024)]);
    expect(large.forwards(60, 10)).toBeUndefined();
    expect(large.forwards(95, 10)).toHaveLength(5);
  });
});

describe('waiting for the next commit', () => {
  const woken = async (wait: Promise<void>) =>
    Promise.race([wait.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]);
  const forever = new AbortController().signal;

  it('ends with any commit, or with one of the stream waited for', async () => {
    const tail = new Tail();
    const [any, mine, other] = [tail.next(forever), tail.next(forever, 'mine'), tail.next(forever, 'other')];
    tail.ring([event(1, 1, 'mine')]);
    expect(await woken(any)).toBe(true);
    expect(await woken(mine)).toBe(true);
    expect(await woken(other)).toBe(false);
    tail.ring([event(2, 1, 'other')]);
    expect(await woken(other)).toBe(true);
  });

  it('ends when the reader goes', async () => {
    const tail = new Tail();
    const reader = new AbortController();
    const [any, mine] = [tail.next(reader.signal), tail.next(reader.signal, 'mine')];
    reader.abort();
    expect(await woken(any)).toBe(true);
    expect(await woken(mine)).toBe(true);
    expect(await woken(tail.next(reader.signal))).toBe(true);
  });
});
