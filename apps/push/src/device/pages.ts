import { type Instant, Refused } from '@carillon/eventing';
import { fingerprint, readCursor, signCursor } from '@carillon/signing';

/** The last entry of a page; the next page begins after it. */
export interface PageKey {
  readonly lastSeenAt: Instant;
  readonly id: string;
}

const micros = (at: Instant): number => Date.parse(at) * 1000;
const fromMicros = (value: number): Instant => new Date(Math.floor(value / 1000)).toISOString();
const filterMark = (filter: unknown): string => fingerprint(filter).slice(0, 16);

export const writeCursor = (key: Buffer, filter: unknown, { lastSeenAt, id }: PageKey): string =>
  signCursor(key, { v: 1, k: [micros(lastSeenAt), id], f: filterMark(filter) });

/** Refused `page.invalid_cursor` when it was altered or belongs to another list. */
export function readPageKey(key: Buffer, filter: unknown, cursor: string): PageKey {
  const value = readCursor(key, cursor) as { v?: number; k?: [number, string]; f?: string } | undefined;
  if (value?.v !== 1 || !value.k || value.f !== filterMark(filter)) throw new Refused('page.invalid_cursor');
  return { lastSeenAt: fromMicros(value.k[0]), id: value.k[1] };
}
