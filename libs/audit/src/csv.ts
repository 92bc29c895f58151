import type { EntryView } from './entry';

export const csvColumns = [
  'createdAt',
  'action',
  'actorUserId',
  'actorName',
  'actorTokenId',
  'targetType',
  'targetId',
  'ip',
  'userAgent',
  'metadata',
  'id',
  'previousHash',
  'hash',
] as const satisfies readonly (keyof EntryView)[];

export type CsvColumn = (typeof csvColumns)[number];

/** What a spreadsheet takes for the beginning of a formula, and the full-width forms that it takes for the same. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** A text that no spreadsheet calculates: what would begin a formula gets a quote before it. */
export const harmless = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** What a harmless text may have been: where it begins with a quote, that may have been there before. */
export const mayHaveBeen = (cell: string): readonly string[] =>
  [...new Set([cell.replace(/^'/, ''), cell])].filter((text) => harmless(text) === cell);

/** One record as RFC 4180 has it, with its line break. */
export const csvRecord = (cells: readonly string[]): string =>
  `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;

export const csvHeader = csvRecord(csvColumns);

const textOf = (value: EntryView[CsvColumn]): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export const csvOf = (entry: EntryView): string =>
  csvRecord(csvColumns.map((column) => harmless(textOf(entry[column]))));

/** A record as it was read, or the rest of the text, where that is none. */
export interface CsvRecord {
  readonly cells: readonly string[] | undefined;
  /** The line that it begins on, 1 for the first. */
  readonly line: number;
}

/** Reads exactly what `csvRecord` writes. What is written in any other way is no record. */
export function* readCsv(text: string): Generator<CsvRecord> {
  let line = 1;
  for (let from = 0; from < text.length;) {
    const { cells, end } = recordAt(text, from);
    const raw = text.slice(from, end);
    if (csvRecord(cells) !== raw) return yield { cells: undefined, line };
    yield { cells, line };
    line += raw.split('\n').length - 1;
    from = end;
  }
}

function recordAt(text: string, start: number): { cells: string[]; end: number } {
  const cells: string[] = [];
  for (let at = start; ;) {
    const quoted = text[at] === '"';
    const end = quoted ? closingQuote(text, at + 1) : plainEnd(text, at);
    cells.push(quoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end));
    at = quoted ? end + 1 : end;
    if (text[at] !== ',') return { cells, end: Math.min(text.length, at + 2) };
    at += 1;
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); ; at = text.indexOf('"', at + 2)) {
    if (at < 0) return text.length;
    if (text[at + 1] !== '"') return at;
  }
}

const separator = /[,\r\n]/g;

function plainEnd(text: string, from: number): number {
  separator.lastIndex = from;
  return separator.exec(text)?.index ?? text.length;
}
