import { mintCode } from './codes';

describe('a code that a person may type', () => {
  it('has 26 characters of base32 and is another one each time', () => {
    const codes = Array.from({ length: 200 }, mintCode);
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
    expect(new Set(codes).size).toBe(200);
    expect(new Set(codes.join('')).size).toBe(32);
  });
});
