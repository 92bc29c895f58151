import { isSameText } from '@carillon/signing';
import { createHmac } from 'node:crypto';

// One-time passwords of RFC 6238, as every authenticator app knows them: SHA-1, 6 digits, 30 s.
const stepMs = 30_000;
const digits = 6;
/** A clock may be wrong by one step, and a person takes a moment to type. */
const driftSteps = [-1, 0, 1];
/** Base32 of RFC 4648, which authenticator apps read. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 bits, as RFC 4226 recommends. */
export const secretBytes = 20;

/** Without padding: five bytes are eight letters, and a secret has a multiple of five. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[parseInt(five, 2)]).join('');
}

/** Throws for a letter that base32 does not have. */
export function fromBase32(text: string): Buffer {
  const values = [...text].map((letter) => alphabet.indexOf(letter));
  if (values.includes(-1)) throw new Error('A secret is not base32');
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => parseInt(eight, 2)));
}

/** The code of a step, which is counted from 1970. */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  // RFC 4226, 5.3: the last four bits say where in the MAC the number begins.
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step around this time that has this code, if it is after the last one that was used; blanks do not count. */
export function stepOf(secret: Buffer, code: string, atMs: number, lastStep: number): number | undefined {
  const given = code.replace(/\s/g, '');
  const now = Math.floor(atMs / stepMs);
  return driftSteps
    .map((drift) => now + drift)
    .find((step) => isSameText(given, codeAt(secret, step)) && step > lastStep);
}

/** What an authenticator app reads from a QR code (the Key URI format that all of them know). */
export function keyUri(secret: string, email: string): string {
  const label = `${encodeURIComponent('Carillon')}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Carillon&algorithm=SHA1&digits=${digits}&period=${stepMs / 1_000}`;
}
