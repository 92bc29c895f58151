import { House } from '@carillon/testkit';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chanceOf, oneOf } from './chance';
import type { Disk } from './disk';
import { type Happening, happenings } from './faults';
import { type LedgerEntry, Ledger } from './ledger';
import { Load, setScene } from './load';
import { observe } from './observe';
import type { CertifyOptions } from './options';
import { OutageWatch } from './outage';
import type { Releases } from './releases';
import type { Run } from './report';
import { beginMixed, rollouts } from './rollout';
import { judge, judgeAnswered, judgeFailOver, judgeRollout, shortestStory, type Violation } from './verdict';
import { versionsOf } from './versions';

/** Timeout after a fault until a write is acknowledged again. */
const backWithinMs = 300_000;
const startsWithinMs = { standalone: 90_000, cluster: 240_000 };
/** At the end the rows are made from the log, which is the longer the more was done to the house. */
const startsLaterByMs = 2_000;
const maxDraws = 10_000;

/** Starts a house, loads it, does things to it until `ends` says that it is enough, and judges what is left. */
export async function certify(
  options: CertifyOptions,
  disk: Disk,
  folder: string,
  ends: () => boolean,
  releases?: Releases,
): Promise<Run> {
  const fromMs = Date.now();
  const record = join(folder, 'providers.jsonl');
  writeFileSync(record, '');
  const chance = chanceOf(options.seed);
  const ledger = new Ledger(join(folder, 'ledger.jsonl'));
  const isCluster = options.house === 'cluster';
  if (releases) beginMixed(releases);
  const house = new House({
    dataDir: disk.folder,
    receivers: true,
    limits: 'off',
    env: { SIMULATOR_RECORD: record, ...(releases && { CARILLON_RELEASES: releases.links }) },
    ownGroup: true,
    readyWithinMs: startsWithinMs[options.house] + options.kills * startsLaterByMs,
    ...(isCluster && {
      args: ['--cluster', `--replicas=${options.replicas}`, ...(releases ? [] : ['--links'])],
    }),
  });
  house.ignorePushes();
  // The event store ends and comes again when it cannot write.
  house.expectLog(/the disk failed/);
  // What is asked here at once no story asks; whether promises were kept does not depend on it.
  house.expectLog(/The event loop was held/);
  // A process of a cluster that is started while Postgres is frozen gives up, and is started again.
  if (isCluster) house.expectLog(/ExceptionHandler.*timeout expired/);
  await house.start();

  const rollout = releases && rollouts(house, releases);
  const kills = rollout?.length ?? options.kills;
  const versions = await versionsOf(house.state);
  const judged = async (): Promise<Violation[]> => {
    const all = happenings(house, options, disk.kind);
    const scene = await setScene(house);
    const load = new Load(scene, ledger);
    for (let number = 1; number <= kills && !ends(); number += 1) {
      await pause(250 + chance() * 1_000);
      const happening = rollout?.[number - 1] ?? oneNamed(options.only, () => oneOf(all, chance)(chance));
      console.error(`${String(number).padStart(5)}  ${happening.name}`);
      const begunMs = Date.now();
      const watch = happening.failsOver ? new OutageWatch(house, load) : undefined;
      let untilMs: number | undefined;
      try {
        await happened(house, load, happening);
        untilMs = Date.now();
        await watch?.recovered(untilMs, backWithinMs);
      } finally {
        const { name, silences } = happening;
        const outage = await watch?.end();
        ledger.did({
          number,
          name,
          silences,
          fromMs: begunMs,
          untilMs: untilMs ?? Date.now(),
          ...(outage && { outage }),
        });
      }
    }
    await pause(1_500);
    await load.end();
    const prompts = ledger.entries.filter(isAnswered).length;
    const observed = await observe(scene, { record, prompts, kind: options.house });
    const unexcused: string[] = [];
    // It looks at its logs and its answers itself.
    await house.close().catch((error: Error) => unexcused.push(error.message));
    return [
      ...judge(ledger.entries, ledger.faults, { ...observed, unexcused }),
      ...(rollout ? judgeRollout(ledger.entries) : []),
    ];
  };
  const violations = await judged().catch(async (error: unknown) => {
    // Why it could not be looked at is more than what is not expected then.
    await house.close().catch(() => {});
    return [
      { rule: 'it comes back and can be looked at', name: null, says: String(error) },
      ...judgeAnswered(ledger.entries, ledger.faults),
      ...judgeFailOver(ledger.faults),
    ];
  });
  if (violations.length > 0) keepLogs(disk, folder);
  const { entries, faults } = ledger;
  const { seed, freezeSeconds, only, replicas } = options;
  return {
    command: releases
      ? `npm run certify -- --house=cluster --beside=${releases.commit}`
      : `npm run certify -- --house=${options.house}${replicas === 2 ? '' : ` --replicas=${replicas}`} --kills=${kills} --seed=${seed} --freeze=${freezeSeconds}${only && ` --only='${only}'`}`,
    kills,
    versions,
    fromMs,
    untilMs: Date.now(),
    entries,
    faults,
    violations,
    story: shortestStory(violations, entries, faults),
  };
}

/** The first of those drawn that has this text in its name. */
function oneNamed(text: string, draw: () => Happening): Happening {
  for (let draws = 0; draws < maxDraws; draws += 1) {
    const happening = draw();
    if (happening.name.includes(text)) return happening;
  }
  throw new Error(`--only=${text} is in the name of nothing that can be done to this house`);
}

/** Injects the fault and waits until a write is acknowledged again. */
async function happened(house: House, load: Load, { name, happens }: Happening): Promise<void> {
  await happens(house);
  const over = Date.now();
  while (!(await load.isServed())) {
    if (Date.now() > over + backWithinMs) throw new Error(`${name}: no write was acknowledged after it`);
    if (!house.isUp) throw new Error(`${name}: the house has ended`);
    await pause(100);
  }
}

const isAnswered = ({ kind, told }: LedgerEntry): boolean => kind === 'answer' && told === 'acknowledged';

/** Keeps logs and event store for analysis, as the house's folder is removed. */
function keepLogs(disk: Disk, folder: string): void {
  for (const name of ['logs', 'terminal.log', 'event-store']) {
    const from = join(disk.folder, name);
    if (existsSync(from)) cpSync(from, join(folder, name), { recursive: true });
  }
}
