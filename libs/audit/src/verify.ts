import { checkRow } from './check-row';
import { noHash, type EntryView } from './entry';
import type { AuditExport, ExportRow } from './read-export';

export interface VerifyOptions {
  /** It was asked for with `from`, `to`, `action` or `actorUserId`: entries may be absent. */
  readonly filtered?: boolean;
  /** The installation's public keys, `x` of their JWKs. */
  readonly keys?: readonly string[];
}

/** The first thing that is wrong, from the newest row on. */
export interface Finding {
  readonly kind: 'altered' | 'missing' | 'reordered';
  readonly where: string;
  readonly what: string;
}

export interface VerificationReport {
  readonly rows: number;
  /** How many of them a signature of the given keys covers; without keys none. */
  readonly covered: number;
  readonly finding?: Finding;
  /** What holds beside that, and what nothing in the export can tell. */
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
}

interface LocatedEntry {
  readonly where: string;
  readonly entry: EntryView;
}

/** Verifies an export from what stands in it, newest row first. */
export function verify(given: AuditExport, options: VerifyOptions = {}): VerificationReport {
  const rows: LocatedEntry[] = [];
  const fail = (finding: Finding): VerificationReport => ({
    rows: given.rows.length,
    covered: 0,
    finding,
    proved: [],
    notProved: [],
  });
  for (const row of given.rows) {
    const checked = checkRow(row);
    if (checked.fault !== undefined)
      return fail({ kind: 'altered', where: row.where, what: `${idOf(row)}${checked.fault}` });
    rows.push({ where: row.where, entry: checked.entry });
  }
  const [newest] = rows;
  const oldest = rows.at(-1);
  if (!newest || !oldest)
    return { rows: 0, covered: 0, proved: [], notProved: ['There is no entry in it: that there are none.'] };
  const isFiltered = options.filtered === true || selects(newest.entry);
  const finding =
    strangeKey(rows, options.keys) ??
    broken(rows, isFiltered) ??
    (isFiltered ? undefined : (missingAtBegin(given, newest) ?? missingAtEnd(given, newest, oldest)));
  if (finding) return fail(finding);
  return { rows: rows.length, ...told(given, rows, isFiltered, options) };
}

const idOf = ({ readings: [reading] }: ExportRow): string =>
  typeof reading?.id === 'string' ? `${reading.id}: ` : '';

const proofOf = ({ entry }: LocatedEntry) => entry.metadata.proof;
const sequenceOf = (row: LocatedEntry): number => proofOf(row).sequence;
const nameOf = (row: LocatedEntry): string => `entry ${sequenceOf(row)} (${row.entry.id})`;

/** The newest row is the export's own entry, which tells what was asked for. */
const selects = ({ action, metadata }: EntryView): boolean =>
  action === 'audit.exported' && ('action' in metadata || 'actorUserId' in metadata);

function strangeKey(rows: readonly LocatedEntry[], keys: readonly string[] | undefined): Finding | undefined {
  if (!keys) return undefined;
  const strange = rows.find((row) => {
    const { checkpoint } = proofOf(row);
    return checkpoint && !keys.includes(checkpoint.key);
  });
  return (
    strange && {
      kind: 'altered',
      where: strange.where,
      what: `${nameOf(strange)} is signed with a key that is not the installation's`,
    }
  );
}

/** Each row must be followed by the entry before it. */
function broken(rows: readonly LocatedEntry[], isFiltered: boolean): Finding | undefined {
  const all = rows.map(sequenceOf);
  // Sequence numbers that only decrease exclude a reordering, however wide the gaps are.
  const misplaced = all.every((sequence, index) => index === 0 || sequence < all[index - 1]!) ? [] : all;
  for (const [index, older] of rows.entries()) {
    const newer = rows[index - 1];
    const finding = newer ? between(newer, older, misplaced, isFiltered) : undefined;
    if (finding) return finding;
  }
  return undefined;
}

function between(
  newer: LocatedEntry,
  older: LocatedEntry,
  misplaced: readonly number[],
  isFiltered: boolean,
): Finding | undefined {
  const { where } = older;
  const [after, here] = [sequenceOf(newer), sequenceOf(older)];
  if (proofOf(newer).teamId !== proofOf(older).teamId)
    return { kind: 'altered', where, what: `${nameOf(older)} is another team's` };
  if (here >= after)
    return { kind: 'reordered', where, what: `${nameOf(older)} comes after entry ${after}, which is older` };
  if (here === after - 1)
    return newer.entry.previousHash === older.entry.hash
      ? undefined
      : { kind: 'altered', where, what: `${nameOf(older)} is not the one that entry ${after} follows` };
  const later = misplaced.find((sequence) => sequence > here && sequence < after);
  if (later !== undefined)
    return { kind: 'reordered', where, what: `${nameOf(older)} comes before entry ${later}` };
  if (isFiltered) return undefined;
  return {
    kind: 'missing',
    where,
    what: `before this row ${entries(here + 1, after - 1)} missing (if only some were asked for, give --filtered)`,
  };
}

const entries = (first: number, last: number): string =>
  first === last ? `entry ${first} is` : `entries ${first} to ${last} are`;

