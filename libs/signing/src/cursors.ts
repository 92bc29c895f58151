import { createHmac, timingSafeEqual } from 'node:crypto';
import { fromBase64url } from './base64url';

const macLength = 16;

/** Text that only we can have written: base64url of the JSON and 16 bytes of its HMAC-SHA-256. */
export function signCursor(key: Buffer, value: object): string {
  const json = Buffer.from(JSON.stringify(value), 'utf8');
  return Buffer.concat([json, mac(key, json)]).toString('base64url');
}

/** The value that was signed, or nothing when a single bit differs. */
export function readCursor(key: Buffer, text: string): object | undefined {
  const bytes = fromBase64url(text);
  if (!bytes || bytes.length < macLength + 2) return undefined;
  const json = bytes.subarray(0, -macLength);
  if (!timingSafeEqual(bytes.subarray(-macLength), mac(key, json))) return undefined;
  const value: unknown = JSON.parse(json.toString('utf8'));
  return typeof value === 'object' && value !== null ? value : undefined;
}

const mac = (key: Buffer, bytes: Buffer): Buffer =>
  createHmac('sha256', key).update(bytes).digest().subarray(0, macLength);
