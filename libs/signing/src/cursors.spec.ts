import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { readCursor, signCursor } from './cursors';

const key = randomBytes(32);
const value = { v: 1, k: [1763659740000000, 'anot_1'], f: 'ab12' };
const cursor = signCursor(key, value);

const flipped = (text: string, bit: number): string => {
  const bytes = Buffer.from(text, 'base64url');
  const at = (bit >> 3) % bytes.length;
  bytes[at] = bytes[at]! ^ (1 << (bit & 7));
  return bytes.toString('base64url');
};

describe('a cursor', () => {
  it('returns the signed value', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (held) => {
        const json = JSON.parse(JSON.stringify(held)) as object;
        expect(readCursor(key, signCursor(key, held))).toEqual(json);
      }),
    ));
  it('is fit for a query', () => {
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(cursor.length).toBeLessThan(200);
  });
  it('of which any bit was flipped says nothing', () =>
    fc.assert(
      fc.property(fc.nat(100_000), (bit) => expect(readCursor(key, flipped(cursor, bit))).toBeUndefined()),
    ));
  it('of which any letter was changed says nothing', () => {
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(readCursor(key, other)).toBeUndefined();
    }
  });
  it('of another key says nothing', () => expect(readCursor(randomBytes(32), cursor)).toBeUndefined());
  it.each([
    '',
    'A',
    'null',
    cursor.slice(0, -1),
    `${cursor}A`,
    `${cursor}=`,
    ` ${cursor}`,
    cursor.slice(8),
    '💥',
    '\u0000',
  ])('%j says nothing', (text) => expect(readCursor(key, text)).toBeUndefined());
  it('never throws', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => expect(readCursor(key, text)).toBeUndefined()),
    ));
});
