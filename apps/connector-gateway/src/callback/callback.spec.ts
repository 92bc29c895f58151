import { newId, signWebhook } from '@carillon/signing';
import { randomBytes } from 'node:crypto';
import { allowedBy, claimIn, deliveryAt, isSigned } from './callback';

const id = newId('cbd', 1_700_000_000_000);
const [key, other] = [randomBytes(32), randomBytes(32)];
const body = '{"type":"interaction.answered","text":"Zoë"}';
const signature = signWebhook([other, key], { id, timestamp: 1_700_000_000, body });
const headers = { 'connector-signature': signature, 'webhook-timestamp': '1700000000' };

describe('a callback', () => {
  it('has its path', () => {
    expect(deliveryAt(`/.well-known/carillon-callback/${id}`)).toBe(id);
    expect(deliveryAt(`/.well-known/carillon-callbacks/${id}`)).toBeUndefined();
  });

  it('has its delivery, time and sender', () =>
    expect(claimIn(id, headers)).toEqual({ deliveryId: id, timestamp: 1_700_000_000, signature }));

  it.each([
    ['another id', 'cbd_1', headers],
    ['an id of something else', newId('con', 0), headers],
    ['no signature', id, { 'webhook-timestamp': '1700000000' }],
    ['no timestamp', id, { 'connector-signature': signature }],
    ['a timestamp that is no number', id, { ...headers, 'webhook-timestamp': '17e8' }],
    ['a signature of another form', id, { ...headers, 'connector-signature': 'sha256=abc' }],
    ['a signature without end', id, { ...headers, 'connector-signature': `v1,${'a'.repeat(1100)}` }],
  ])('is none with %s', (_, deliveryId, given) => expect(claimIn(deliveryId, given)).toBeUndefined());

  it('is signed when one of its signatures is of our secret, over exactly this body', () => {
    const claim = claimIn(id, headers)!;
    expect(isSigned(key, claim, Buffer.from(body))).toBe(true);
    expect(isSigned(randomBytes(32), claim, Buffer.from(body))).toBe(false);
    expect(isSigned(key, claim, Buffer.from(`${body} `))).toBe(false);
    expect(isSigned(key, { ...claim, timestamp: claim.timestamp + 1 }, Buffer.from(body))).toBe(false);
  });

  it('goes where Carillon says, and nowhere without', () => {
    const answer = { allowed: true, deliveryId: id, route: 'wiki', path: '/hooks/x?y=1', method: 'POST' };
    expect(allowedBy({ kind: 'yes', body: answer })).toEqual({ route: 'wiki', path: '/hooks/x?y=1' });
    expect(allowedBy({ kind: 'yes', body: { ...answer, route: null } })).toEqual({
      route: null,
      path: '/hooks/x?y=1',
    });
    expect(allowedBy({ kind: 'yes', body: { ...answer, allowed: false } })).toBeUndefined();
    expect(allowedBy({ kind: 'no', status: 403, code: 'CALLBACK_INVALID' })).toBeUndefined();
  });
});
