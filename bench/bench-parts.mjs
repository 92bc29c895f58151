// What each part of a standalone holds in memory: a minute after its first start, which also creates all tables, a minute
// after a later one, at the end of a minute of full load, and a minute after that.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDescendants } from './bench-cpu.mjs';
import { startHouse } from './bench-house.mjs';
import { watched } from './bench-loop.mjs';
import { heldBytes } from './bench-memory.mjs';
import { tasksOf } from './bench-works.mjs';

const minute = 60;
/** How long a program may take to write down what its heap holds. */
const writeMs = 2_000;
const nodePrograms = ['main', 'event-store', 'simulator'];
/** What Linux tells of each process; the last three are shares of the second. */
const kinds = ['Rss', 'Pss', 'Pss_Anon', 'Pss_File', 'Pss_Shmem'];

export async function measureParts({ clients, env, autocannon }) {
  const { folder: heaps, env: watching } = watched();
  const settings = { ...env, ...watching };
  let house = await startHouse(settings);
  try {
    await sleep(minute * 1_000);
    const first = await partsOf(house, heaps);
    await house.end();
    house = await startHouse(settings, [], house.data);
    await sleep(minute * 1_000);
    const idle = await partsOf(house, heaps);
    const { path, method, body, bearer, title } = tasksOf(house).push;
    const load = await autocannon({
      url: `${house.state.baseUrl}${path}`,
      connections: clients,
      duration: minute,
      method,
      body,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    });
    const loaded = await partsOf(house, heaps);
    await sleep(minute * 1_000);
    const after = await partsOf(house, heaps);
    return { title, rate: load.requests.total / load.duration, looks: { first, idle, loaded, after } };
  } finally {
    await house.stop();
    rmSync(heaps, { recursive: true, force: true });
  }
}

/** What the processes of each part hold, in bytes. */
async function partsOf({ pid, data }, heaps) {
  const children = JSON.parse(readFileSync(join(data, 'children.json'), 'utf8'));
  const parts = [{ part: 'main', pid }, ...children];
  const programs = parts.filter(({ part }) => nodePrograms.includes(part));
  for (const program of programs) process.kill(program.pid, 'SIGUSR2');
  await sleep(writeMs);
  return parts.map(({ part, pid }) => {
    const pids = part === 'postgres' ? withDescendants([pid]) : [pid];
    const held = kinds.map((kind) => pids.reduce((sum, each) => sum + orNothing(each, kind), 0));
    const heap = nodePrograms.includes(part)
      ? JSON.parse(readFileSync(join(heaps, `${pid}.json`), 'utf8'))
      : {};
    return { part, processes: pids.length, pss: held[1], held: [...held, heap.heapTotal, heap.heapUsed] };
  });
}

/** A session of Postgres may end while it is looked at. */
function orNothing(pid, kind) {
  try {
    return heldBytes(pid, kind);
  } catch {
    return 0;
  }
}

export function partsTable({ title, rate, looks }) {
  const mib = (bytes) => (bytes === undefined ? '' : Math.round(bytes / 2 ** 20));
  const names = {
    first: 'a minute after the first start',
    idle: 'a minute after a later start',
    loaded: `after a minute of ${title}, ${Math.round(rate)} a second`,
    after: 'a minute after that',
  };
  const rows = Object.entries(names).flatMap(([look, name]) => [
    `| **${name}** | | | **${mib(looks[look].reduce((sum, { pss }) => sum + pss, 0))}** | | | | | |`,
    ...looks[look].map(
      ({ part, processes, held }) => `| ${part} | ${[processes, ...held.map(mib)].join(' | ')} |`,
    ),
  ]);
  return [
    '| MiB | processes | resident | PSS | own | files | shared | heap | heap used |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
