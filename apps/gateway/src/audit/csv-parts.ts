import { csvHeader, csvOf, type EntryView } from '@carillon/audit';

/** Batches of entries, each read when the previous one was consumed. */
export type EntryBatches = AsyncIterable<readonly EntryView[]>;

/** The CSV of the first `rows` entries, a batch at a time. */
export async function* csvParts(batches: EntryBatches, rows: number): AsyncGenerator<string> {
  let left = rows;
  yield csvHeader;
  if (left === 0) return;
  for await (const batch of batches) {
    const entries = batch.slice(0, left);
    left -= entries.length;
    yield entries.map(csvOf).join('');
    if (left === 0) return;
  }
  // The reader must not take a partial export for a complete one.
  throw new Error(`The audit log ended ${left} entries too early`);
}
