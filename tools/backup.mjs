// node tools/backup.mjs --out=<file>: copies all that is the truth of the standalone on CARILLON_DATA (.carillon unless
// set) into one file, while it runs or not: the log of its event store as it is at this moment, and its keys and
// passwords. The file opens everything: keep it as a secret. tools/restore.mjs brings it back; docs/operations.md says more.
// Prints what it holds as JSON on stdout.
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { format, hashes, listDeletionsBeside, pack, positionIn, prepare } from './backup-file.mjs';
import { root } from './setup.mjs';

const out = readOptions();
const data = resolve(process.env.CARILLON_DATA || join(root, '.carillon'));
const store = join(data, 'event-store');
for (const file of [join(data, 'secrets.json'), join(store, 'data.mdb')])
  if (!existsSync(file))
    give(`${file} is not there. A store of EVENTSTORE_URL is backed up the vendor's way.`);
if (existsSync(out)) give(`${out} is there already.`);
if (!existsSync(dirname(out))) give(`${dirname(out)} is not there.`);
await prepare();
const { open } = await import('lmdb');

// Beside the file, so that it appears there whole or not at all.
const staging = mkdtempSync(join(dirname(out), '.carillon-backup-'));
const packed = `${staging}.tar.gz`;
try {
  // LMDB gives a reader the last commit as a whole, whatever is written meanwhile.
  const log = open({ path: store, noSubdir: false, readOnly: true, maxDbs: 4 });
  await log.backup(staging, true);
  await log.close();
  copyFileSync(join(data, 'secrets.json'), join(staging, 'secrets.json'));
  // Every write that was acknowledged with this `Carillon-Position` or an earlier one is in it.
  const position = String(await positionIn(staging));
  const madeAt = new Date().toISOString();
  const manifest = { format, madeAt, position, sha256: await hashes(staging) };
  writeFileSync(join(staging, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  process.umask(0o077);
  pack(packed, staging);
  listDeletionsBeside(data, dirname(out));
  renameSync(packed, out);
  console.log(JSON.stringify({ file: out, madeAt, position, bytes: statSync(out).size }));
} catch (error) {
  console.error(`Not done: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(packed, { force: true });
  rmSync(staging, { recursive: true, force: true });
}

function readOptions() {
  try {
    const { values } = parseArgs({ options: { out: { type: 'string' } } });
    if (values.out) return resolve(values.out);
  } catch (error) {
    console.error(error.message);
  }
  console.error('usage: CARILLON_DATA=<folder> node tools/backup.mjs --out=<file>');
  process.exit(2);
}

function give(why) {
  console.error(`Not done: ${why}`);
  process.exit(1);
}
