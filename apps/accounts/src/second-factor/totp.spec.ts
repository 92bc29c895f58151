import * as fc from 'fast-check';
import { generateSync } from 'otplib';
import { base32, codeAt, fromBase32, keyUri, stepOf } from './totp';

/** RFC 6238, Appendix B: the seed of SHA-1, and the last six of its eight digits. */
const seed = Buffer.from('12345678901234567890');
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

it.each(vectors)('the code at %i seconds is that of RFC 6238', (seconds, code) =>
  expect(codeAt(seed, Math.floor(seconds / 30))).toBe(code),
);

it('a code is that of another implementation, for any key at any time', () =>
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 20, maxLength: 20 }),
      fc.integer({ min: 0, max: 20_000_000_000 }),
      (bytes, seconds) => {
        const key = Buffer.from(bytes);
        expect(codeAt(key, Math.floor(seconds / 30))).toBe(
          generateSync({ secret: base32(key), epoch: seconds }),
        );
      },
    ),
  ));

it('a code is good in its step and in the one before and after', () => {
  const atMs = 1_111_111_109_000;
  const step = Math.floor(atMs / 30_000);
  for (const seconds of [-30, 0, 30]) expect(stepOf(seed, '081804', atMs + seconds * 1_000, 0)).toBe(step);
  for (const seconds of [-60, 60]) expect(stepOf(seed, '081804', atMs + seconds * 1_000, 0)).toBeUndefined();
});

it('a code is good once, and none before it afterwards', () => {
  const atMs = 1_111_111_109_000;
  const step = Math.floor(atMs / 30_000);
  expect(stepOf(seed, codeAt(seed, step), atMs, step)).toBeUndefined();
  expect(stepOf(seed, codeAt(seed, step - 1), atMs, step)).toBeUndefined();
  expect(stepOf(seed, codeAt(seed, step + 1), atMs, step)).toBe(step + 1);
});

it.each(['', '81804', '0081804', '08180a', '０81804', 'x'.repeat(1_000)])('%j is no code', (code) =>
  expect(stepOf(seed, code, 1_111_111_109_000, 0)).toBeUndefined(),
);

it('blanks in a code do not count', () =>
  expect(stepOf(seed, ' 081 804', 1_111_111_109_000, 0)).toBe(37_037_036));

it('base32 is that of RFC 4648, there and back', () => {
  expect(base32(Buffer.from('fooba'))).toBe('MZXW6YTB');
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      expect(fromBase32(base32(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
    }),
  );
  expect(() => fromBase32('MZXW6YT1')).toThrow('not base32');
});

it('the address of an account cannot change what its key says', () =>
  expect(keyUri('MZXW6YTB', 'a&secret=B@example.test')).toBe(
    'otpauth://totp/Carillon:a%26secret%3DB%40example.test?secret=MZXW6YTB&issuer=Carillon&algorithm=SHA1&digits=6&period=30',
  ));
