import { createHmac } from 'node:crypto';
import { Refused } from '@carillon/eventing';
import { fingerprint, readCursor, signCursor } from '@carillon/signing';

/** Where a page of a list by name ends: the name of its last entry, and the tail of its id. */
export interface NameKey {
  readonly name: string;
  readonly tail: string;
}

/** A key for each filter, so that the cursor need not carry it: a long name fills it almost up. */
const keyFor = (key: Buffer, filter: unknown): Buffer =>
  createHmac('sha256', key).update(fingerprint(filter)).digest();

export const writeNameCursor = (key: Buffer, filter: unknown, { name, tail }: NameKey): string =>
  signCursor(keyFor(key, filter), { k: [name, tail] });

/** Refused `list.invalid_cursor` when it was altered or belongs to another list. */
export function readNameCursor(key: Buffer, filter: unknown, cursor: string): NameKey {
  const value = readCursor(keyFor(key, filter), cursor);
  const ends: unknown = value && 'k' in value ? value.k : undefined;
  if (!Array.isArray(ends)) throw new Refused('list.invalid_cursor');
  const [name, tail] = ends.map(String);
  return { name: name ?? '', tail: tail ?? '' };
}
