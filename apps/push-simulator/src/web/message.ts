import { createDecipheriv, createECDH, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { BrowserKeys } from '../phone/browser.js';

const bytes = (text: string) => Buffer.from(text, 'base64url');
const derived = (key: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

/**
 * Decrypts a message as a browser does (RFC 8291): one record of `aes128gcm` (RFC 8188). Undefined when it was not
 * encrypted for these keys.
 */
export function decrypt(body: Buffer, keys: BrowserKeys): string | undefined {
  const idLength = body[20];
  if (idLength !== 65 || body.length < 21 + idLength + 17) return undefined;
  const salt = body.subarray(0, 16);
  const recordSize = body.readUInt32BE(16);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (record.length > recordSize) return undefined;
  try {
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(bytes(keys.privateKey));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), bytes(keys.p256dh), sender]);
    const material = derived(pair.computeSecret(sender), bytes(keys.auth), info, 32);
    const key = derived(material, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derived(material, salt, 'Content-Encoding: nonce\0', 12);
    const opened = createDecipheriv('aes-128-gcm', key, nonce);
    opened.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([opened.update(record.subarray(0, -16)), opened.final()]);
    // The last record ends with a 2, and then zeros.
    let end = padded.length - 1;
    while (end >= 0 && padded[end] === 0) end--;
    return padded[end] === 2 ? padded.subarray(0, end).toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The public key of a point of P-256; undefined when it is none. */
export function publicKeyOf(point: string): KeyObject | undefined {
  const raw = bytes(point);
  if (raw.length !== 65 || raw[0] !== 4) return undefined;
  const [x, y] = [raw.subarray(1, 33), raw.subarray(33)].map((part) => part.toString('base64url'));
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
