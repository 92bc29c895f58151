import { createHmac } from 'node:crypto';
import { type ListPage, listLimit } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import {
  type Condition,
  fingerprint,
  readCursor,
  signCursor,
  type SortedRow,
  type SortKey,
  type SortOrder,
} from '@carillon/signing';
import { secret } from '@carillon/settings';

/** The maximum bytes of JSON of the entries of one page: half of what NATS carries in one message. */
const maxBytes = 512 * 1024;

/** At least the bytes of a value's JSON, without writing it. A character takes six bytes at most: `\u0000`. */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return 2 + 6 * value.length;
  if (typeof value !== 'object' || value === null) return 24;
  // Of a date, which has no fields, too.
  let bytes = 32;
  for (const name in value) bytes += 4 + 6 * name.length + mostBytes(value[name as keyof typeof value]);
  return bytes;
}

/** The first entries, as many as fit in one page; at least one. */
function fitting<Item>(items: Item[]): Item[] {
  if (mostBytes(items) <= maxBytes) return items;
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
  cursorAfter: (last: Item, index: number) => string,
): ListPage<Item> & { items: Item[] } {
  const page = fitting(items);
  const last = page.at(-1);
  const goesOn = more || page.length < items.length;
  return {
    items: page,
    nextCursor: goesOn && last !== undefined ? cursorAfter(last, page.length - 1) : null,
  };
}

/** The key that signs one kind of cursor, so that cursors of different kinds are not interchangeable. */
export const cursorKey = (kind: string): Buffer =>
  createHmac('sha256', secret('CARILLON_PEPPER')).update(`${kind} cursors`).digest();

interface ListRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A requested list page. */
export interface RequestedPage<Name extends string> {
  readonly limit: number;
  /** The sort key of the last entry of the page before; undefined for the first page. */
  readonly key: SortKey<Name> | undefined;
  /** Holds for the rows of this page and the pages after it. Its parameters begin with `$<first>`. */
  after(first: number): Condition;
  /** Makes the page from rows and their entries: one more than `limit` if others follow, unless `more` tells that. */
  of<Item>(
    rows: readonly SortedRow<Name>[],
    items: readonly Item[],
    more?: boolean,
  ): ListPage<Item> & { items: Item[] };
}

/** The cursors of one list in one order, invalid for any other list or order. */
export class Cursors<Name extends string> {
  private readonly key: Buffer;

  constructor(
    list: string,
    private readonly order: SortOrder<Name>,
  ) {
    this.key = cursorKey(list);
  }

  /** Put the account into the filter. Refused `list.invalid_cursor` when the cursor is not of this list and filter. */
  asked(filter: unknown, input: ListRequest): RequestedPage<Name> {
    const { order } = this;
    const signingKey = this.keyFor(filter);
    const limit = listLimit(input);
    const key = input.cursor === undefined ? undefined : this.read(signingKey, input.cursor);
    return {
      limit,
      key,
      after: (first) => order.after(key, first),
      of: (rows, items, more = rows.length > limit) =>
        listPageOf(items.slice(0, limit), more, (_, index) => {
          const row = rows[index];
          if (!row) throw new Error('An entry of a list page has no row');
          return signCursor(signingKey, { k: order.valuesOf(order.keyOf(row)) });
        }),
    };
  }

  /** Differs by order and filter, so that a cursor need not contain them: a long name fills it almost up. */
  private keyFor(filter: unknown): Buffer {
    return createHmac('sha256', this.key)
      .update(fingerprint([this.order.version, filter]))
      .digest();
  }

  private read(signingKey: Buffer, cursor: string): SortKey<Name> {
    const value = readCursor(signingKey, cursor);
    const values: unknown = value && 'k' in value ? value.k : undefined;
    if (!Array.isArray(values)) throw new Refused('list.invalid_cursor');
    return this.order.keyFrom(values.map(String));
  }
}
