import type { ServicePreset } from '@carillon/contracts';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { isSigned } from './signature';

const at = '2026-11-26T09:00:00.000Z';
const now = Date.parse(at) / 1000;
const payload = Buffer.from('{"text":"é"}');
const hex = (secret: string, text: string | Buffer): string =>
  createHmac('sha256', secret).update(text).digest('hex');
const signed = (preset: ServicePreset, headers: Record<string, string>, secret: string, body = payload) =>
  isSigned(preset, { headers, payload: body }, secret, at);

describe('a signature of GitHub', () => {
  it('is the one of its documentation', () => {
    // docs.github.com, "Validating webhook deliveries", testing the webhook payload validation
    const known = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const headers = { 'x-hub-signature-256': `sha256=${known}` };
    const body = Buffer.from('Hello, World!');
    expect(signed('github', headers, "It's a Secret to Everybody", body)).toBe(true);
    expect(signed('auto', headers, "It's a Secret to Everybody", body)).toBe(true);
    expect(signed('github', headers, 'another secret', body)).toBe(false);
    expect(signed('github', headers, "It's a Secret to Everybody", Buffer.from('Hello, World?'))).toBe(false);
  });
});

describe('a signature of Sentry', () => {
  it('is of the body', () => {
    const headers = { 'sentry-hook-signature': hex('secret', payload) };
    expect(signed('sentry', headers, 'secret')).toBe(true);
    expect(signed('sentry', headers, 'other')).toBe(false);
  });
});

describe('a signature of Stripe', () => {
  const made = (seconds: number, secret = 'whsec_test') =>
    `t=${seconds},v1=${hex(secret, Buffer.concat([Buffer.from(`${seconds}.`), payload]))}`;
  it('is of the time and the body, for five minutes', () => {
    const isGood = (value: string) => signed('stripe', { 'stripe-signature': value }, 'whsec_test');
    expect([now, now - 300, now + 300].map((seconds) => isGood(made(seconds)))).toEqual([true, true, true]);
    expect([now - 301, now + 301].map((seconds) => isGood(made(seconds)))).toEqual([false, false]);
    expect(isGood(made(now).replace(`t=${now}`, `t=${now - 1}`))).toBe(false);
    expect(isGood(`${made(now, 'whsec_old')},${made(now).split(',')[1]}`)).toBe(true);
    expect(['', 't=', 'v1=', `t=${now}`, 't=NaN,v1=a', '='.repeat(1000)].map(isGood)).not.toContain(true);
  });
});

describe('a signature of GitLab', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  it('is one of Standard Webhooks', () => {
    const made = (seconds: number) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(secret).sign(
        'msg_1',
        new Date(seconds * 1000),
        payload.toString('utf8'),
      ),
    });
    expect(signed('gitlab', made(now), secret)).toBe(true);
    expect(signed('gitlab', { ...made(now), 'webhook-id': 'msg_2' }, secret)).toBe(false);
    expect(signed('gitlab', made(now - 301), secret)).toBe(false);
  });
  it.each([
    'whsec_',
    'whsec_!!!!!!!!!!!!!!!!!!!!!!!!',
    `whsec_${Buffer.alloc(15, 7).toString('base64')}`,
    '🔑'.repeat(8),
  ])('is none under %j, which is no key of Standard Webhooks', (weak) => {
    const key = Buffer.from(weak.replace(/^whsec_/, ''), 'base64');
    const mac = createHmac('sha256', key).update(`msg_1.${now}.`).update(payload).digest('base64');
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${mac}`,
    };
    expect([signed('gitlab', headers, weak), signed('auto', headers, weak)]).toEqual([false, false]);
  });
  it('may be its secret token, unless it has signed', () => {
    expect(signed('gitlab', { 'x-gitlab-token': secret }, secret)).toBe(true);
    expect(signed('gitlab', { 'x-gitlab-token': `${secret}x` }, secret)).toBe(false);
    expect(signed('gitlab', { 'x-gitlab-token': secret, 'webhook-signature': 'v1,' }, secret)).toBe(false);
  });
});

describe('a request without a signature', () => {
  it.each(['github', 'gitlab', 'sentry', 'stripe', 'alertmanager', 'auto', 'plain'] as const)(
    'to %s has none',
    (preset) => expect(signed(preset, {}, 'secret')).toBe(false),
  );
  it('has none of another tool either', () =>
    expect(signed('stripe', { 'x-gitlab-token': 'secret' }, 'secret')).toBe(false));
});
