// What tools/backup.mjs and tools/restore.mjs have in common: the form of a backup, and the list of accounts that were
// deleted. A backup is two files, so that who finds one of them reads nothing: a tar file with gzip that has manifest.json
// and data.mdb, the log as LMDB keeps it; and the keys, which are the `secrets.json` of the data folder.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { installDependencies } from './setup.mjs';

/** Of the newest backups; a higher one is of a newer Carillon. */
export const format = 2;
const held = ['manifest.json', 'data.mdb'];
/** Where the keys of a backup are unless they are named. */
export const keysFileOf = (file) => `${file}.keys.json`;
/** Ids, one a line. It outlives what it stands beside: a backup that is older than a deletion does not know of it. */
export const deletedFile = 'deleted-accounts';
/** The same, of those that the next start has to delete again before anybody is served (`deletions.ts` of standalone). */
export const pendingFile = 'deletions-pending';
const foldersFile = 'backup-folders.json';

/** What there is to say of this goes to stderr: stdout is for the answer. */
export async function prepare() {
  const { log } = console;
  console.log = console.error;
  await installDependencies();
  await (await import('./build.mjs')).build();
  console.log = log;
}

export const pack = (file, folder) =>
  execFileSync('tar', ['-czf', file, '-C', folder, ...held], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

export const unpack = (file, folder) =>
  execFileSync('tar', ['-xzf', file, '-C', folder, '--no-same-owner', ...held], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** Of the log and of the keys, which are told to belong together by this. */
export async function hashes(folder) {
  const all = {};
  for (const name of ['secrets.json', 'data.mdb']) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    all[name] = hash.digest('hex');
  }
  return all;
}

/** Of the newest event of a log that nobody uses. */
export async function positionIn(folder) {
  const { Log } = await import('../dist/apps/event-store-emulator/src/log.js');
  const log = Log.open(folder);
  const position = log.last();
  await log.close();
  rmSync(join(folder, 'lock.mdb'), { force: true });
  return position;
}

export const deletedIn = (file) => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);

/** Where backups of this standalone were put: a deletion is noted there too. */
const foldersOf = (data) => {
  const file = join(data, foldersFile);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
};

/** Puts the list of deleted accounts beside a backup, and keeps it up to date there from now on. */
export function listDeletionsBeside(data, folder) {
  const folders = new Set(foldersOf(data)).add(folder);
  writeFileSync(join(data, foldersFile), JSON.stringify([...folders]), { mode: 0o600 });
  const own = join(data, deletedFile);
  noteDeleted(folder, existsSync(own) ? deletedIn(own) : []);
}

/** Writes down that an account is deleted, everywhere where a backup may be restored. Gives the folders it could not reach. */
export function noteDeletion(data, accountId) {
  const unreached = [];
  for (const folder of [data, ...foldersOf(data)])
    try {
      noteDeleted(folder, [accountId]);
    } catch {
      unreached.push(folder);
    }
  return unreached;
}

function noteDeleted(folder, ids) {
  const file = join(folder, deletedFile);
  const known = existsSync(file) ? deletedIn(file) : [];
  const fresh = ids.filter((id) => !known.includes(id));
  appendFileSync(file, fresh.map((id) => `${id}\n`).join(''), { mode: 0o600 });
}
