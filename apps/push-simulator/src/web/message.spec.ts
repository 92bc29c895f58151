import { decrypt } from './message.js';

describe('a message', () => {
  // RFC 8291, section 5.
  const keys = {
    privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const body = Buffer.from(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A' +
      '_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    'base64url',
  );

  it('is decrypted as RFC 8291 has it', () =>
    expect(decrypt(body, keys)).toBe('When I grow up, I want to be a watermelon'));
  it('is not decrypted with another secret', () =>
    expect(decrypt(body, { ...keys, auth: 'AAAAAAAAAAAAAAAAAAAAAA' })).toBeUndefined());
  it.each([0, 20, 21, 86, 100, body.length - 1])('that is cut after %i bytes is not decrypted', (length) =>
    expect(decrypt(body.subarray(0, length), keys)).toBeUndefined(),
  );
  it('that was altered is not decrypted', () => {
    const altered = Buffer.from(body);
    altered[altered.length - 20]! ^= 1;
    expect(decrypt(altered, keys)).toBeUndefined();
  });
});
