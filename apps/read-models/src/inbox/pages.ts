import type { Instant } from '@carillon/eventing';
import { Refused } from '@carillon/eventing';
import { fingerprint, readCursor, signCursor } from '@carillon/signing';

/** Where a page of the inbox ends: the key of its last item, bound to the filter of the list. */
export interface PageKey {
  readonly createdAt: Instant;
  readonly id: string;
}

const micros = (at: Instant): number => Date.parse(at) * 1000;
const fromMicros = (value: number): Instant => new Date(Math.floor(value / 1000)).toISOString();
const filterMark = (filter: unknown): string => fingerprint(filter).slice(0, 16);

export const writeCursor = (key: Buffer, filter: unknown, { createdAt, id }: PageKey): string =>
  signCursor(key, { v: 1, k: [micros(createdAt), id], f: filterMark(filter) });

/** Refused `page.invalid_cursor` when it was altered or belongs to another list. */
export function readPageKey(key: Buffer, filter: unknown, cursor: string): PageKey {
  const value = readCursor(key, cursor) as { v?: number; k?: [number, string]; f?: string } | undefined;
  if (value?.v !== 1 || !value.k || value.f !== filterMark(filter)) throw new Refused('page.invalid_cursor');
  return { createdAt: fromMicros(value.k[0]), id: value.k[1] };
}

/** Which items a list showed: all of them up to its newest one, under its filter. */
export interface ReadThroughMark {
  readonly accountId: string;
  readonly through: PageKey;
  /** null: items without a project; absent: any. */
  readonly projectId?: string | null;
}

export const writeReadThrough = (key: Buffer, mark: ReadThroughMark, unread: boolean | undefined): string =>
  signCursor(key, {
    v: 1,
    a: mark.accountId,
    t: [micros(mark.through.createdAt), mark.through.id],
    ...(mark.projectId !== undefined && { p: mark.projectId }),
    ...(unread !== undefined && { u: unread }),
  });

/** Refused `inbox.invalid_read_token` when it was altered or is another account's. */
export function readReadThrough(key: Buffer, accountId: string, token: string): ReadThroughMark {
  const value = readCursor(key, token) as
    { v?: number; a?: string; t?: [number, string]; p?: string | null } | undefined;
  if (value?.v !== 1 || value.a !== accountId || !value.t) throw new Refused('inbox.invalid_read_token');
  return {
    accountId,
    through: { createdAt: fromMicros(value.t[0]), id: value.t[1] },
    ...(value.p !== undefined && { projectId: value.p }),
  };
}
