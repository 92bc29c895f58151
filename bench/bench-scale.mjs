// What docs/scale.md rests on: how a standalone does with one client and with more, what each program of a cluster
// uses for a request, what one leaves on the disk, and what programs hold while nobody asks anything.
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asking } from './bench-compare.mjs';
import { withDescendants } from './bench-cpu.mjs';
import { accountWithoutPhone, callerOf, startHouse } from './bench-house.mjs';
import { heldBytes } from './bench-memory.mjs';
import { tasksOf } from './bench-works.mjs';

const titles = { echo: 'echo', send: 'a notification, no device', push: 'the same, two phones' };
const clientsOf = [1, 4, 16, 64];
const warmUpSeconds = 2;
/** Twenty programs are compiled where they run hot, each for itself, before they cost what they cost. */
const clusterWarmUpSeconds = 15;
const clusterSeconds = 15;
const idleMs = 10_000;
/** Of the newest events, to see what they are made of. */
const eventsLookedAt = 4_000;
/** What an append that is committed alone writes, and how often the time of a flush is taken. */
const flush = { bytes: 30_000, times: 500 };

/** One standalone, with one client and with more. */
export const measureAlone = ({ env, seconds, autocannon }) =>
  inHouse({ ...env, LOG_LEVEL: 'warn' }, [], async (house) => {
    const ask = await measuring({ house, seconds, autocannon });
    const rows = [];
    for (const name of Object.keys(titles)) {
      await ask(name, 8, warmUpSeconds);
      for (const clients of clientsOf) rows.push(await ask(name, clients));
    }
    return { rows, flushMs: flushesIn(house.data) };
  });

/** What each program of a cluster uses, and what a request leaves there. */
export const measureCluster = ({ env, seconds, autocannon }) =>
  // It knows by what they log that they are ready.
  inHouse({ ...env, LOG_LEVEL: 'info' }, ['--cluster'], async (house) => {
    const memory = memoryOf(house);
    const ask = await measuring({ house, seconds, autocannon });
    const left = {};
    const rows = [];
    for (const name of Object.keys(titles)) {
      await ask(name, 64, clusterWarmUpSeconds);
      const before = await counted(house);
      const row = await ask(name, 64, clusterSeconds);
      const after = await counted(house);
      rows.push(row);
      left[name] = {
        transactions: (after.transactions - before.transactions) / row.total,
        bytes: (after.bytes - before.bytes) / row.total,
        log: await eventsOf(house.state, name === 'push'),
      };
    }
    return {
      rows,
      left,
      memory,
      memoryAfter: memoryOf(house),
      connections: (await counted(house)).connections,
    };
  });

async function inHouse(env, args, work) {
  const house = await startHouse({ ...env, CARILLON_BENCH: '1' }, args);
  try {
    await sleep(idleMs);
    return await work(house);
  } finally {
    await house.stop();
  }
}

/** Gives who measures one work, by its name, with so many clients. */
async function measuring({ house, seconds, autocannon }) {
  const { state } = house;
  const { secret: phoneless } = await accountWithoutPhone(callerOf(state));
  const works = tasksOf({ state, phoneless });
  const ask = await asking({ house, seconds, autocannon });
  return async (name, clients, duration) => ({
    name,
    clients,
    ...(await ask({ ...works[name], clients }, duration)),
  });
}

/** What Postgres has done so far, and how large it is. */
async function counted({ state }) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: state.databaseUrl });
  await client.connect();
  // What its processes have counted is told after a second.
  await sleep(2_000);
  const [row] = (
    await client.query(
      `SELECT xact_commit::float8 AS transactions, pg_database_size(current_database())::float8 AS bytes,
         (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())::float8
           AS connections
       FROM pg_stat_database WHERE datname = current_database()`,
    )
  ).rows;
  await client.end();
  return row;
}

