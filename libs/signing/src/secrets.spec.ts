import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { cellOfSecret, deriveSecret, hashSecret, looksLikeSecret, mintSecret } from './secrets';

const prefix = 'carillon_pat_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('a minted secret', () => {
  it('is prefix, cell, 32 random letters and a checksum', () => {
    const { secret, shown } = mintSecret(prefix, '0');
    expect(secret).toMatch(/^carillon_pat_0[0-9A-Za-z]{38}$/);
    expect(shown).toBe(secret.slice(0, prefix.length + 5));
    expect(looksLikeSecret(secret, prefix)).toBe(true);
  });
  it('is another one every time, of all letters alike', () => {
    const counts = new Map<string, number>();
    const secrets = new Set<string>();
    for (let count = 0; count < 2000; count += 1) {
      const { secret } = mintSecret('', '0');
      secrets.add(secret);
      for (const letter of secret.slice(1, 33)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(secrets.size).toBe(2000);
    expect(counts.size).toBe(62);
    // 1032 each on average; a modulo of bytes would give eight letters a quarter more.
    for (const [, count] of counts) expect(Math.abs(count - 1032)).toBeLessThan(190);
  });
  it('has the CRC-32 that zlib gives', () => {
    const { secret } = mintSecret(prefix, '0');
    let value = 0;
    for (const letter of secret.slice(-6)) value = value * 62 + alphabet.indexOf(letter);
    expect(value).toBe(crc32(secret.slice(0, -6)));
  });
});

describe('what does not look like a secret', () => {
  const { secret } = mintSecret(prefix, '0');
  it('any letter changed', () =>
    fc.assert(
      fc.property(fc.nat(38), fc.constantFrom(...alphabet), (index, letter) => {
        const at = prefix.length + index;
        const other = secret.slice(0, at) + letter + secret.slice(at + 1);
        expect(looksLikeSecret(other, prefix)).toBe(other === secret);
      }),
    ));
  it('neighbours swapped', () => {
    for (let at = prefix.length; at < secret.length - 1; at += 1) {
      const other = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2);
      expect(looksLikeSecret(other, prefix)).toBe(other === secret);
    }
  });
  it.each([
    undefined,
    null,
    5,
    '',
    prefix,
    `${secret} `,
    `${secret}a`,
    secret.slice(1),
    `carillon_oat_${secret.slice(13)}`,
  ])('%j', (text) => expect(looksLikeSecret(text, prefix)).toBe(false));
});

describe('a derived secret', () => {
  const pepper = Buffer.alloc(32, 1);
  it('looks like any other, and is the same each time', () =>
    fc.assert(
      fc.property(fc.string(), (from) => {
        const secret = deriveSecret(pepper, prefix, '0', from);
        expect(looksLikeSecret(secret, prefix)).toBe(true);
        expect(deriveSecret(pepper, prefix, '0', from)).toBe(secret);
      }),
    ));
  it('is another one with another pepper, prefix or origin', () => {
    const bodies = [
      deriveSecret(pepper, prefix, '0', 'a'),
      deriveSecret(pepper, prefix, '0', 'b'),
      deriveSecret(Buffer.alloc(32, 2), prefix, '0', 'a'),
      deriveSecret(pepper, 'carillon_srt_', '0', 'a'),
    ].map((secret) => secret.slice(prefix.length, -6));
    expect(new Set(bodies).size).toBe(4);
  });
});

describe('the cell of a secret', () => {
  it('is read from a secret of any kind', () => {
    for (const kind of ['carillon_pat_', 'carillon_hook_'])
      for (const cell of ['0', 'Z', 'a']) expect(cellOfSecret(mintSecret(kind, cell).secret)).toBe(cell);
  });
  it('is not read from a text with a wrong checksum, or of another form', () => {
    const { secret } = mintSecret(prefix, '1');
    const changed = prefix + '2' + secret.slice(prefix.length + 1);
    for (const text of [changed, secret.slice(1), '', undefined, 5, prefix])
      expect(cellOfSecret(text)).toBeUndefined();
  });
});

it('the stored form is HMAC-SHA-256 under the pepper', () => {
  const pepper = Buffer.alloc(32, 1);
  expect(hashSecret(pepper, 'a')).toBe(createHmac('sha256', pepper).update('a').digest('hex'));
  expect(hashSecret(pepper, 'a')).toMatch(/^[0-9a-f]{64}$/);
  expect(hashSecret(Buffer.alloc(32, 2), 'a')).not.toBe(hashSecret(pepper, 'a'));
});