/** A CSV begins with the entry of its own export. */
function missingAtBegin({ form }: AuditExport, { where, entry }: LocatedEntry): Finding | undefined {
  if (form !== 'csv' || entry.action === 'audit.exported') return undefined;
  return {
    kind: 'missing',
    where,
    what: 'before this row the entry of the export itself is missing (if only some were asked for, give --filtered)',
  };
}

/** How many rows a CSV had, its own entry tells; pages end with the oldest entry that is kept. */
function missingAtEnd(
  { form, isToTheEnd }: AuditExport,
  newest: LocatedEntry,
  oldest: LocatedEntry,
): Finding | undefined {
  const here = sequenceOf(oldest);
  const { rows } = newest.entry.metadata;
  const { keptFrom } = proofOf(newest);
  const expected =
    form === 'csv' && typeof rows === 'number' ? sequenceOf(newest) - rows + 1 : isToTheEnd ? keptFrom : here;
  if (here > expected)
    return {
      kind: 'missing',
      where: oldest.where,
      what: `after this row ${entries(expected, here - 1)} missing`,
    };
  if (here === 1 && oldest.entry.previousHash !== noHash)
    return { kind: 'altered', where: oldest.where, what: `${nameOf(oldest)} is not the team's first` };
  return undefined;
}

/** Those that are signed, or that a signed one follows with nothing absent in between. */
function underSignatures(rows: readonly LocatedEntry[]): ReadonlySet<LocatedEntry> {
  const under = new Set<LocatedEntry>();
  for (const [index, row] of rows.entries()) {
    const newer = rows[index - 1];
    const isLinked = newer && under.has(newer) && sequenceOf(row) === sequenceOf(newer) - 1;
    if (proofOf(row).checkpoint || isLinked) under.add(row);
  }
  return under;
}

function told(
  { form }: AuditExport,
  rows: readonly LocatedEntry[],
  isFiltered: boolean,
  { keys }: VerifyOptions,
): Pick<VerificationReport, 'covered' | 'proved' | 'notProved'> {
  const signed = rows.filter((row) => proofOf(row).checkpoint !== undefined);
  const under = underSignatures(rows);
  const uncovered = rows.filter((row) => !under.has(row)).map(sequenceOf);
  const erased = rows.filter((row) => proofOf(row).salt === undefined).length;
  const [newest, oldest] = [rows[0] as LocatedEntry, rows.at(-1) as LocatedEntry];
  const [newestSigned] = signed;
  const { keptFrom } = proofOf(newest);
  const proved = [
    ...(keys && under.size > 0
      ? [
          `${under.size} of ${rows.length} entries are as they were recorded: a signature of the key covers them.`,
        ]
      : []),
    ...(keys && uncovered.length === 0
      ? []
      : [`Each of the ${rows.length} entries is consistent with itself.`]),
    ...(isFiltered
      ? []
      : [`They are all of ${sequenceOf(oldest)} to ${sequenceOf(newest)}, in their order.`]),
    ...(newestSigned
      ? [
          `Entry ${sequenceOf(newestSigned)} and all before it were signed by ${newestSigned.entry.createdAt}.`,
        ]
      : []),
  ];
  const publicKeys = [...new Set(signed.map((row) => proofOf(row).checkpoint?.key))];
  const notProved = [
    ...(uncovered.length === 0
      ? []
      : [
          `That ${ranges(uncovered)} ${uncovered.length === 1 ? 'is' : 'are'} as recorded: no signature covers that.`,
        ]),
    ...(keys || !newestSigned
      ? []
      : [
          `Whose the key ${publicKeys.join(', ')} is: give --key=<jwks>, from the installation's own address.`,
        ]),
    ...(isFiltered ? ['Whether entries are missing: those that were not asked for are absent.'] : []),
    ...(form === 'json' && !isFiltered ? ['Whether newer entries were left out.'] : []),
    ...(sequenceOf(oldest) > 1 && !isFiltered
      ? [
          `What entries 1 to ${sequenceOf(oldest) - 1} said${
            keptFrom > 1 ? `: the team's retention has removed those before ${keptFrom}` : ''
          }.`,
        ]
      : []),
    ...(erased > 0
      ? [`What ${erased} entries said of persons: their text was erased or left out, the rest of them holds.`]
      : []),
  ];
  return { covered: keys ? under.size : 0, proved, notProved };
}

/** How many runs of entries a sentence names. */
const namedRanges = 10;

/** `entries 6 to 4, 2`, of numbers that go down. */
function ranges(sequences: readonly number[]): string {
  const found: { newest: number; oldest: number }[] = [];
  for (const sequence of sequences) {
    const run = found.at(-1);
    if (run?.oldest === sequence + 1) run.oldest = sequence;
    else found.push({ newest: sequence, oldest: sequence });
  }
  const said = found
    .slice(0, namedRanges)
    .map(({ newest, oldest }) => (newest === oldest ? `${newest}` : `${newest} to ${oldest}`));
  if (found.length > namedRanges) said.push('and older ones');
  return `${sequences.length === 1 ? 'entry' : 'entries'} ${said.join(', ')}`;
}
