// npm run drill: loses a cluster with all its data under load, and restores it by the commands of docs/operations.md.
import { House, runTool, startArchivingPostgres } from '@carillon/testkit';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Ledger } from './ledger';
import { Load, setScene } from './load';
import { namesIn } from './observe';
import { judgeRestored } from './restored';

const usage = `npm run drill: loses a cluster with all its data under load, restores it, and compares it with its ledger.

  --seconds=<n>  how long it is under load before its backup, and again from there to the loss; default 20
  --help

Ends with 0 only when all that was acknowledged before the backup is there, once.
`;

const startsWithinMs = 400_000;
const beforeTheLog = 'before_the_log';

const say = (what: string): void => console.error(what);

/** Runs a documented command, and gives what it printed. */
async function run(dataDir: string, tool: string, ...options: string[]): Promise<string> {
  say(`$ node tools/${tool}.mjs ${options.join(' ')}`);
  const { status, stdout, stderr } = await runTool(dataDir, tool, options);
  if (status !== 0) throw new Error(`It ended with ${status}: ${stderr}`);
  return stdout;
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

async function drill(seconds: number, folder: string): Promise<boolean> {
  const [dataDir, backups] = [join(folder, 'cluster'), join(folder, 'backups')];
  mkdirSync(backups);
  const postgres = await startArchivingPostgres();
  const house = new House({
    dataDir,
    receivers: true,
    limits: 'off',
    env: { DATABASE_URL: postgres.url },
    args: ['--cluster'],
    readyWithinMs: startsWithinMs,
  });
  house.ignorePushes();
  house.expectLog(/The event loop was held/);
  try {
    await timed('the cluster has started', () => house.start());
    const ledger = new Ledger(join(folder, 'ledger.jsonl'));
    const scene = await setScene(house);
    const leaver = await house.anotherAccount('Leaver');
    const load = new Load(scene, ledger);
    await pause(seconds * 1_000);

    const backup = join(backups, 'monday.tar.gz');
    await timed('Postgres: pg_basebackup', () => postgres.backUp());
    // Rows must not be newer than the log that is restored.
    await postgres.mark(beforeTheLog);
    const backupMs = Date.now();
    await timed('the log and the keys are backed up', () => run(dataDir, 'backup', `--out=${backup}`));
    await pause(seconds * 1_000);
    await run(dataDir, 'admin', 'account', 'delete', `--id=${leaver.id}`);
    // Who was answered before the loss would ask for ever for what is lost.
    await load.end();
    const lostMs = Date.now();
    await house.kill9();
    rmSync(dataDir, { recursive: true });
    say('lost: the data of the event store, of NATS and of Postgres');

    const began = performance.now();
    await timed('the log and the keys are restored', () =>
      run(dataDir, 'restore', `--in=${backup}`, `--data=${dataDir}`),
    );
    await timed('Postgres is restored to a moment before that', () => postgres.restore(beforeTheLog));
    await timed('the cluster has started, and has deleted accounts again', () => house.start());
    while (!(await load.isServed())) await pause(100);
    const backSeconds = (performance.now() - began) / 1000;

    const lost = ledger.entries.filter(
      ({ told, untilMs }) => told === 'acknowledged' && untilMs > backupMs && untilMs <= lostMs,
    );
    const violations = judgeRestored(ledger.entries, backupMs, await namesIn(scene));
    const outcome = await leaver.signIn().then(() => 'it comes in', String);
    if (!/401/.test(outcome)) violations.push(`the account that was deleted after the backup: ${outcome}`);
    await house.close();
    for (const violation of violations) say(`NOT RESTORED: ${violation}`);
    const kept = ledger.entries.filter(
      ({ told, untilMs }) => told === 'acknowledged' && untilMs <= backupMs,
    ).length;
    console.log(
      [
        `acknowledged before the backup: ${kept} writes, ${violations.length === 0 ? 'all there, each once' : 'not as they were'}`,
        `lost: ${lost.length} writes acknowledged in the ${((lostMs - backupMs) / 1000).toFixed(0)} s from the backup to the loss`,
        `back: a write was acknowledged ${backSeconds.toFixed(0)} s after the restore began`,
      ].join('\n'),
    );
    return violations.length === 0;
  } finally {
    await house.stop().catch(() => {});
    await postgres.stop();
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, help: { type: 'boolean' } } });
  const seconds = Number(values.seconds ?? 20);
  if (values.help || !Number.isInteger(seconds) || seconds < 1) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'carillon-drill-'));
  let held = false;
  try {
    held = await drill(seconds, folder);
    return held ? 0 : 1;
  } finally {
    if (held) rmSync(folder, { recursive: true, force: true });
    else say(`The ledger and the logs are in ${folder}.`);
  }
}

// After a failure its load may still ask.
process.exit(
  await main().catch((error: unknown) => {
    console.error(error);
    return 1;
  }),
);
