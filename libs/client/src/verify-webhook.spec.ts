import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const now = Date.parse('2026-11-20T17:29:00.000Z');
const body = '{"type":"interaction.answered","data":{"response":"ja, größer"}}';

const headersOf = (
  signature = new Webhook(secret).sign('msg_1', new Date(now), body),
): Record<string, string> => ({
  'Webhook-Id': 'msg_1',
  'Webhook-Timestamp': String(now / 1_000),
  'Webhook-Signature': signature,
});

describe('verifying a delivery', () => {
  it.each([
    ['a record of headers', headersOf()],
    ['Headers', new Headers(headersOf())],
  ])('takes what a library of Standard Webhooks has signed, from %s', async (_name, headers) => {
    expect(await verifyWebhook(secret, headers, body, { now })).toEqual(JSON.parse(body));
    expect(await verifyWebhook(secret, headers, Buffer.from(body), { now })).toEqual(JSON.parse(body));
  });

  it('takes one valid signature among several, as while a secret is replaced', async () => {
    const signatures = [other, secret].map((each) => new Webhook(each).sign('msg_1', new Date(now), body));
    const headers = headersOf(['v1a,AAAA', 'v1,?', ...signatures].join(' '));
    expect(await verifyWebhook(secret, headers, body, { now })).toEqual(JSON.parse(body));
  });

  const refused: [string, Record<string, string>, string, number][] = [
    ['another secret', headersOf(new Webhook(other).sign('msg_1', new Date(now), body)), body, now],
    ['a changed body', headersOf(), `${body} `, now],
    ['another id', { ...headersOf(), 'Webhook-Id': 'msg_2' }, body, now],
    ['a signature that is none', headersOf('v1,*** v1, v1'), body, now],
    ['no signature', { 'webhook-id': 'msg_1', 'webhook-timestamp': '1' }, body, 1_000],
    ['a delivery of long ago', headersOf(), body, now + 301_000],
    ['a delivery of the future', headersOf(), body, now - 301_000],
    ['a time that is none', { ...headersOf(), 'Webhook-Timestamp': '1e9' }, body, now],
  ];
  it.each(refused)('refuses %s', async (_name, headers, received, at) => {
    await expect(verifyWebhook(secret, headers, received, { now: at })).rejects.toBeInstanceOf(
      WebhookVerificationError,
    );
  });

  it('names a secret that is none', async () => {
    await expect(verifyWebhook('whsec_?', headersOf(), body, { now })).rejects.toThrow(TypeError);
  });
});
