// The rows of the benchmark about the log and the house itself: what standalone takes while nobody asks anything, how
// many events a second its projections apply, and how long a rebuild of rows from the whole log takes.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { comparing } from './bench-compare.mjs';
import { withDescendants } from './bench-cpu.mjs';
import { heldBytes } from './bench-memory.mjs';
import { accountOf, accounts, inBatches, sentOf, subjectOf } from './bench-sent.mjs';
import { tasksOf } from './bench-works.mjs';
import { root } from '../tools/setup.mjs';

/** Timers, garbage and late starters have settled. */
const idleMs = 30_000;

/** Resident bytes of the process and its children, what they share counted once. Undefined where /proc is not. */
export async function idleBytes(pid, data) {
  await sleep(idleMs);
  const children = JSON.parse(readFileSync(join(data, 'children.json'), 'utf8')).map((child) => child.pid);
  try {
    return [pid, ...withDescendants(children)].reduce((sum, each) => sum + heldBytes(each, 'Pss'), 0);
  } catch {
    return undefined;
  }
}

/**
 * Appends so many events of ten thousand accounts to the log, as sends make them, and follows the inbox until it has
 * them; compares what is asked then with what was asked at a hundredth of them; and rebuilds the inbox.
 */
export async function measureLog({ count, house, phoneless, env, database, ...pace }) {
  const { state, data } = house;
  const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(state.eventStoreUrl);
  const append = (numbers) => {
    const events = numbers.map((n) => {
      const { event, metadata } = sentOf(n, new Date(Date.now() - count + n).toISOString());
      const { type, ...data } = event;
      return jsonEvent({ id: randomUUID(), type, data, metadata });
    });
    return client.appendToStream(`notification-bench${randomBytes(6).toString('hex')}`, events);
  };
  const isThere = async (n) => {
    const found = await database.query(
      'SELECT 1 FROM read_models.inbox_items WHERE account_id = $1 AND item_id = $2',
      [accountOf(n), `notification:${subjectOf(n)}`],
    );
    return found.rows.length > 0;
  };
  let next = 0;
  /** Until there are so many; the last of them is there when all are, as they are applied in their order. */
  const appendUpTo = async (most) => {
    await inBatches(next, most - 1, append);
    await append([most - 1]);
    next = most;
    while (!(await isThere(most - 1))) await sleep(500);
  };

  const few = count / 100;
  const compare = await comparing({ house, ...pace }, tasksOf({ state, phoneless }));
  await appendUpTo(few);
  const [, ...small] = await compare(['echo', 'send', 'inbox']);
  const started = performance.now();
  await appendUpTo(count);
  const followedSeconds = (performance.now() - started) / 1000;
  const [, ...large] = await compare(['echo', 'send', 'inbox']);
  await client.dispose();
  const grown = large.map(({ title, ratio, cpuRatio }, index) => ({
    title,
    rate: ratio / small[index].ratio,
    cpu: cpuRatio / small[index].cpuRatio,
  }));
  return { count, few, followedSeconds, grown, ...(await rebuild(state, data, env)) };
}

async function rebuild(state, data, env) {
  const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
  const child = spawn(process.execPath, [join(root, 'tools/rebuild.mjs'), 'read-models', 'inbox'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...env,
      CARILLON_BASE_URL: state.baseUrl,
      CARILLON_KEYS: secrets.keys,
      DATABASE_URL: state.databaseUrl,
      NATS_URL: state.natsUrl,
      EVENTSTORE_URL: state.eventStoreUrl,
    },
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  const memory = [];
  const looks = setInterval(() => memory.push(residentBytes(child.pid)), 500);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(looks);
  const [, events, seconds] = /from (\d+) events in ([\d.]+) s/.exec(said) ?? [];
  if (code !== 0 || !events) throw new Error(`The rows could not be rebuilt: ${said}`);
  const third = Math.ceil(memory.length / 3);
  return {
    rebuiltEvents: Number(events),
    rebuiltSeconds: Number(seconds),
    memory: { early: Math.max(...memory.slice(0, third)), late: Math.max(...memory.slice(-third)) },
  };
}

/** 0 where /proc is not, or when the process has just ended. */
function residentBytes(pid) {
  try {
    return heldBytes(pid, 'Rss');
  } catch {
    return 0;
  }
}

/** What was measured, for a person. */
export function houseTable({ readySeconds, bytes, log }) {
  const whole = (number) => Math.round(number).toLocaleString('en');
  const { count, few, followedSeconds, grown, rebuiltSeconds, rebuiltEvents, memory } = log;
  const mebibytes = (of) => (of ? `${whole(of / 2 ** 20)} MiB` : 'not known here');
  return [
    '| What | Measured |',
    '|---|---|',
    `| standalone, from its start to ready, all built | ${readySeconds.toFixed(1)} s |`,
    `| its memory while nobody asks, all its processes (PSS) | ${mebibytes(bytes)} |`,
    `| projections, appends of ${whole(count - few)} events included | ${whole((count - few) / followedSeconds)} events/s |`,
    ...grown.map(
      ({ title, rate, cpu }) =>
        `| ${title}, at ${whole(count)} events of ${whole(accounts)} accounts, against the same at ${whole(few)} | ${rate.toFixed(2)} of the rate, ${cpu.toFixed(2)} of the CPU |`,
    ),
    `| the inbox rebuilt from ${whole(rebuiltEvents)} events | ${rebuiltSeconds.toFixed(1)} s, ${whole(rebuiltEvents / rebuiltSeconds)} events/s |`,
    `| the memory of the rebuild, maximum in the first third and in the last | ${mebibytes(memory.early)} and ${mebibytes(memory.late)} |`,
  ].join('\n');
}
