// node tools/restore.mjs --in=<file> [--keys=<file>] --data=<empty folder>: makes a data folder from the two files that
// backup.ts has made; the keys are in <file>.keys.json unless named. Start it with CARILLON_DATA=<folder> npm start;
// Postgres and NATS are filled again from the log. The keys of accounts that were deleted since the backup are
// destroyed, and the first start deletes these accounts again before it serves anybody: the file `deleted-accounts`
// beside the backup names them, or --deleted=<file>, or --deleted=none where none ever was. docs/operations.md says
// more.
import { openEventStore } from '@carillon/event-store';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { format, hashesIn, type Manifest, positionIn, unpack } from './backup-file';
import { restoreOptions } from './backup-options';
import { runProgram } from './command-line';
import { deletedFile, deletedIn, pendingFile } from './deleted-accounts';
import { checkout } from './installation';

const usage =
  'usage: node tools/restore.mjs --in=<file> [--keys=<file>] --data=<empty folder> [--deleted=<file>|none]';

await runProgram(usage, async () => {
  const { file, keys, data, deleted } = restoreOptions(process.argv.slice(2));
  if (existsSync(data) && readdirSync(data).length > 0) throw new Error(`${data} is not empty.`);
  if (!existsSync(keys))
    throw new Error(
      `${keys} is not there. The log opens with the keys of its backup only: name them with --keys=<file>.`,
    );
  if (deleted !== undefined && !existsSync(deleted))
    throw new Error(
      `${deleted} is not there. It names the accounts that were deleted, which must not come back: name it with ` +
        '--deleted=<file>, or say --deleted=none where none ever was.',
    );
  mkdirSync(dirname(data), { recursive: true });
  // Beside the folder, so that a restore that failed leaves nothing that could be started.
  const staging = mkdtempSync(join(dirname(data), '.carillon-restore-'));
  try {
    const { madeAt, position } = await open(file, keys, staging);
    const ids = deleted === undefined ? [] : deletedIn(deleted);
    await shred(join(staging, 'event-store'), ids);
    const lines = ids.map((id) => `${id}\n`).join('');
    writeFileSync(join(staging, deletedFile), lines, { mode: 0o600 });
    if (ids.length > 0) writeFileSync(join(staging, pendingFile), lines, { mode: 0o600 });
    rmSync(data, { recursive: true, force: true });
    renameSync(staging, data);
    console.log(JSON.stringify({ data, madeAt, position, deletedAccounts: ids.length }));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
});

/** Makes the data folder in `staging`, and checks that it is what was backed up. */
async function open(file: string, keys: string, staging: string): Promise<Manifest> {
  unpack(file, staging);
  const manifest: Manifest = JSON.parse(readFileSync(join(staging, 'manifest.json'), 'utf8'));
  if (manifest.format !== format)
    throw new Error(`It is of the form ${manifest.format}; this reads ${format}.`);
  copyFileSync(keys, join(staging, 'secrets.json'));
  chmodSync(join(staging, 'secrets.json'), 0o600);
  const found = await hashesIn(staging);
  if (found['data.mdb'] !== manifest.sha256['data.mdb']) throw new Error('The log in it is damaged.');
  if (found['secrets.json'] !== manifest.sha256['secrets.json'])
    throw new Error(`${keys} is not what the backup was made with, or damaged.`);
  rmSync(join(staging, 'manifest.json'));
  mkdirSync(join(staging, 'event-store'), { mode: 0o700 });
  renameSync(join(staging, 'data.mdb'), join(staging, 'event-store', 'data.mdb'));
  const position = await positionIn(join(staging, 'event-store'));
  if (position !== manifest.position)
    throw new Error(`Its log ends at ${position}, not at ${manifest.position}.`);
  return manifest;
}

/** Destroys the keys of these accounts in the restored log, as their deletion had done. */
async function shred(folder: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const main = join(checkout, 'dist/apps/event-store-emulator/src/main.js');
  const server = spawn(process.execPath, [main, '--port', '0', '--data', folder, '--exit-with-parent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  const url = await new Promise<string>((found, failed) => {
    let said = '';
    server.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const line = said.split('\n').find((each) => each.includes('"msg":"listening"'));
      if (line) found(JSON.parse(line).connectionString);
    });
    server.once('exit', () => failed(new Error(`The restored log could not be opened: ${said}`)));
  });
  const store = openEventStore(url);
  try {
    for (const id of ids) await store.delete(`account_key-${id}`);
  } finally {
    await store.close();
    server.kill('SIGTERM');
    await ended;
  }
}
