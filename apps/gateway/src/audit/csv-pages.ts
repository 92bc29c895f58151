import { csvHeader, csvOf, type EntryView } from '@carillon/audit';

/** Pages of entries, each read when the previous one was consumed. */
export type EntryPages = AsyncIterable<readonly EntryView[]>;

/** The CSV of the first `rows` entries, a page at a time. */
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
  // The reader must not take a partial export for a complete one.
  throw new Error(`The audit log ended ${left} entries too early`);
}
