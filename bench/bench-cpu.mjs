// What the processes of a house have used of the processors, by what they are. Steadier than rates: other work on the
// machine makes everything late, but takes no time off these counts. Empty where /proc is not.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts in hundredths of a second for all programs. */
const tickMs = 10;
const lookMs = 250;
/** Of one processor: an idle house takes less. */
const quietShare = 0.15;
const quietWithinMs = 8_000;
const idleLookMs = 4_000;

/** The columns, each with the part of standalone that it counts. */
export const cpuColumns = {
  main: 'main',
  'event store': 'event-store',
  NATS: 'nats',
  Postgres: 'postgres',
  all: 'all',
};

/** Milliseconds used so far by each part of the house; `simulator`, which no house has, is not in `all`. */
export function usedCpu({ pid, data }) {
  if (!existsSync('/proc/self/stat')) return undefined;
  const used = { main: usedBy(pid), simulator: 0, postgres: 0, nats: 0, 'event-store': 0 };
  for (const child of JSON.parse(readFileSync(join(data, 'children.json'), 'utf8')))
    used[child.part] = withDescendants([child.pid]).reduce((sum, each) => sum + usedBy(each), 0);
  const { main, postgres, nats, followers = 0 } = used;
  return { ...used, all: main + followers + used['event-store'] + nats + postgres, at: performance.now() };
}

/** Until what was asked has been done to its end, such as pushes and receipts after the answer. */
export async function untilQuiet(house) {
  const until = Date.now() + quietWithinMs;
  for (let before = usedCpu(house); before && Date.now() < until;) {
    await sleep(lookMs);
    const now = usedCpu(house);
    if (now && now.all + now.simulator - before.all - before.simulator < lookMs * quietShare) return;
    before = now;
  }
}

/** What the house uses each millisecond while nobody asks anything. */
export async function idleCpu(house) {
  await untilQuiet(house);
  const before = usedCpu(house);
  await sleep(idleLookMs);
  return cpuOfEach(before, usedCpu(house), idleLookMs);
}

/** What was used between two looks beside what an idle house uses, for each of so many requests. */
export const cpuOfEach = (before, after, count, idle) =>
  before &&
  after &&
  Object.fromEntries(
    Object.keys(after)
      .filter((part) => part !== 'at')
      .map((part) => {
        const idled = idle ? idle[part] * (after.at - before.at) : 0;
        return [part, Math.max(0, after[part] - before[part] - idled) / count];
      }),
  );

/** Postgres has a process for each connection. */
export function withDescendants(pids) {
  const found = [...pids];
  for (let at = 0; at < found.length; at += 1) {
    const children = orNothing(`/proc/${found[at]}/task/${found[at]}/children`).trim();
    if (children) found.push(...children.split(' ').map(Number));
  }
  return found;
}

/** Of the process and of its children that have ended, so that one that ends between two looks is not lost. */
function usedBy(pid) {
  const stat = orNothing(`/proc/${pid}/stat`);
  if (!stat) return 0;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return (fields[11] + fields[12] + fields[13] + fields[14]) * tickMs;
}

/** A process may end while it is looked at. */
function orNothing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
