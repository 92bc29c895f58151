import { csvColumns, type CsvColumn, csvHeader, csvRecord, mayHaveBeen, readCsv } from './csv';
import type { EntryView } from './entry';

/** One row of an export. */
export interface ExportRow {
  /** The position of the row, for messages. */
  readonly where: string;
  /** What it may say: a cell that begins with a quote can be read in two ways. None when it cannot be read. */
  readonly readings: readonly Reading[];
}

/** Only JSON has the team's id; the verification finds missing fields and wrong types. */
export type Reading = Readonly<Partial<Record<keyof EntryView | 'teamId', unknown>>>;

export interface AuditExport {
  readonly form: 'csv' | 'json';
  readonly rows: readonly ExportRow[];
  /** The pages end with the oldest entry. Of a CSV its own entry tells that. */
  readonly isToTheEnd: boolean;
}

/** The input is not an export. */
class NoExport extends Error {
  override readonly name = 'NoExport';
}

/** A CSV, or one or more pages of JSON in their order, each a file of its own or all in an array. */
export function readExport(texts: readonly string[]): AuditExport {
  const [first = ''] = texts;
  if (/^\s*[[{]/.test(first)) return readPages(texts);
  if (texts.length > 1) throw new NoExport('A CSV export is one file');
  return { form: 'csv', rows: [...csvRows(first)], isToTheEnd: false };
}

function* csvRows(text: string): Generator<ExportRow> {
  let isHeader = true;
  for (const { cells, line } of readCsv(text)) {
    if (isHeader && (!cells || csvRecord(cells) !== csvHeader))
      throw new NoExport('The first line is not the header of an audit export');
    if (!isHeader) yield { where: `line ${line}`, readings: cells ? readingsOf(cells) : [] };
    isHeader = false;
  }
  if (isHeader) throw new NoExport('There is nothing in it');
}

function readingsOf(cells: readonly string[]): Reading[] {
  if (cells.length !== csvColumns.length) return [];
  let readings: Reading[] = [{}];
  for (const [index, column] of csvColumns.entries()) {
    const values = mayHaveBeen(cells[index] ?? '').map((text) => valueOf(column, text));
    readings = readings.flatMap((reading) => values.map((value) => ({ ...reading, [column]: value })));
  }
  return readings;
}

function valueOf(column: CsvColumn, text: string): unknown {
  if (text === '') return null;
  if (column !== 'metadata') return text;
  try {
    const value: unknown = JSON.parse(text);
    // Only as it was written: another form of the same would go unnoticed.
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function readPages(texts: readonly string[]): AuditExport {
  const pages = texts.flatMap((text): unknown[] => {
    const given = parsed(text);
    return Array.isArray(given) ? given : [given];
  });
  const rows = pages.flatMap((page, pageIndex) => {
    const { entries } = Object(page) as { entries?: unknown };
    if (!Array.isArray(entries)) throw new NoExport('A page of JSON has "entries", an array');
    return entries.map((entry: unknown, index) => ({
      where: `${pages.length > 1 ? `page ${pageIndex + 1}, ` : ''}entry ${index + 1}`,
      readings: typeof entry === 'object' && entry !== null ? [entry] : [],
    }));
  });
  const { nextCursor } = Object(pages.at(-1)) as { nextCursor?: unknown };
  return { form: 'json', rows, isToTheEnd: nextCursor === null };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NoExport('It is neither JSON nor a CSV export', { cause: error });
  }
}
