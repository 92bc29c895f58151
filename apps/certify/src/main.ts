import { isAlive, startHouse } from '@carillon/testkit';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chanceOf, oneOf } from './chance';
import { type Disk, makeDisk } from './disk';
import { happenings } from './faults';
import { Ledger } from './ledger';
import { Load, setScene } from './load';
import { observe } from './observe';
import { type Options, readOptions, usage } from './options';
import { reportOf, type Run, signed } from './report';
import { judge, shortestStory } from './verdict';

/** So long it may take until a write is acknowledged again. */
const backWithinMs = 60_000;

async function certify({ kills, seed }: Options, disk: Disk, folder: string): Promise<Run> {
  const fromMs = Date.now();
  const record = join(folder, 'providers.jsonl');
  writeFileSync(record, '');
  const chance = chanceOf(seed);
  const all = happenings(disk.kind);
  const unexcused: string[] = [];
  const ledger = new Ledger(join(folder, 'ledger.jsonl'));
  const house = await startHouse({
    dataDir: disk.folder,
    receivers: true,
    limits: 'off',
    env: { SIMULATOR_RECORD: record },
  });
  house.ignorePushes();
  // The event store ends and comes again when it cannot write.
  house.expectLog(/the disk failed/);
  try {
    const scene = await setScene(house);
    const load = new Load(scene, ledger);
    for (let number = 1; number <= kills; number += 1) {
      await pause(500 + chance() * 2_000);
      const { name, happens } = oneOf(all, chance);
      const begun = Date.now();
      const { pid } = house.state;
      console.error(`${String(number).padStart(5)}  ${name}`);
      await happens(house);
      while (!(await load.isServed())) {
        if (Date.now() > begun + backWithinMs) throw new Error(`${name}: no write was acknowledged after it`);
        if (!isAlive(house.state.pid)) throw new Error(`${name}: the process of the services has ended`);
        await pause(100);
      }
      if (house.state.pid === pid || name.includes('whole house'))
        ledger.did({ number, name, fromMs: begun, untilMs: Date.now() });
    }
    await pause(1_500);
    await load.end();
    unexcused.push(...load.unheardOf);
    const prompts = ledger.entries.filter(
      ({ kind, told }) => kind === 'answer' && told === 'acknowledged',
    ).length;
    const observed = await observe(scene, { record, prompts });
    // It looks at its logs and its answers itself.
    await house.close().catch((error: Error) => unexcused.push(error.message));
    const { entries, faults } = ledger;
    const violations = judge(entries, { ...observed, unexcused });
    return {
      command: `npm run certify -- --kills=${kills} --seed=${seed}`,
      versions: { Node: process.versions.node },
      seed,
      fromMs,
      untilMs: Date.now(),
      entries,
      faults,
      violations,
      story: shortestStory(violations, entries, faults),
    };
  } catch (error) {
    // Why it has failed is more than what is not expected then.
    await house.close().catch(() => {});
    throw error;
  }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Math.random);
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const disk = makeDisk();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-ledger-'));
  let held = false;
  try {
    const run = await certify(options, disk, folder);
    const key = options.keyFile
      ? readFileSync(options.keyFile, 'utf8')
      : generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const report = signed(reportOf(run), key);
    if (options.out) writeFileSync(options.out, report);
    else console.log(report);
    if (run.story)
      console.error(
        [`${run.story.violation.rule}: ${run.story.violation.says}`, ...run.story.lines].join('\n'),
      );
    held = run.violations.length === 0;
    return held ? 0 : 1;
  } finally {
    disk.remove();
    if (held) rmSync(folder, { recursive: true, force: true });
    else console.error(`The ledger is in ${folder}.`);
  }
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error);
  return 1;
});
