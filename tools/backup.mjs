// node tools/backup.mjs --out=<file> [--keys=<file>]: copies all that is the truth of the standalone on CARILLON_DATA
// (.carillon unless set), while it runs or not: the log of its event store as it is at this moment into one file, its keys
// and passwords into another (<file>.keys.json unless named). Who has both reads everything: keep them apart.
// tools/restore.mjs brings them back; docs/operations.md says more. Prints what was made as JSON on stdout.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  format,
  hashes,
  keysFileOf,
  listDeletionsBeside,
  pack,
  positionIn,
  prepare,
} from './backup-file.mjs';
import { root } from './setup.mjs';

const { out, keys } = readOptions();
const data = resolve(process.env.CARILLON_DATA || join(root, '.carillon'));
const store = join(data, 'event-store');
for (const file of [join(data, 'secrets.json'), join(store, 'data.mdb')])
  if (!existsSync(file))
    give(`${file} is not there. A store of EVENTSTORE_URL is backed up the vendor's way.`);
for (const file of [out, keys]) {
  if (existsSync(file)) give(`${file} is there already.`);
  if (!existsSync(dirname(file))) give(`${dirname(file)} is not there.`);
}
await prepare();
const { open } = await import('lmdb');

// Beside the file, so that it appears there whole or not at all. The keys come first: a log without them opens nothing.
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
  writeFileSync(keys, readFileSync(join(staging, 'secrets.json')), { mode: 0o600, flag: 'wx', flush: true });
  try {
    renameSync(packed, out);
  } catch (error) {
    rmSync(keys);
    throw error;
  }
  console.error(
    `Keep ${keys} apart from ${out}: neither can be restored alone, and who has both reads everything.`,
  );
  console.log(JSON.stringify({ file: out, keys, madeAt, position, bytes: statSync(out).size }));
} catch (error) {
  console.error(`Not done: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(packed, { force: true });
  rmSync(staging, { recursive: true, force: true });
}

function readOptions() {
  try {
    const { values } = parseArgs({ options: { out: { type: 'string' }, keys: { type: 'string' } } });
    if (values.out) {
      const out = resolve(values.out);
      return { out, keys: resolve(values.keys ?? keysFileOf(out)) };
    }
  } catch (error) {
    console.error(error.message);
  }
  console.error('usage: CARILLON_DATA=<folder> node tools/backup.mjs --out=<file> [--keys=<file>]');
  process.exit(2);
}

function give(why) {
  console.error(`Not done: ${why}`);
  process.exit(1);
}
