import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { KeyRing, openWith, SealBroken, sealWith } from './sealing';

const base64 = (): string => randomBytes(32).toString('base64');
const key = randomBytes(32);
const [first, second] = [`k1:${base64()}`, `k2:${base64()}`];
const ring = KeyRing.parse(first);
const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));

/** The sealed text with one bit of one of its binary parts flipped. */
const flipped = (sealed: string, part: number, bit: number): string => {
  const parts = sealed.split('.');
  const bytes = Buffer.from(parts[part]!, 'base64url');
  const at = (bit >> 3) % bytes.length;
  bytes[at] = bytes[at]! ^ (1 << (bit & 7));
  parts[part] = bytes.toString('base64url');
  return parts.join('.');
};

const sealers: [
  string,
  (plain: Buffer | string, aad: string) => string,
  (sealed: string, aad: string) => Buffer,
  number[],
][] = [
  [
    'a key',
    (plain, aad) => sealWith(key, plain, aad),
    (sealed, aad) => openWith(key, sealed, aad),
    [1, 2, 3],
  ],
  ['a ring', (plain, aad) => ring.seal(plain, aad), (sealed, aad) => ring.open(sealed, aad), [2, 3, 4, 5]],
];

describe.each(sealers)('what is sealed with %s', (_, seal, open, parts) => {
  const sealed = seal('a secret', 'usr_1');

  it('opens as it was', () => {
    expect(open(sealed, 'usr_1').toString()).toBe('a secret');
    fc.assert(
      fc.property(anyBytes, fc.string(), (plain, aad) => expect(open(seal(plain, aad), aad)).toEqual(plain)),
    );
  });
  it('is another text every time', () => {
    expect(seal('a secret', 'usr_1')).not.toBe(sealed);
    expect(sealed).toMatch(/^v1\.[A-Za-z0-9_.-]+$/);
    expect(sealed).not.toContain('secret');
  });
  it('does not open in another context', () => expect(() => open(sealed, 'usr_2')).toThrow(SealBroken));
  it('does not open when any bit is flipped', () =>
    fc.assert(
      fc.property(fc.constantFrom(...parts), fc.nat(10_000), (part, bit) => {
        expect(() => open(flipped(sealed, part, bit), 'usr_1')).toThrow(SealBroken);
      }),
    ));
  it('does not open when any letter is changed', () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(() => open(other, 'usr_1')).toThrow(SealBroken);
    }
  });
  it('does not open with a shortened tag', () => {
    const cut = sealed.split('.');
    const tag = cut.length - 2;
    cut[tag] = Buffer.from(cut[tag]!, 'base64url').subarray(0, 4).toString('base64url');
    expect(() => open(cut.join('.'), 'usr_1')).toThrow(SealBroken);
  });
  it.each([
    '',
    'v1',
    'v1...',
    'v1.....',
    'v2.a.b.c',
    'v1.a.b.c',
    'v1.k1.b.c.d.e',
    `${sealed}.`,
    `${sealed}=`,
    ` ${sealed}`,
  ])('%j does not open', (text) => expect(() => open(text, 'usr_1')).toThrow(SealBroken));
});

describe('a ring', () => {
  const sealed = ring.seal('a secret', 'usr_1');
  const rotated = KeyRing.parse(`${second},${first}`);

  it('seals with its newest key and opens with all', () => {
    expect(sealed.split('.')[1]).toBe('k1');
    expect(rotated.open(sealed, 'usr_1').toString()).toBe('a secret');
    expect(rotated.seal('a', '').split('.')[1]).toBe('k2');
  });
  it('does not open with a key that it has no more', () =>
    expect(() => KeyRing.parse(second).open(sealed, 'usr_1')).toThrow(
      'The ring has no key of the id that sealed this',
    ));
  it('does not open what says that another key sealed it', () =>
    expect(() => rotated.open(sealed.replace('.k1.', '.k2.'), 'usr_1')).toThrow(SealBroken));
  it('does not open another key of the same id', () =>
    expect(() => KeyRing.parse(`k1:${base64()}`).open(sealed, 'usr_1')).toThrow(SealBroken));
  it('may be written with spaces', () =>
    expect(KeyRing.parse(` ${second} , ${first} `).open(sealed, 'usr_1').toString()).toBe('a secret'));
  it.each([
    ['', 'needs an id'],
    [base64(), 'needs an id'],
    ['k.1:AAAA', 'needs an id'],
    [`k1:${randomBytes(16).toString('base64')}`, 'exactly 32 bytes'],
    ['k1', 'exactly 32 bytes'],
    [`${first}:x`, 'exactly 32 bytes'],
    [`${first},${first}`, 'two keys named "k1"'],
    [`${first},`, 'needs an id'],
  ])('%j is none', (text, message) => expect(() => KeyRing.parse(text)).toThrow(message));
  it('is never quoted in an error', () => {
    const secret = randomBytes(31).toString('base64');
    expect(() => KeyRing.parse(`k1:${secret}`)).toThrow(
      expect.not.stringContaining(secret.slice(0, 8)) as unknown as Error,
    );
  });
});
