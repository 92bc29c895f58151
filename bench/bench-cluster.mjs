// How fast rows of a service follow the log with one, two and four replicas, each held to the same share of a processor,
// and how long a partition stands still whose owner is frozen.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmulator } from './bench-appends.mjs';
import { makeKeys } from './bench-sealed.mjs';
import { accountOf, sentOf } from './bench-sent.mjs';
import { root } from '../tools/setup.mjs';

const replicas = [1, 2, 4];
const accounts = 512;
/** Of one account; more would be applied as one, which no log has. */
const eventsOfAppend = 5;
const appendsAtOnce = 64;
const tickMs = 10;
const controlMs = 20;
/** What a replica may use at once after it had nothing to do. */
const creditMs = 40;
const frozenMs = 12_000;
/** Of one processor: of four replicas there is enough left for Postgres and the event store. */
const share = 0.2;
/** While events are appended that wait for the replicas: enough to renew leases. */
const waitingShare = 0.02;
/**
 * When a service is done with so many events: its tables have a row more for each, or its queue is empty again. Rows are
 * faster than the appends of a benchmark, so that these come first.
 */
const services = {
  'read-models': {
    schema: 'read_models',
    tables: ['inbox_items', 'feed_items'],
    rows: 'of inbox and feed',
  },
  push: {
    schema: 'push',
    projections: ['deliveries'],
    queue: 'deliveries',
    rows: 'of deliveries, sent and reported, appends included',
  },
};

