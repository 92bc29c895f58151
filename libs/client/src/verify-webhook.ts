export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** As a server has them: `Headers`, or a record with names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

function headerOf(headers: WebhookHeaders, name: string): string {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const found = entries.find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof found !== 'string' || found === '') throw new WebhookVerificationError(`${name} is missing`);
  return found;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (!key || key.length === 0) throw new TypeError('the secret must be whsec_ and base64');
  return key;
}

/**
 * Verifies a delivery by Standard Webhooks (https://www.standardwebhooks.com): `body` is what was received, byte for
 * byte. Gives the parsed body; throws a `WebhookVerificationError` for a wrong signature or a time that is further away
 * than the tolerance. A receiver also drops a `webhook-id` that it has seen.
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = Date.now() }: { toleranceSeconds?: number; now?: number } = {},
): Promise<unknown> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('webhook-timestamp is not within the tolerance');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const sent = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(head.length + sent.length);
  signed.set(head);
  signed.set(sent, head.length);
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  // Several, while a secret is being replaced.
  for (const each of headerOf(headers, 'webhook-signature').split(' ')) {
    const [version, value = ''] = each.split(',', 2);
    const signature = version === 'v1' ? bytesOf(value) : undefined;
    if (signature && (await subtle.verify('HMAC', key, signature, signed))) return JSON.parse(text);
  }
  throw new WebhookVerificationError('no signature is valid');
}