/** What the newest events, of sends to phones or to none, are made of: how many a send, and their bytes, names and metadata included. */
async function eventsOf({ eventStoreUrl }, toPhones) {
  const { EventStoreDBClient } = await import('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  const types = {};
  const size = (value) =>
    value instanceof Uint8Array ? value.length : Buffer.byteLength(JSON.stringify(value) ?? '');
  for await (const { event } of client.readAll({
    direction: 'backwards',
    fromPosition: 'end',
    maxCount: eventsLookedAt,
  })) {
    if (!event || event.type.startsWith('$')) continue;
    // What was sent before, to others.
    if (event.type === 'NotificationSent' && event.data.deviceIds.length > 0 !== toPhones) break;
    const type = (types[event.type] ??= { events: 0, bytes: 0 });
    type.events += 1;
    type.bytes += size(event.data) + size(event.metadata) + event.streamId.length + event.type.length;
  }
  await client.dispose();
  const sends = types.NotificationSent?.events ?? 0;
  const sum = (what) => Object.values(types).reduce((all, each) => all + each[what], 0) / sends;
  return { types, events: sum('events'), bytes: sum('bytes') };
}

/** Kilobytes that each process holds: all that it has in memory, and what is its alone. */
function memoryOf({ data }) {
  return JSON.parse(readFileSync(join(data, 'children.json'), 'utf8')).map(({ part, pid }) => {
    const sum = (what) => withDescendants([pid]).reduce((all, each) => all + heldBytes(each, what) / 1024, 0);
    return { part, rss: sum('Rss'), pss: sum('Pss') };
  });
}

/** How long a flush takes where the log is: the middle and the 99th of a hundred. */
function flushesIn(folder) {
  const file = openSync(join(folder, 'flushes'), 'w');
  const bytes = Buffer.alloc(flush.bytes, 1);
  const times = Array.from({ length: flush.times }, (_, n) => {
    writeSync(file, bytes, 0, bytes.length, n * bytes.length);
    const from = performance.now();
    fdatasyncSync(file);
    return performance.now() - from;
  }).sort((a, b) => a - b);
  closeSync(file);
  return { p50: times[flush.times >> 1], p99: times[Math.floor(flush.times * 0.99)] };
}

const parts = ['main', 'event-store', 'nats', 'postgres', 'simulator', 'generator'];

/** What callers do who fill a cluster. */
const fillers = ['send', 'push'];

/** The milliseconds of each process of a program. */
const msOfEach = ({ cpu }, program) =>
  Object.entries(cpu)
    .filter(([part]) => part.replace(/-[12]$/, '') === program)
    .map(([, ms]) => ms);

/** How many requests a second take one processor of a program, all its work for them done by one replica. */
function fullAt(row, program) {
  const ms = msOfEach(row, program).reduce((sum, each) => sum + each, 0);
  return ms > 0 ? Math.round(1_000 / ms) : '';
}

/** What was measured, for a person. */
export function scaleTables({ alone, cluster }) {
  const digits = (number, count = 2) => (Number.isFinite(number) ? number.toFixed(count) : '');
  const row = (...cells) => `| ${cells.join(' | ')} |`;
  const programs = [...new Set(Object.keys(cluster.rows[0].cpu).map((part) => part.replace(/-[12]$/, '')))];
  const ofBoth = (each, program) =>
    msOfEach(each, program)
      .map((ms) => digits(ms))
      .join(' + ');
  return [
    `One standalone; a flush of ${flush.bytes / 1000} kB takes ${digits(alone.flushMs.p50)} ms, ${digits(alone.flushMs.p99)} ms at p99:`,
    '',
    row(
      'Work',
      'clients',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'mean ms',
      ...parts.map((part) => `CPU ms: ${part}`),
    ),
    row(...Array(6 + parts.length).fill('---')),
    ...alone.rows.map(({ name, clients, rate, p50, p99, mean, cpu }) =>
      row(
        titles[name],
        clients,
        rate.toFixed(0),
        p50,
        p99,
        digits(mean, 1),
        ...parts.map((part) => digits(cpu[part])),
      ),
    ),
    '',
    `A cluster of two processes each, ${cluster.rows[0].clients} clients, CPU ms a request of the one and the other; ${cluster.connections} connections to Postgres:`,
    '',
    row(
      'Program',
      ...cluster.rows.map(({ name }) => titles[name]),
      ...fillers.map((name) => `one replica is full at, a second: ${titles[name]}`),
      'at rest: resident MB',
      'PSS',
      'after that: resident MB',
      'PSS',
    ),
    row(...Array(cluster.rows.length + fillers.length + 5).fill('---')),
    ...programs
      .filter((program) => !['main', 'generator', 'all'].includes(program))
      .map((program) =>
        row(
          program,
          ...cluster.rows.map((each) => ofBoth(each, program)),
          ...fillers.map((name) =>
            fullAt(
              cluster.rows.find((each) => each.name === name),
              program,
            ),
          ),
          ...[cluster.memory, cluster.memoryAfter].flatMap((memory) =>
            ['rss', 'pss'].map((what) =>
              memory
                .filter(({ part }) => part.replace(/-[12]$/, '') === program)
                .map((each) => digits(each[what] / 1024, 0))
                .join(' + '),
            ),
          ),
        ),
      ),
    '',
    row(
      'What a request leaves',
      'events',
      'bytes of the log',
      'transactions of Postgres',
      'bytes of Postgres',
    ),
    row(...Array(5).fill('---')),
    ...['send', 'push'].map((name) => {
      const { log, transactions, bytes } = cluster.left[name];
      return row(
        titles[name],
        digits(log.events, 1),
        digits(log.bytes, 0),
        digits(transactions, 1),
        digits(bytes, 0),
      );
    }),
  ].join('\n');
}