/** The processor time that a process has used. */
function usedMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Stops each process while it is ahead of its share, by SIGSTOP, and lets it go on by SIGCONT. */
function hold(pids, ofEach) {
  const held = pids.map((pid) => ({ pid, used: usedMs(pid), credit: 0, at: performance.now() }));
  const timer = setInterval(() => {
    for (const each of held) {
      const [used, at] = [usedMs(each.pid), performance.now()];
      const earned = (at - each.at) * ofEach;
      each.credit = Math.min(creditMs, each.credit + earned - (used - each.used));
      Object.assign(each, { used, at });
      process.kill(each.pid, each.credit > 0 ? 'SIGCONT' : 'SIGSTOP');
    }
  }, controlMs);
  return () => {
    clearInterval(timer);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

export async function measureCluster({ count, env }) {
  const { startPostgres, startNats } = await import('../dist/libs/testkit/src/index.js');
  const { Keys, Log, openEventStore } = await import('../dist/libs/event-store/src/index.js');
  const { KeyRing } = await import('../dist/libs/signing/src/index.js');
  const { default: pg } = await import('pg');
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const data = mkdtempSync(join(tmpdir(), 'carillon-cluster-'));
  const [postgres, nats, emulator] = await Promise.all([startPostgres(), startNats(), startEmulator(data)]);
  const store = openEventStore(emulator.url);
  const log = new Log(store, Keys.fromRing(KeyRing.parse(keys), store));
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const settings = {
    ...process.env,
    ...env,
    LOG_LEVEL: 'fatal',
    METRICS_PORT: '0',
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    EVENTSTORE_URL: emulator.url,
    CARILLON_KEYS: keys,
    CARILLON_BASE_URL: 'http://127.0.0.1',
  };
  const parts = { log, database, settings, next: 0 };
  const load = loadavg()[0];
  try {
    await makeKeys(log, 0, accounts);
    const rows = [];
    for (const service of Object.keys(services))
      for (const number of replicas) {
        const { perSecond, used } = await followedBy(parts, service, number, count);
        rows.push({ service, number, perSecond, used });
        console.error(
          `cluster        ${service} × ${number}: ${perSecond.toFixed(0)} events/s, ${used.map((each) => `${(each * 100).toFixed(1)} %`).join(', ')}`,
        );
      }
    return { rows, count, load, frozenSeconds: await frozen(parts) };
  } finally {
    await database.end();
    await store.close();
    emulator.child.kill('SIGTERM');
    await new Promise((resolve) => emulator.child.once('exit', resolve));
    await nats.stop();
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Replicas of a service that share its partitions. */
async function start({ database, settings }, service, number) {
  const { schema } = services[service];
  const children = [];
  const stop = async () => {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
  };
  for (let n = 0; n < number; n += 1) {
    const program = join(root, `dist/apps/${service}/src/main.js`);
    children.push(
      spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'], env: settings }),
    );
    // The first one makes the tables.
    await until(async () => (await ownersOf(database, schema)).length === n + 1);
  }
  // Each has its share.
  await until(async () =>
    (await ownersOf(database, schema)).every(({ owned }) => owned >= Math.floor(16 / number)),
  );
  return { pids: children.map(({ pid }) => pid), stop };
}

/** How many partitions each replica owns. */
async function ownersOf(database, schema) {
  const { rows: tables } = await database.query(`SELECT to_regclass($1) AS found`, [`${schema}.leases`]);
  if (tables[0].found === null) return [];
  const { rows } = await database.query(
    `SELECT holder, count(*)::integer AS owned FROM "${schema}".leases
     WHERE name LIKE 'partition %' AND until > now() GROUP BY holder`,
  );
  return rows;
}

/** Appends events of all accounts. Returns the position of the last. */
async function append(parts, count) {
  const { notification } = await import('../dist/apps/notifications/src/notification/notification.js');
  const { streamTail } = await import('../dist/libs/signing/src/index.js');
  const first = parts.next;
  parts.next += count;
  let end = 0n;
  const appended = [];
  for (let from = first; from < first + count; from += eventsOfAppend) appended.push(from);
  const lane = async () => {
    for (let from = appended.shift(); from !== undefined; from = appended.shift()) {
      const accountId = accountOf(Math.floor(from / eventsOfAppend), accounts);
      const events = Array.from({ length: Math.min(eventsOfAppend, first + count - from) }, (_, index) => {
        const { event, metadata } = sentOf(from + index, new Date().toISOString(), accountId);
        return { events: [{ ...event, deviceIds: [`dev_${streamTail(accountId)}`] }], metadata };
      });
      const stream = `bench${randomBytes(8).toString('hex')}`;
      const { position } = await parts.log.appendParts(notification, stream, events, 'any');
      if (position > end) end = position;
    }
  };
  await Promise.all(Array.from({ length: appendsAtOnce }, lane));
  return end;
}

/** How fast so many replicas follow so many events, and what each used of a processor meanwhile. */
async function followedBy(parts, service, number, count) {
  const { database } = parts;
  const { schema, tables = [], projections, queue } = services[service];
  const { pids, stop } = await start(parts, service, number);
  const query = async (text, values) => (await database.query(text, values)).rows;
  const counted = () =>
    Promise.all(
      tables.map(
        async (table) => (await query(`SELECT count(*)::integer FROM "${schema}"."${table}"`))[0].count,
      ),
    );
  const isDone = async ({ end, before, more }) => {
    if (!queue) return (await counted()).every((now, index) => now >= before[index] + more);
    const behind = `SELECT FROM "${schema}".projection_checkpoints WHERE name = ANY($1) AND position < $2`;
    if ((await query(behind, [projections, String(end)])).length > 0) return false;
    return (await query(`SELECT FROM "${schema}"."${queue}" LIMIT 1`)).length === 0;
  };
  try {
    // Compiled code costs what it costs, and what is new costs more; so does a key that is not at hand.
    const warmUp = accounts * eventsOfAppend;
    const atStart = await counted();
    const warm = await append(parts, warmUp);
    await until(() => isDone({ end: warm, before: atStart, more: warmUp }));
    const before = await counted();
    let end;
    let release = queue ? () => {} : hold(pids, waitingShare);
    if (!queue) end = await append(parts, count);
    release();
    const done = queue ? 0 : Math.min(...(await counted()).map((now, index) => now - before[index]));
    release = hold(pids, share);
    try {
      const [began, usedBefore] = [performance.now(), pids.map(usedMs)];
      end ??= await append(parts, count);
      await until(() => isDone({ end, before, more: count }));
      const ms = performance.now() - began;
      const used = pids.map((pid, index) => (usedMs(pid) - usedBefore[index]) / ms);
      return { perSecond: ((count - done) * 1_000) / ms, used };
    } finally {
      release();
    }
  } finally {
    await stop();
  }
}

/** The longest time, in seconds, in which a partition did not move while one of two owners was frozen. */
async function frozen(parts) {
  const { database } = parts;
  const { schema } = services['read-models'];
  const { pids, stop } = await start(parts, 'read-models', 2);
  const positions = async () => {
    const { rows } = await database.query(
      `SELECT partition, position FROM "${schema}".projection_checkpoints WHERE name = 'inbox'`,
    );
    return new Map(rows.map(({ partition, position }) => [partition, position]));
  };
  try {
    process.kill(pids[0], 'SIGSTOP');
    const [began, moved] = [performance.now(), new Map()];
    let before = await positions();
    let longest = 0;
    while (performance.now() - began < frozenMs) {
      // Something for every partition.
      await append(parts, accounts);
      const now = await positions();
      for (const [partition, position] of now) {
        const since = moved.get(partition) ?? began;
        longest = Math.max(longest, performance.now() - since);
        if (position !== before.get(partition)) moved.set(partition, performance.now());
      }
      before = now;
      await sleep(100);
    }
    return longest / 1_000;
  } finally {
    process.kill(pids[0], 'SIGCONT');
    await stop();
  }
}

async function until(isSo) {
  while (!(await isSo())) await sleep(100);
}

export function clusterTable({ rows, count, load, frozenSeconds }) {
  const whole = (number) => Math.round(number).toLocaleString('en');
  const alone = (service) => rows.find((row) => row.service === service && row.number === 1).perSecond;
  return [
    `${whole(count)} sealed events of ${accounts} accounts; each replica is held to ${share * 100} % of a processor by SIGSTOP and SIGCONT. Load of the machine before: ${load.toFixed(1)}.`,
    '',
    '| Rows | Replicas | Followed | Beside one | Used of a processor by each |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ service, number, perSecond, used }) =>
        `| ${service}, ${services[service].rows} | ${number} | ${whole(perSecond)} events/s | ${(perSecond / alone(service)).toFixed(2)} | ${used.map((each) => `${(each * 100).toFixed(0)} %`).join(', ')} |`,
    ),
    '',
    `The longest time without progress of a partition while one of two owners is frozen: ${frozenSeconds.toFixed(1)} s.`,
  ].join('\n');
}
