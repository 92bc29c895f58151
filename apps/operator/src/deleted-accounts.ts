// The lists of accounts that were deleted: ids, one a line, in the data folder of a standalone and beside each of its
// backups. A list outlives what it stands beside: a backup that is older than a deletion does not know of it.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const deletedFile = 'deleted-accounts';
/**
 * The same, of those that the next start has to delete again before anybody is served (`deletions.ts` of standalone).
 */
export const pendingFile = 'deletions-pending';
const foldersFile = 'backup-folders.json';

export const deletedIn = (file: string): string[] => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);

/** Where backups of this standalone were put: a deletion is noted there too. */
const foldersOf = (data: string): string[] => {
  const file = join(data, foldersFile);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
};

/** Puts the list of deleted accounts beside a backup, and keeps it up to date there from now on. */
export function listDeletionsBeside(data: string, folder: string): void {
  const folders = new Set(foldersOf(data)).add(folder);
  writeFileSync(join(data, foldersFile), JSON.stringify([...folders]), { mode: 0o600 });
  const own = join(data, deletedFile);
  noteDeleted(folder, existsSync(own) ? deletedIn(own) : []);
}

/**
 * Writes down that an account is deleted, everywhere where a backup may be restored. Gives the folders it could not
 * reach.
 */
export function noteDeletion(data: string, accountId: string): string[] {
  const unreached: string[] = [];
  for (const folder of [data, ...foldersOf(data)])
    try {
      noteDeleted(folder, [accountId]);
    } catch {
      unreached.push(folder);
    }
  return unreached;
}

function noteDeleted(folder: string, ids: readonly string[]): void {
  const file = join(folder, deletedFile);
  const known = existsSync(file) ? deletedIn(file) : [];
  const fresh = ids.filter((id) => !known.includes(id));
  appendFileSync(file, fresh.map((id) => `${id}\n`).join(''), { mode: 0o600 });
}
