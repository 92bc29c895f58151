import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyFolder } from './postgres';

/** Names the folder of a house that was started once. */
export const beginsWith = 'CARILLON_BEGUN_HOUSE';

/** What a house keeps from one start to the next. Ports, processes and logs are those of each house alone. */
export const kept: readonly string[] = ['event-store', 'nats', 'postgres', 'push-simulator', 'secrets.json'];

/** What the first start decides for ever, or writes down. */
const decidedAtFirst = [
  'CARILLON_AUDIT_KEY',
  'CARILLON_CELL',
  'CARILLON_KEYS',
  'CARILLON_KEYS_FILE',
  'CARILLON_PARTITIONS',
  'CARILLON_PEPPER',
  'DATABASE_URL',
  'EVENTSTORE_URL',
  'NATS_URL',
];

/** Gives a new house the data of one that was started once, where its settings leave it the choice. */
export async function beginData(dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const begun = process.env[beginsWith];
  if (begun === undefined || decidedAtFirst.some((name) => name in env)) return;
  for (const name of kept) {
    const from = join(begun, name);
    if (existsSync(from)) await copyFolder(from, join(dataDir, name));
  }
}

/** Removes its folder, and the one of the database where that had to be elsewhere. */
export function removeData(dataDir: string): void {
  const note = join(dataDir, 'postgres-folder.json');
  if (existsSync(note)) {
    const { folder } = JSON.parse(readFileSync(note, 'utf8')) as { folder: string };
    rmSync(folder, { recursive: true, force: true });
  }
  rmSync(dataDir, { recursive: true, force: true });
}
