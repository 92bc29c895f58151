import { createHash, randomBytes } from 'node:crypto';

// Crockford base32: no i, l, o, u.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const latestMs = 2 ** 48 - 1;

/** The first 10 characters hold two zero bits and the 48 bits of the time, the last 16 hold the other 80 bits. */
const tailLength = 16;

const form =
  /^([a-z]{1,16})_[0-7][0-9a-hjkmnp-tv-z]{9}[ef][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/;

/** A fresh id: `<prefix>_` and the 26 base32 characters of a UUIDv7. Ids sort by the time they were made. */
export function newId(prefix: string, atMs: number): string {
  return `${prefix}_${timePart(atMs)}${tailPart(randomBytes(10))}`;
}

/**
 * An id whose tail follows from the parts alone, so that a second derivation leads to the same stream. The parts are
 * hashed with their lengths: `('ab', 'c')` and `('a', 'bc')` differ (ADR 5).
 */
export function deriveId(prefix: string, atMs: number, ...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return `${prefix}_${timePart(atMs)}${tailPart(hash.digest())}`;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Postgres reads no later year as JavaScript writes it. */
const lastMs = Date.UTC(9999, 11, 31);

/**
 * The times between which resources with these ids were created, for statements that find rows by id in a table that is
 * partitioned by that time. A resource is created within a day of the time in its id; other texts have any time.
 */
export function createdBetween(ids: Iterable<string>): { readonly from: Date; readonly to: Date } {
  let [fromMs, toMs] = [lastMs, 0];
  for (const id of ids) {
    const atMs = timeOf(id);
    fromMs = Math.min(fromMs, atMs ?? 0);
    toMs = Math.max(toMs, atMs ?? lastMs);
  }
  return { from: new Date(Math.max(fromMs - dayMs, 0)), to: new Date(Math.min(toMs + dayMs, lastMs)) };
}

function timeOf(id: string): number | undefined {
  if (!isId(id)) return undefined;
  let ms = 0;
  for (const letter of id.slice(-tailLength - 10, -tailLength)) ms = ms * 32 + alphabet.indexOf(letter);
  return ms;
}

/** The stream tail of a resource: the part of its id that does not depend on the time (ADR 2). */
export const streamTail = (id: string): string => id.slice(-tailLength);

/** True for the exact form of our ids, and for the prefix when one is asked for. Says nothing about existence. */
export function isId(text: unknown, prefix?: string): text is string {
  if (typeof text !== 'string') return false;
  const found = form.exec(text);
  return found !== null && (prefix === undefined || found[1] === prefix);
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const textNamespace = Buffer.from('0d7b2e6f3c5a5b0e9f63c1a7d2b48e15', 'hex');

/** A UUIDv5: the same for the same namespace and name. A namespace that is no UUID is made one the same way. */
export function uuidV5(namespaceText: string, name: string): string {
  const namespace = uuidForm.test(namespaceText)
    ? Buffer.from(namespaceText.replaceAll('-', ''), 'hex')
    : nameBytes(textNamespace, namespaceText);
  const hex = nameBytes(namespace, name).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function nameBytes(namespace: Buffer, name: string): Buffer {
  const bytes = createHash('sha1').update(namespace).update(name, 'utf8').digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes;
}

function timePart(atMs: number): string {
  if (!Number.isInteger(atMs) || atMs < 0 || atMs > latestMs)
    throw new RangeError('The time of an id must be whole milliseconds from 1970 to the year 10889');
  let text = '';
  let rest = atMs;
  for (let digit = 0; digit < 10; digit += 1) {
    text = alphabet[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** 80 bits: the version, 12 bits, the variant, 62 bits. Takes the first ten bytes. */
function tailPart(random: Buffer): string {
  const bytes = random.subarray(0, 10);
  bytes[0] = (bytes[0]! & 0x0f) | 0x70;
  bytes[2] = (bytes[2]! & 0x3f) | 0x80;
  let text = '';
  for (let from = 0; from < 10; from += 5) {
    const high = bytes.readUInt16BE(from);
    const low = bytes.readUIntBE(from + 2, 3);
    // 40 bits as 16 and 24: shifts of JavaScript numbers end at 32.
    const forty = high * 0x1000000 + low;
    for (let digit = 7; digit >= 0; digit -= 1) text += alphabet[Math.floor(forty / 32 ** digit) % 32]!;
  }
  return text;
}
