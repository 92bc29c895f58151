import fc from 'fast-check';
import { atLeast, atMost, codePoints, cut, faultOf, normalised, shortened } from './text';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '\ud83d', '\udd14', '🔔', 'e\u0301', '\u0000', '\u0958'),
  }),
);

it('a text is measured as the language counts its code points', () =>
  fc.assert(
    fc.property(anyText, fc.nat(20), (text, limit) => {
      const count = [...text].length;
      expect(codePoints(text)).toBe(count);
      expect(atMost(text, limit)).toBe(count <= limit);
      expect(atLeast(text, limit)).toBe(count >= limit);
    }),
    { numRuns: 2000 },
  ));

it('a text is in its normal form once it was normalised', () =>
  fc.assert(
    fc.property(anyText, (text) => {
      const once = normalised(text);
      expect(once).toBe(text.normalize('NFC').trim());
      expect(normalised(once)).toBe(once);
    }),
    { numRuns: 2000 },
  ));

it('more marks on one letter than any language has are parted', () => {
  const once = normalised(`e${'\u0327\u0301'.repeat(40)}`);
  expect(once).toBe(
    `ȩ${'\u0327'.repeat(14)}${'\u0301'.repeat(15)}`.concat(
      `\u034f${'\u0327'.repeat(15)}${'\u0301'.repeat(15)}`,
      `\u034f${'\u0327'.repeat(10)}${'\u0301'.repeat(10)}`,
    ),
  );
  expect(normalised(once)).toBe(once);
});

it('half a pair of surrogates is found, a whole pair is none', () => {
  expect(faultOf('a🔔b')).toBeUndefined();
  for (const broken of ['\ud83d', '\udd14', 'a\udd14\ud83d', '🔔\ud83d', '\ud83d🔔'])
    expect(faultOf(broken)).toBe('broken_unicode');
});

it('a control character is found before anything else', () => {
  expect(faultOf('a\u0000\ud83d')).toBe('control_character');
  expect(faultOf('a\nb')).toBe('control_character');
  expect(faultOf('a\n\tb', true)).toBeUndefined();
  expect(faultOf('a\rb', true)).toBe('control_character');
});

it('what is shown of a foreign text is short and can be stored', () => {
  expect(shortened('🔔'.repeat(10), 3)).toBe('🔔🔔🔔');
  expect(shortened('a\u0000\ud83d', 9)).toBe('a?\ufffd');
});

describe('a cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['ab cd', 4, 'ab…'],
    ['🔔🔔🔔', 3, '🔔🔔🔔'],
    ['🔔🔔🔔🔔', 3, '🔔🔔…'],
    ['abc', 1, '…'],
    ['', 0, ''],
  ])('%j to %d', (text, max, expected) => expect(cut(text, max)).toBe(expected));

  it('has at most the maximum of code points and begins as the text does', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        const short = cut(text, max);
        expect(codePoints(short)).toBeLessThanOrEqual(max);
        if (codePoints(text) <= max) expect(short).toBe(text);
        else expect(text.startsWith(short.slice(0, -1))).toBe(true);
        expect(/\p{Surrogate}/u.test(short)).toBe(false);
      }),
    ));
});
