// The rows of the benchmark about the log and the house itself: what standalone takes while nobody asks anything, how
// many events a second its projections apply, and how long rows take to be made anew from the whole log.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDescendants } from './bench-cpu.mjs';
import { root } from './setup.mjs';

const eventsAtOnce = 500;
const appendsAtOnce = 8;
/** Timers, garbage and late starters have settled. */
const idleMs = 5_000;

/** Resident bytes of the process and its children, what they share counted once. Undefined where /proc is not. */
export async function idleBytes(pid, data) {
  await sleep(idleMs);
  const children = JSON.parse(readFileSync(join(data, 'children.json'), 'utf8')).map((child) => child.pid);
  try {
    return [pid, ...withDescendants(children)].reduce((sum, each) => sum + share(each), 0);
  } catch {
    return undefined;
  }
}

const share = (pid) =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;

/** Appends so many events to the log, as sends make them, and follows the inbox until it has them; then makes it anew. */
export async function measureLog({ count, state, data, env, database }) {
  const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(state.eventStoreUrl);
  const accountId = `usr_${'0'.repeat(26)}`;
  const event = (n) => {
    const commandId = randomUUID();
    return jsonEvent({
      id: randomUUID(),
      type: 'NotificationSent',
      data: {
        notificationId: `anot_${n.toString().padStart(26, '0')}`,
        accountId,
        tokenId: null,
        sourceName: 'Bench',
        title: `Title ${n}`,
        body: 'A body of what was sent',
        summary: null,
        bodyFormat: 'text',
        imageUrl: null,
        url: null,
        projectId: `p${n % 20}`,
        projectName: null,
        appId: null,
        deviceIds: [],
        fingerprint: null,
        sentAt: new Date(Date.now() - count + n).toISOString(),
      },
      metadata: { commandId, correlationId: commandId, accountId, actor: { process: 'bench' } },
    });
  };
  const rows = async () =>
    Number(
      (
        await database.query('SELECT count(*) FROM read_models.inbox_items WHERE account_id = $1', [
          accountId,
        ])
      ).rows[0].count,
    );

  const started = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const from = next;
      next = Math.min(count, from + eventsAtOnce);
      const events = Array.from({ length: next - from }, (_, index) => event(from + index));
      await client.appendToStream(`notification-bench${randomBytes(6).toString('hex')}`, events);
    }
  };
  await Promise.all(Array.from({ length: appendsAtOnce }, lane));
  await client.dispose();
  while ((await rows()) < count) await sleep(200);
  const followedSeconds = (performance.now() - started) / 1000;
  const { seconds: rebuiltSeconds, events: rebuiltEvents } = await rebuild(state, data, env);
  return { count, followedSeconds, rebuiltSeconds, rebuiltEvents };
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
  const code = await new Promise((resolve) => child.once('close', resolve));
  const [, events, seconds] = /from (\d+) events in ([\d.]+) s/.exec(said) ?? [];
  if (code !== 0 || !events) throw new Error(`The rows could not be made anew: ${said}`);
  return { events: Number(events), seconds: Number(seconds) };
}

/** What was measured, for a person. */
export function houseTable({ readySeconds, bytes, log }) {
  const whole = (number) => Math.round(number).toLocaleString('en');
  const { count, followedSeconds, rebuiltSeconds, rebuiltEvents } = log;
  return [
    '| What | Measured |',
    '|---|---|',
    `| standalone, from its start to ready, all built | ${readySeconds.toFixed(1)} s |`,
    `| its memory while nobody asks, all its processes (PSS) | ${bytes === undefined ? 'not known here' : `${whole(bytes / 2 ** 20)} MiB`} |`,
    `| projections, appends of ${whole(count)} events included | ${whole(count / followedSeconds)} events/s |`,
    `| the inbox made anew from ${whole(rebuiltEvents)} events | ${rebuiltSeconds.toFixed(1)} s, ${whole(rebuiltEvents / rebuiltSeconds)} events/s |`,
  ].join('\n');
}
