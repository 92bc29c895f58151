import { RotateWebhookSecret } from '@carillon/contracts';
import { check } from '@carillon/schema';
import { KeyRing, signingKeyOf, signingSecretOf } from '@carillon/signing';
import { openHeader, openSecret, sealHeader, sealSecret } from './secrets';

const ring = KeyRing.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
const bytes = (count: number, padded = true) => {
  const secret = signingSecretOf(Buffer.alloc(count, 255));
  return padded ? secret : secret.replace(/=+$/, '');
};

describe('a signing secret of the caller', () => {
  const taken = (signingSecret: string) => check(RotateWebhookSecret, { id: 'whk_1', signingSecret }).ok;
  it.each([bytes(24), bytes(32), bytes(32, false), bytes(64), bytes(64, false)])('may be %s', (secret) =>
    expect(taken(secret)).toBe(true),
  );
  it.each([bytes(23), bytes(65), bytes(0), `whsec_${'A'.repeat(33)}`, `${bytes(16)}${'='.repeat(20)}`])(
    'may not be %s',
    (secret) => expect(taken(secret)).toBe(false),
  );
  it('signs with its bytes', () => expect(signingKeyOf(bytes(32))).toEqual(Buffer.alloc(32, 255)));
});

describe('what is sealed', () => {
  it('opens where it belongs, also when the header is written in another case', () => {
    expect(openSecret(ring, 'whk_1', sealSecret(ring, 'whk_1', 'whsec_x'))).toBe('whsec_x');
    const saved = sealHeader(ring, 'whk_1', 'X-Key', 'v');
    expect(saved.sealedValue).not.toContain('v.v');
    expect(openHeader(ring, 'whk_1', { ...saved, name: 'x-key' })).toBe('v');
  });
  it('opens nowhere else', () => {
    const { sealedValue } = sealHeader(ring, 'whk_1', 'X-Key', 'v');
    for (const open of [
      () => openHeader(ring, 'whk_2', { name: 'X-Key', sealedValue }),
      () => openHeader(ring, 'whk_1', { name: 'X-Other', sealedValue }),
      () => openSecret(ring, 'whk_1', sealedValue),
      () => openSecret(ring, 'whk_2', sealSecret(ring, 'whk_1', 'whsec_x')),
    ])
      expect(open).toThrow('does not open');
  });
});
