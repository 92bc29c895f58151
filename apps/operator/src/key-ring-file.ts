// The file that has the installation's key ring: one of secrets.ts with the ring alone, or `secrets.json` of a
// standalone. For `keys add` and `keys use` of admin.ts.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';

const entriesOf = (ring: string): string[] => ring.split(',').map((entry) => entry.trim());
const idOf = (entry: string): string => entry.split(':')[0] ?? '';
const numberOf = (entry: string): number => Number(/^k(\d+)$/.exec(idOf(entry))?.[1] ?? 0);
const newestOf = (entries: readonly string[]): string =>
  entries.reduce((newest, each) => (numberOf(each) > numberOf(newest) ? each : newest));

/** A new key at the end: it opens, and seals nothing yet. One that waits there already is not joined by another. */
export function withNewKey(ring: string, key = randomBytes(32)): string {
  const entries = entriesOf(ring);
  const newest = newestOf(entries);
  if (entries.length > 1 && newest === entries.at(-1)) return ring;
  return [...entries, `k${numberOf(newest) + 1}:${key.toString('base64')}`].join(',');
}

/** The newest key at the front, where it seals. */
export function withNewestFirst(ring: string): string {
  const entries = entriesOf(ring);
  const newest = newestOf(entries);
  return [newest, ...entries.filter((each) => each !== newest)].join(',');
}

/** Gives the ids of the keys, the one that seals first. The file is changed whole or not at all. */
export function changeRing(file: string, change: (ring: string) => string): string[] {
  const text = readFileSync(file, 'utf8');
  const values: { keys?: string } | undefined = text.startsWith('{') ? JSON.parse(text) : undefined;
  const before = (values ? values.keys : text)?.trim() ?? '';
  if (!/^[\w-]+:/.test(before)) throw new Error(`${file} has no key ring`);
  const ring = change(before);
  const beside = `${file}.${process.pid}`;
  const after = values ? `${JSON.stringify({ ...values, keys: ring }, null, 2)}\n` : ring;
  writeFileSync(beside, after, { mode: statSync(file).mode & 0o777, flag: 'wx', flush: true });
  renameSync(beside, file);
  return entriesOf(ring).map(idOf);
}
