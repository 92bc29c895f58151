import { createHmac, timingSafeEqual } from 'node:crypto';
import { challengeMs } from '../account/account';

const nonceBytes = 16;
const timeBytes = 6;

const macOf = (pepper: Buffer, purpose: string, head: Buffer): Buffer =>
  createHmac('sha256', pepper).update(`passkey challenge ${purpose} `).update(head).digest();

/**
 * A challenge that says itself when it was made and for what, so that nothing is stored for those that nobody signs.
 * The account remembers the signed ones.
 */
export function challengeFor(pepper: Buffer, purpose: string, atMs: number, nonce: Buffer): string {
  const head = Buffer.alloc(nonceBytes + timeBytes);
  nonce.copy(head, 0, 0, nonceBytes);
  head.writeUIntBE(atMs, nonceBytes, timeBytes);
  return Buffer.concat([head, macOf(pepper, purpose, head)]).toString('base64url');
}

/** Whether we made this challenge for this purpose, at most five minutes ago. */
export function isGood(pepper: Buffer, purpose: string, challenge: string, nowMs: number): boolean {
  const given = Buffer.from(challenge, 'base64url');
  // The same bytes have several texts, and only one of them is remembered as used.
  if (given.toString('base64url') !== challenge) return false;
  const head = given.subarray(0, nonceBytes + timeBytes);
  const mac = macOf(pepper, purpose, head);
  if (given.length !== head.length + mac.length) return false;
  if (!timingSafeEqual(given.subarray(head.length), mac)) return false;
  const ageMs = nowMs - head.readUIntBE(nonceBytes, timeBytes);
  return Math.abs(ageMs) <= challengeMs;
}
