import { csvHeader, csvOf, type EntryView } from '@carillon/audit';

/** Pages of entries, each asked for when the one before was taken. */
export type EntryPages = AsyncIterable<readonly EntryView[]>;

/** The CSV of so many entries, a page at a time. */
export async function* csvPages(pages: EntryPages, rows: number): AsyncGenerator<string> {
  let left = rows;
  yield csvHeader;
  if (left === 0) return;
  for await (const page of pages) {
    const entries = page.slice(0, left);
    left -= entries.length;
    yield entries.map(csvOf).join('');
    if (left === 0) return;
  }
  // The reader must not take a part for the whole.
  throw new Error(`The audit log ended ${left} entries too early`);
}
