import { createHmac, hkdfSync, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const cellLength = 1;
const randomLength = 32;
const checksumLength = 6;
const previewLength = 4;

export interface Minted {
  /** Given to its owner once and never stored. */
  readonly secret: string;
  /** The first characters, by which the owner knows it again. */
  readonly shown: string;
}

/**
 * A new secret: the prefix, the cell of the installation in one character, 190 random bits in base62, and a checksum
 * that finds typing errors without a query.
 */
export const mintSecret = (prefix: string, cell: string): Minted =>
  minted(prefix + cell, () => randomBytes(randomLength));

/** As `mintSecret`, and the same secret each time. Only a holder of the pepper can derive it. */
export function deriveSecret(pepper: Buffer, prefix: string, cell: string, from: string): string {
  let round = 0;
  const bytes = (): Buffer =>
    Buffer.from(hkdfSync('sha256', pepper, from, `${prefix} ${(round += 1)}`, 2 * randomLength));
  return minted(prefix + cell, bytes).secret;
}

function minted(prefix: string, bytes: () => Buffer): Minted {
  const body = prefix + textOf(bytes);
  return { secret: body + checksum(body), shown: body.slice(0, prefix.length + previewLength) };
}

/** True when the text has the form of such a secret and its checksum fits. Says nothing about being known. */
export function looksLikeSecret(text: unknown, prefix: string): text is string {
  const length = prefix.length + cellLength + randomLength + checksumLength;
  if (typeof text !== 'string' || text.length !== length) return false;
  if (!text.startsWith(prefix) || !/^[0-9A-Za-z]+$/.test(text.slice(prefix.length))) return false;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The cell that a secret of any kind names; undefined when the text does not have the form of a secret. */
export function cellOfSecret(text: unknown): string | undefined {
  const [prefix] = (typeof text === 'string' && /^carillon_[a-z]+_/.exec(text)) || [];
  return prefix !== undefined && looksLikeSecret(text, prefix) ? text.charAt(prefix.length) : undefined;
}

/** The only form of a secret that is stored or crosses the bus: HMAC-SHA-256 under the pepper, 64 hex digits. */
export const hashSecret = (pepper: Buffer, secret: string): string =>
  createHmac('sha256', pepper).update(secret, 'utf8').digest('hex');

function textOf(bytes: () => Buffer): string {
  // Bytes from 248 on would make the first letters likelier than the others.
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < randomLength) {
    for (const byte of bytes()) {
      if (byte < limit && text.length < randomLength) text += alphabet[byte % alphabet.length]!;
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(Buffer.from(text, 'utf8'));
  let digits = '';
  for (let digit = 0; digit < checksumLength; digit += 1) {
    digits = alphabet[rest % alphabet.length]! + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = crcTable[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
