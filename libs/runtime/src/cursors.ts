import { createHmac } from 'node:crypto';
import { type ListPage, listLimit } from '@carillon/contracts';
import { fromMicros, type Instant, micros, Refused } from '@carillon/eventing';
import { fingerprint, readCursor, signCursor } from '@carillon/signing';
import { secret } from '@carillon/settings';

/** The sort key of the last entry of a list page. The next page begins after it. */
export interface SortKey {
  readonly at: Instant;
  readonly id: string;
}

/** The maximum bytes of JSON of the entries of one page: half of what NATS carries in one message. */
const maxBytes = 512 * 1024;

/** The first entries, as many as fit in one page; at least one. */
function fitting<Item>(items: Item[]): Item[] {
  let bytes = 0;
  for (let count = 0; count < items.length; count += 1) {
    bytes += Buffer.byteLength(JSON.stringify(items[count])) + 1;
    if (bytes > maxBytes && count > 0) return items.slice(0, count);
  }
  return items;
}

/**
 * A list page of the entries that fit. `more`: further entries follow; `cursorAfter` makes the cursor after an entry.
 */
export function listPageOf<Item>(
  items: Item[],
  more: boolean,
  cursorAfter: (last: Item) => string,
): ListPage<Item> & { items: Item[] } {
  const page = fitting(items);
  const last = page.at(-1);
  const goesOn = more || page.length < items.length;
  return { items: page, nextCursor: goesOn && last !== undefined ? cursorAfter(last) : null };
}

/** The key that signs one kind of cursor, so that cursors of different kinds are not interchangeable. */
export const cursorKey = (kind: string): Buffer =>
  createHmac('sha256', secret('CARILLON_PEPPER')).update(`${kind} cursors`).digest();

const filterMark = (filter: unknown): string => fingerprint(filter).slice(0, 16);

/** A cursor that is valid for this filter only; put the account into the filter. */
export const writeCursor = (key: Buffer, filter: unknown, { at, id }: SortKey): string =>
  signCursor(key, { v: 1, k: [micros(at), id], f: filterMark(filter) });

/** Refused `list.invalid_cursor` when it was altered or belongs to another list. */
export function readSortKey(key: Buffer, filter: unknown, cursor: string): SortKey {
  const value = readCursor(key, cursor) as { v?: number; k?: [number, string]; f?: string } | undefined;
  if (value?.v !== 1 || !value.k || value.f !== filterMark(filter)) throw new Refused('list.invalid_cursor');
  return { at: fromMicros(value.k[0]), id: value.k[1] };
}

interface Created {
  readonly createdAt: Instant;
  readonly id: string;
}

/** The sort key in lists that have the newest first. */
export const byCreation = ({ createdAt: at, id }: Created): SortKey => ({ at, id });

interface ListRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A requested list page. */
export interface RequestedPage<Entry> {
  readonly limit: number;
  /** The last entry of the page before; undefined for the first page. */
  readonly after: SortKey | undefined;
  /** Makes the page from the entries found: one more than `limit` if others follow, unless `more` tells that. */
  of<Item extends Entry>(found: Item[], more?: boolean): ListPage<Item> & { items: Item[] };
}

/** The cursors of one list, invalid for any other. `keyOf` gives the sort key of an entry. */
export class Cursors<Entry> {
  private readonly key: Buffer;

  constructor(
    list: string,
    private readonly keyOf: (last: Entry) => SortKey,
  ) {
    this.key = cursorKey(list);
  }

  /** Put the account into the filter. Refused `list.invalid_cursor` when the cursor is not of this list and filter. */
  asked(filter: unknown, input: ListRequest): RequestedPage<Entry> {
    const { key, keyOf } = this;
    const limit = listLimit(input);
    return {
      limit,
      after: input.cursor === undefined ? undefined : readSortKey(key, filter, input.cursor),
      of: (found, more = found.length > limit) =>
        listPageOf(found.slice(0, limit), more, (last) => writeCursor(key, filter, keyOf(last))),
    };
  }
}
