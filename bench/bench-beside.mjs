// Measures another checkout beside this one, in turns: the speed of a shared machine drifts.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { asking } from './bench-compare.mjs';
import { cpuColumns } from './bench-cpu.mjs';
import { accountWithoutPhone, callerOf, median, startHouse } from './bench-house.mjs';
import { tasksOf } from './bench-works.mjs';
import { startYardstick } from './bench-yardstick.mjs';

const warmUpSeconds = 2;
/** Until a started house does nothing but what an idle one does. */
const settledMs = 20_000;

/** Measures sends in both checkouts; `folder` is the other one, which has been built. */
export async function measureBeside({ folder, ...how }) {
  // Where it is now, and where it was at first.
  const files = ['bench', 'tools'].map((where) => join(resolve(folder), where, 'bench-house.mjs'));
  const theirs = await import(pathToFileURL(files.find((file) => existsSync(file))).href);
  return inTurns({ before: theirs.startHouse, now: startHouse }, how);
}

/** Measures sends in a standalone of one process and in one of two. */
export const measureProcesses = (how) =>
  inTurns({ one: startHouse, two: (env) => startHouse(env, ['--processes=2']) }, how);

/** Each way to start a house with its name. */
async function inTurns(starts, { env, rounds, seconds, clients, autocannon }) {
  const yardstick = await startYardstick();
  const houses = [];
  try {
    for (const [name, start] of Object.entries(starts)) {
      const house = await start({ ...env, LOG_LEVEL: 'warn', CARILLON_BENCH: '1' });
      houses.push({ name, house });
    }
    await sleep(settledMs);
    for (const each of houses) {
      const { house } = each;
      const { secret: phoneless } = await accountWithoutPhone(callerOf(house.state));
      const works = tasksOf({ state: house.state, phoneless });
      each.works = {
        ...works,
        sendAlone: { ...works.send, title: `${works.send.title}, one client alone`, clients: 1 },
      };
      each.run = await asking({ house, autocannon, seconds, clients });
    }
    const yard = {
      name: '',
      works: { echo: { title: 'the yardstick', method: 'POST', path: '/', body: '{}' } },
    };
    yard.run = await asking({ house: yardstick, autocannon, seconds, clients });
    const rows = [];
    for (const work of ['echo', 'send', 'push', 'sendAlone']) {
      const taking = work === 'echo' ? [yard, ...houses] : houses;
      const seen = new Map(taking.map(({ name }) => [name, []]));
      for (const { run, works } of taking) await run(works[work], warmUpSeconds);
      for (let round = 0; round < rounds; round += 1)
        // Who comes first changes, as the second finds the machine warmer.
        for (const { name, run, works } of round % 2 ? [...taking].reverse() : taking)
          seen.get(name).push(await run(works[work]));
      for (const { name, works } of taking) {
        const middle = (of) => median(seen.get(name).map(of));
        rows.push([
          works[work].title,
          name,
          ...[({ rate }) => rate, ({ p50 }) => p50, ({ p99 }) => p99].map((of) => Math.round(middle(of))),
          seen.get(name).reduce((sum, { stalls }) => sum + stalls, 0),
          ...Object.values(cpuColumns).map((part) => middle(({ cpu }) => cpu[part]).toFixed(2)),
        ]);
      }
    }
    return rows;
  } finally {
    for (const { house } of houses) await house.stop();
    await yardstick.stop();
  }
}

/** With `what` the houses differ in. */
export const besideTable = (rows, what = 'checkout') =>
  [
    [
      'Work',
      what,
      'requests/s',
      'p50 ms',
      'p99 ms',
      'stalls',
      ...Object.keys(cpuColumns).map((part) => `CPU ms: ${part}`),
    ],
    Array.from({ length: 6 + Object.keys(cpuColumns).length }, () => '---'),
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
