// What backup.ts and restore.ts have in common: the form of a backup. It is two files, so that who finds one of them
// reads nothing: a tar file with gzip that has manifest.json and data.mdb, the log as LMDB keeps it; and the keys,
// which are the `secrets.json` of the data folder.
import { Log } from '@carillon/app-event-store-emulator';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Of the newest backups; a higher one is of a newer Carillon. */
export const format = 2;
const held = ['manifest.json', 'data.mdb'];

/** The hashes tell that the log and the keys belong together. */
export interface Hashes {
  readonly 'secrets.json': string;
  readonly 'data.mdb': string;
}

/** The content of manifest.json. */
export interface Manifest {
  readonly format: number;
  readonly madeAt: string;
  readonly position: string;
  readonly sha256: Hashes;
}

export const pack = (file: string, folder: string): void => {
  execFileSync('tar', ['-czf', file, '-C', folder, ...held], { stdio: ['ignore', 'ignore', 'inherit'] });
};

export const unpack = (file: string, folder: string): void => {
  execFileSync('tar', ['-xzf', file, '-C', folder, '--no-same-owner', ...held], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
};

export const hashesIn = async (folder: string): Promise<Hashes> => ({
  'secrets.json': await hashOf(join(folder, 'secrets.json')),
  'data.mdb': await hashOf(join(folder, 'data.mdb')),
});

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Of the newest event of a log that nobody uses. */
export async function positionIn(folder: string): Promise<string> {
  const log = Log.open(folder);
  const position = log.last();
  await log.close();
  rmSync(join(folder, 'lock.mdb'), { force: true });
  return String(position);
}
