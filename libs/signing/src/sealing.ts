import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { fromBase64url } from './base64url';

const version = 'v1';
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;

/** What was to be opened is altered, cut, of another context, or sealed with a key that we do not have. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

interface Box {
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly data: Buffer;
}

/**
 * Encrypts with AES-256-GCM as `v1.<nonce>.<tag>.<data>`. What is sealed for one context (`aad`) does not open in
 * another.
 */
export function sealWith(key: Buffer, plain: Buffer | string, aad: string): string {
  const box = encrypt(key, bytesOf(plain), aad);
  return [version, text(box.nonce), text(box.tag), text(box.data)].join('.');
}

export function openWith(key: Buffer, sealed: string, aad: string): Buffer {
  const parts = sealed.split('.');
  if (parts.length !== 4 || parts[0] !== version)
    throw new SealBroken('This is not a sealed text of a known form');
  return decrypt(key, { nonce: bytes(parts[1]), tag: bytes(parts[2]), data: bytes(parts[3]) }, aad);
}

/**
 * The installation's keys, newest first. Each sealed text has a key of its own, wrapped by the newest of the ring;
 * older keys only open. As text: `id:base64-of-32-bytes`, with commas between.
 */
export class KeyRing {
  private constructor(private readonly keys: ReadonlyMap<string, Buffer>) {}

  static parse(ring: string): KeyRing {
    const keys = new Map<string, Buffer>();
    for (const entry of ring.split(',')) {
      const [id, base64, ...more] = entry.trim().split(':');
      if (id === undefined || !/^[A-Za-z0-9_-]{1,32}$/.test(id))
        throw new Error('A key of the ring needs an id of letters, digits, "-" and "_" before its colon');
      const key = Buffer.from(base64 ?? '', 'base64');
      if (more.length > 0 || key.length !== keyLength)
        throw new Error(`The key "${id}" of the ring must be base64 of exactly ${keyLength} bytes`);
      if (keys.has(id)) throw new Error(`The ring has two keys named "${id}"`);
      keys.set(id, key);
    }
    return new KeyRing(keys);
  }

  /** The id of the key that seals. */
  get newest(): string {
    return this.ids[0]!;
  }

  /** The ids of all that open, the newest first. */
  get ids(): readonly string[] {
    return [...this.keys.keys()];
  }

  /** Bytes that follow from a key of the ring and a purpose; undefined when the ring has no key of this id. */
  derive(id: string, purpose: string, length: number): Buffer | undefined {
    const key = this.keys.get(id);
    return key && Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), purpose, length));
  }

  /** Encrypts as `v1.<key id>.<wrapped key>.<nonce>.<tag>.<data>`. */
  seal(plain: Buffer | string, aad: string): string {
    const [id, key] = this.keys.entries().next().value!;
    const own = randomBytes(keyLength);
    const wrapped = encrypt(key, own, wrapping(id, aad));
    const box = encrypt(own, bytesOf(plain), aad);
    const wrappedText = text(Buffer.concat([wrapped.nonce, wrapped.tag, wrapped.data]));
    return [version, id, wrappedText, text(box.nonce), text(box.tag), text(box.data)].join('.');
  }

  open(sealed: string, aad: string): Buffer {
    const parts = sealed.split('.');
    if (parts.length !== 6 || parts[0] !== version)
      throw new SealBroken('This is not a sealed text of a known form');
    const id = parts[1]!;
    const key = this.keys.get(id);
    if (!key) throw new SealBroken('The ring has no key of the id that sealed this');
    const wrapped = bytes(parts[2]);
    const own = decrypt(
      key,
      {
        nonce: wrapped.subarray(0, nonceLength),
        tag: wrapped.subarray(nonceLength, nonceLength + tagLength),
        data: wrapped.subarray(nonceLength + tagLength),
      },
      wrapping(id, aad),
    );
    return decrypt(own, { nonce: bytes(parts[3]), tag: bytes(parts[4]), data: bytes(parts[5]) }, aad);
  }
}

/** The id of the key of a ring that sealed this; undefined when it was none. */
export const sealedBy = (sealed: string): string | undefined => {
  const parts = sealed.split('.');
  return parts.length === 6 && parts[0] === version ? parts[1] : undefined;
};

const wrapping = (id: string, aad: string): string => `key ${id} ${aad}`;

function encrypt(key: Buffer, plain: Buffer, aad: string): Box {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength });
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { nonce, tag: cipher.getAuthTag(), data };
}

function decrypt(key: Buffer, box: Box, aad: string): Buffer {
  if (box.nonce.length !== nonceLength || box.tag.length !== tagLength)
    throw new SealBroken('This is not a sealed text of a known form');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, box.nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(aad, 'utf8'));
    decipher.setAuthTag(box.tag);
    return Buffer.concat([decipher.update(box.data), decipher.final()]);
  } catch {
    throw new SealBroken('The sealed text does not open with this key in this context');
  }
}

const bytesOf = (plain: Buffer | string): Buffer =>
  typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain;
const text = (raw: Buffer): string => raw.toString('base64url');
const bytes = (part: string | undefined): Buffer => {
  const raw = fromBase64url(part ?? '');
  if (!raw) throw new SealBroken('This is not a sealed text of a known form');
  return raw;
};
