import { generateKeyPairSync, verify } from 'node:crypto';
import { ProviderToken } from './provider-token';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const owner = {
  keyId: 'KEY1234567',
  teamId: 'TEAM123456',
  key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const minute = 60_000;

describe('the provider token', () => {
  let now = Date.parse('2026-11-20T09:00:00Z');
  const make = () => new ProviderToken(owner, () => now);

  it('is a JWT that Apple can verify', () => {
    const [head, claims, signature] = make().value.split('.') as [string, string, string];
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
      alg: 'ES256',
      kid: 'KEY1234567',
    });
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: 'TEAM123456',
      iat: Math.floor(now / 1000),
    });
    const signed = Buffer.from(`${head}.${claims}`);
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const };
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('is shared by all pushes until it is 50 minutes old', () => {
    const token = make();
    const first = token.value;
    now += 49 * minute;
    expect(token.value).toBe(first);
    now += minute;
    expect(token.value).not.toBe(first);
  });

  it('is renewed once when many answers report its expiry', () => {
    const token = make();
    const first = token.value;
    expect(token.renew(first)).toBe(true);
    const second = token.value;
    expect(second).not.toBe(first);
    for (let n = 0; n < 100; n += 1) expect(token.renew(first)).toBe(true);
    expect(token.value).toBe(second);
  });

  it('is not renewed again within 20 minutes', () => {
    const token = make();
    token.renew(token.value);
    const second = token.value;
    now += 19 * minute;
    expect(token.renew(second)).toBe(false);
    expect(token.value).toBe(second);
    now += minute;
    expect(token.renew(second)).toBe(true);
    expect(token.value).not.toBe(second);
  });

  it('with an invalid key fails at startup', () =>
    expect(() => new ProviderToken({ ...owner, key: 'no key' })).toThrow());
});
