// node tools/restore.mjs --in=<file> [--keys=<file>] --data=<empty folder>: makes a data folder from the two files that
// tools/backup.mjs has made; the keys are in <file>.keys.json unless named. Start it with CARILLON_DATA=<folder> npm start;
// Postgres and NATS are filled again from the log. The keys of accounts that were deleted since the backup are destroyed, and
// the first start deletes these accounts again before it serves anybody: the file `deleted-accounts` beside the backup names
// them, or --deleted=<file>, or --deleted=none where none ever was. docs/operations.md says more.
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
import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  deletedFile,
  deletedIn,
  format,
  hashes,
  keysFileOf,
  pendingFile,
  positionIn,
  prepare,
  unpack,
} from './backup-file.mjs';
import { root } from './setup.mjs';

const { file, keys, data, deleted } = readOptions();
if (existsSync(data) && readdirSync(data).length > 0) give(`${data} is not empty.`);
if (!existsSync(keys))
  give(`${keys} is not there. The log opens with the keys of its backup only: name them with --keys=<file>.`);
if (deleted !== 'none' && !existsSync(deleted))
  give(
    `${deleted} is not there. It names the accounts that were deleted, which must not come back: name it with ` +
      '--deleted=<file>, or say --deleted=none where none ever was.',
  );
await prepare();

mkdirSync(dirname(data), { recursive: true });
// Beside the folder, so that a restore that failed leaves nothing that could be started.
const staging = mkdtempSync(join(dirname(data), '.carillon-restore-'));
try {
  unpack(file, staging);
  const manifest = JSON.parse(readFileSync(join(staging, 'manifest.json'), 'utf8'));
  if (manifest.format !== format)
    throw new Error(`It is of the form ${manifest.format}; this reads ${format}.`);
  copyFileSync(keys, join(staging, 'secrets.json'));
  chmodSync(join(staging, 'secrets.json'), 0o600);
  const found = await hashes(staging);
  if (found['data.mdb'] !== manifest.sha256['data.mdb']) throw new Error('The log in it is damaged.');
  if (found['secrets.json'] !== manifest.sha256['secrets.json'])
    throw new Error(`${keys} is not what the backup was made with, or damaged.`);
  rmSync(join(staging, 'manifest.json'));
  mkdirSync(join(staging, 'event-store'), { mode: 0o700 });
  renameSync(join(staging, 'data.mdb'), join(staging, 'event-store', 'data.mdb'));
  const position = String(await positionIn(join(staging, 'event-store')));
  if (position !== manifest.position)
    throw new Error(`Its log ends at ${position}, not at ${manifest.position}.`);
  const ids = deleted === 'none' ? [] : deletedIn(deleted);
  await shred(join(staging, 'event-store'), ids);
  const lines = ids.map((id) => `${id}\n`).join('');
  writeFileSync(join(staging, deletedFile), lines, { mode: 0o600 });
  if (ids.length > 0) writeFileSync(join(staging, pendingFile), lines, { mode: 0o600 });
  rmSync(data, { recursive: true, force: true });
  renameSync(staging, data);
  console.log(JSON.stringify({ data, madeAt: manifest.madeAt, position, deletedAccounts: ids.length }));
} catch (error) {
  console.error(`Not done: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(staging, { recursive: true, force: true });
}

/** Destroys the keys of these accounts in the restored log, as their deletion had done. */
async function shred(folder, ids) {
  if (ids.length === 0) return;
  const server = spawn(
    process.execPath,
    [
      join(root, 'dist/apps/event-store-emulator/src/main.js'),
      '--port',
      '0',
      '--data',
      folder,
      '--exit-with-parent',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise((done) => server.once('exit', done));
  const url = await new Promise((found, failed) => {
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      const line = said.split('\n').find((each) => each.includes('"msg":"listening"'));
      if (line) found(JSON.parse(line).connectionString);
    });
    server.once('exit', () => failed(new Error(`The restored log could not be opened: ${said}`)));
  });
  const { openEventStore } = await import('../dist/libs/event-store/src/event-store-db.js');
  const store = openEventStore(url);
  try {
    for (const id of ids) await store.delete(`account_key-${id}`);
  } finally {
    await store.close();
    server.kill('SIGTERM');
    await ended;
  }
}

function readOptions() {
  try {
    const names = ['in', 'keys', 'data', 'deleted'];
    const { values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    });
    if (values.in && values.data) {
      const file = resolve(values.in);
      const list = values.deleted ?? join(dirname(file), deletedFile);
      return {
        file,
        keys: resolve(values.keys ?? keysFileOf(file)),
        data: resolve(values.data),
        deleted: list === 'none' ? list : resolve(list),
      };
    }
  } catch (error) {
    console.error(error.message);
  }
  console.error(
    'usage: node tools/restore.mjs --in=<file> [--keys=<file>] --data=<empty folder> [--deleted=<file>|none]',
  );
  process.exit(2);
}

function give(why) {
  console.error(`Not done: ${why}`);
  process.exit(1);
}
