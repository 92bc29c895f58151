// node tools/backup.mjs --out=<file> [--keys=<file>]: copies all that is the truth of the standalone on CARILLON_DATA
// (.carillon unless set), while it runs or not: the log of its event store as it is at this moment into one file, its
// keys and passwords into another (<file>.keys.json unless named). Who has both reads everything: keep them apart.
// restore.ts brings them back; docs/operations.md says more. Prints what was made as JSON on stdout.
import { open } from 'lmdb';
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
import { dirname, join } from 'node:path';
import { format, hashesIn, type Manifest, pack, positionIn } from './backup-file';
import { backupOptions } from './backup-options';
import { runProgram } from './command-line';
import { listDeletionsBeside } from './deleted-accounts';
import { dataFolder } from './installation';

const usage = 'usage: CARILLON_DATA=<folder> node tools/backup.mjs --out=<file> [--keys=<file>]';

await runProgram(usage, async () => {
  const { out, keys } = backupOptions(process.argv.slice(2));
  const data = dataFolder();
  const store = join(data, 'event-store');
  for (const file of [join(data, 'secrets.json'), join(store, 'data.mdb')])
    if (!existsSync(file))
      throw new Error(`${file} is not there. A store of EVENTSTORE_URL is backed up the vendor's way.`);
  for (const file of [out, keys]) {
    if (existsSync(file)) throw new Error(`${file} is there already.`);
    if (!existsSync(dirname(file))) throw new Error(`${dirname(file)} is not there.`);
  }
  // Beside the file, so that it appears there whole or not at all.
  const staging = mkdtempSync(join(dirname(out), '.carillon-backup-'));
  const packed = `${staging}.tar.gz`;
  try {
    const manifest = await stage(data, store, staging);
    process.umask(0o077);
    pack(packed, staging);
    listDeletionsBeside(data, dirname(out));
    // The keys come first: a log without them opens nothing.
    writeFileSync(keys, readFileSync(join(staging, 'secrets.json')), {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    try {
      renameSync(packed, out);
    } catch (error) {
      rmSync(keys);
      throw error;
    }
    console.error(
      `Keep ${keys} apart from ${out}: neither can be restored alone, and who has both reads everything.`,
    );
    const { madeAt, position } = manifest;
    console.log(JSON.stringify({ file: out, keys, madeAt, position, bytes: statSync(out).size }));
  } finally {
    rmSync(packed, { force: true });
    rmSync(staging, { recursive: true, force: true });
  }
});

/** Copies the log and the keys, and describes them in manifest.json. */
async function stage(data: string, store: string, staging: string): Promise<Manifest> {
  // LMDB gives a reader the last commit as a whole, whatever is written meanwhile.
  const log = open({ path: store, noSubdir: false, readOnly: true, maxDbs: 4 });
  await log.backup(staging, true);
  await log.close();
  copyFileSync(join(data, 'secrets.json'), join(staging, 'secrets.json'));
  // Every write that was acknowledged with this `Carillon-Position` or an earlier one is in it.
  const position = await positionIn(staging);
  const madeAt = new Date().toISOString();
  const manifest = { format, madeAt, position, sha256: await hashesIn(staging) };
  writeFileSync(join(staging, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}
