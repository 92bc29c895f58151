import { Webhook } from 'standardwebhooks';
import { signWebhook } from './webhooks';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
const another = Buffer.alloc(32, 7);
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };

const headersOf = (keys: readonly Buffer[], of: typeof message) => ({
  'webhook-id': of.id,
  'webhook-timestamp': String(of.timestamp),
  'webhook-signature': signWebhook(keys, of),
});
const now = () => ({ ...message, timestamp: Math.floor(Date.now() / 1000) });

describe('a signature', () => {
  it('is the one that the specification gives as its example', () => {
    expect(signWebhook([key], message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is taken by the package that receivers use', () => {
    const sent = { ...now(), body: '{"title":"Größe ✓ 🚀"}' };
    expect(new Webhook(secret).verify(sent.body, headersOf([key], sent))).toEqual({ title: 'Größe ✓ 🚀' });
  });

  it('is made with each of several secrets, so that a receiver may know either', () => {
    const sent = now();
    const headers = headersOf([another, key], sent);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const known of [secret, `whsec_${another.toString('base64')}`])
      expect(new Webhook(known).verify(sent.body, headers)).toEqual({ test: 2432232314 });
  });

  it.each([
    ['body', { body: '{"test": 1}' }],
    ['id', { id: 'msg_other' }],
    ['time', { timestamp: Math.floor(Date.now() / 1000) - 1 }],
  ])('does not fit another %s', (_, other) => {
    const headers = headersOf([key], now());
    const changed = { ...now(), ...other };
    expect(() =>
      new Webhook(secret).verify(changed.body, {
        ...headersOf([key], changed),
        'webhook-signature': headers['webhook-signature'],
      }),
    ).toThrow();
  });

  it('does not fit another secret', () => {
    const sent = now();
    expect(() => new Webhook(secret).verify(sent.body, headersOf([another], sent))).toThrow();
  });
});
