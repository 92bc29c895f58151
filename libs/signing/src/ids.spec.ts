import fc from 'fast-check';
import { createdBetween, deriveId, isId, newId, streamTail, uuidV5 } from './ids';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const someTime = Date.UTC(2026, 10, 20, 17, 29);
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });

/** The UUID that the 26 characters of an id stand for. */
const uuidOf = (id: string): string => {
  let bits = 0n;
  for (const letter of id.slice(id.indexOf('_') + 1)) bits = bits * 32n + BigInt(alphabet.indexOf(letter));
  return bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
const timeOf = (id: string): number => Number.parseInt(uuidOf(id).replace('-', '').slice(0, 12), 16);
const v7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a new id', () => {
  it('is its prefix and a UUIDv7 in base32', () =>
    fc.assert(
      fc.property(time, (at) => {
        const id = newId('tok', at);
        expect(id).toMatch(/^tok_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(uuidOf(id)).toMatch(v7);
        expect(timeOf(id)).toBe(at);
        expect(isId(id)).toBe(true);
      }),
    ));
  it('sorts by its time', () =>
    fc.assert(
      fc.property(time, time, (one, other) => {
        const [a, b] = [newId('tok', one), newId('tok', other)];
        if (one !== other) expect(a < b).toBe(one < other);
      }),
    ));
  it('is another one every time', () => {
    const ids = new Set(Array.from({ length: 5000 }, () => newId('tok', someTime)));
    expect(ids.size).toBe(5000);
  });
  it('takes every value at every random position', () => {
    const seen = Array.from({ length: 16 }, () => new Set<string>());
    for (let count = 0; count < 3000; count += 1)
      [...streamTail(newId('tok', someTime))].forEach((letter, index) => seen[index]!.add(letter));
    // Version and one random bit; random bit, variant, two random bits.
    expect(seen.map((letters) => letters.size)).toEqual([
      2,
      32,
      32,
      8,
      ...Array.from({ length: 12 }, () => 32),
    ]);
  });
  it.each([-1, 1.5, Number.NaN, 2 ** 48])('has no time %d', (at) =>
    expect(() => newId('tok', at)).toThrow(RangeError),
  );
});

describe('resources with ids', () => {
  const dayMs = 24 * 60 * 60 * 1000;
  it('were created within a day of the times in them', () => {
    const ids = [someTime, someTime + 5_000, someTime - 7_000].map((at) => newId('evt', at));
    expect(createdBetween(ids)).toEqual({
      from: new Date(someTime - 7_000 - dayMs),
      to: new Date(someTime + 5_000 + dayMs),
    });
  });
  it.each(['', 'nonsense', 'evt_1', `${newId('evt', someTime)}0`])(
    'were created at any time if "%s" is one',
    (id) => {
      const { from, to } = createdBetween([newId('evt', someTime), id]);
      expect([from.getTime(), to.getUTCFullYear()]).toEqual([0, 9999]);
    },
  );
  it('have times that Postgres reads, whatever is in the id', () => {
    const { from, to } = createdBetween([newId('evt', 2 ** 48 - 1)]);
    expect([from.getUTCFullYear(), to.getUTCFullYear()]).toEqual([9999, 9999]);
    expect(createdBetween([newId('evt', 0)]).from).toEqual(new Date(0));
  });
});

describe('a derived id', () => {
  const parts = fc.array(fc.string(), { maxLength: 4 });
  it('has a tail that follows from its parts alone', () =>
    fc.assert(
      fc.property(time, time, parts, (one, other, of) => {
        const [a, b] = [deriveId('dev', one, ...of), deriveId('anot', other, ...of)];
        expect(streamTail(a)).toBe(streamTail(b));
        expect([timeOf(a), timeOf(b)]).toEqual([one, other]);
        expect(uuidOf(a)).toMatch(v7);
        expect(isId(a, 'dev')).toBe(true);
      }),
    ));
  it('has another tail for other parts', () =>
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(streamTail(deriveId('a', 0, ...one)) === streamTail(deriveId('a', 0, ...other))).toBe(same);
      }),
    ));
  it('tells parts from their joints', () => {
    const tails = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc']].map((of) =>
      streamTail(deriveId('a', someTime, ...of)),
    );
    expect(new Set(tails).size).toBe(5);
  });
  it('stays the same for ever: streams are found by it', () =>
    expect(deriveId('dev', someTime, 'usr_1', 'install-1')).toBe('dev_01m7x027v0e8386mh6w8w6ee2r'));
});

describe('the form of an id', () => {
  const id = newId('tok', someTime);
  it('knows its prefix', () => {
    expect(isId(id, 'tok')).toBe(true);
    expect(isId(id, 'to')).toBe(false);
    expect(isId(`x${id}`, 'tok')).toBe(false);
  });
  it.each([
    '',
    'tok_',
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    `${id}\n`,
    id.replace('_', '-'),
    `${id.slice(0, -1)}u`,
    `tok_8${id.slice(5)}`,
    `tok_${'0'.repeat(26)}`,
    `notification:${id}`,
    undefined,
    5,
  ])('%j is none', (text) => expect(isId(text)).toBe(false));
  it('has a tail whatever the text', () => {
    expect(streamTail('short')).toBe('short');
    expect(streamTail(`notification:${id}`)).toBe(id.slice(-16));
  });
});

describe('a UUIDv5', () => {
  it('is the one that the standard gives', () =>
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    ));
  it('takes any text for a namespace', () => {
    expect(uuidV5('cmd_1', 'a')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(uuidV5('cmd_1', 'a')).toBe(uuidV5('cmd_1', 'a'));
    expect(
      new Set([uuidV5('cmd_1', 'a'), uuidV5('cmd_1', 'b'), uuidV5('cmd_2', 'a'), uuidV5('cmd_1a', '')]).size,
    ).toBe(4);
  });
});
