import { fromMicros, type Instant, micros, Refused } from '@carillon/eventing';
import { readCursor, signCursor } from '@carillon/signing';

/** The items that a list showed: all that match its filter, up to its newest one. */
export interface ReadThroughMark {
  readonly accountId: string;
  readonly through: { readonly createdAt: Instant; readonly id: string };
  /** null: items without a project; absent: any. */
  readonly projectId?: string | null;
  /** Only those with this text. */
  readonly q?: string;
  /** True: unread ones only; false: read ones only, of which there is nothing to mark. */
  readonly unread?: boolean;
}

export const writeReadThrough = (
  key: Buffer,
  { accountId, through, projectId, q, unread }: ReadThroughMark,
): string =>
  signCursor(key, {
    v: 1,
    a: accountId,
    t: [micros(through.createdAt), through.id],
    ...(projectId !== undefined && { p: projectId }),
    ...(q !== undefined && { q }),
    ...(unread !== undefined && { u: unread }),
  });

/** Refused `inbox.invalid_read_token` when it was altered or is another account's. */
export function readReadThrough(key: Buffer, accountId: string, token: string): ReadThroughMark {
  const value = readCursor(key, token) as
    { v?: number; a?: string; t?: [number, string]; p?: string | null; q?: string; u?: boolean } | undefined;
  if (value?.v !== 1 || value.a !== accountId || !value.t) throw new Refused('inbox.invalid_read_token');
  return {
    accountId,
    through: { createdAt: fromMicros(value.t[0]), id: value.t[1] },
    ...(value.p !== undefined && { projectId: value.p }),
    ...(value.q !== undefined && { q: value.q }),
    ...(value.u !== undefined && { unread: value.u }),
  };
}
