// What a process pays for each send that does not concern it: one of another service, and a replica that owns none of the
// partitions, with our reader and with the official client's. With another checkout at its side; all follow the same
// events at once.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startEmulator } from './bench-appends.mjs';
import { appendSent, makeKeys } from './bench-sealed.mjs';
import { root } from '../tools/setup.mjs';

const own = fileURLToPath(import.meta.url);
const accounts = 100;
/** Of a send to two phones. */
const eventsOfSend = 4;
const sendsAtOnce = 8;
/** A lane of sends pauses so long after each. */
const pauseMs = 20;
/** Compiled code costs what it costs, and what is new costs more. */
const warmUpMs = 8_000;
/** Until V8 has cleaned up after the start. */
const settleMs = 30_000;
const titles = { another: 'a process of another service', replica: 'a replica without partitions' };

export async function measureBystander({ folder, seconds }) {
  const { Keys, Log, openEventStore } = await import('../dist/libs/event-store/src/index.js');
  const { KeyRing } = await import('../dist/libs/signing/src/index.js');
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const data = mkdtempSync(join(tmpdir(), 'carillon-bystander-'));
  const { child: emulator, url } = await startEmulator(data);
  const store = openEventStore(url);
  const log = new Log(store, Keys.fromRing(KeyRing.parse(keys), store));
  const processes = [];
  try {
    await makeKeys(log, 0, accounts);
    const readers = { 'the official client': 'official', ours: 'own' };
    for (const [name, checkout] of [
      ...(folder ? [['of the other checkout', folder]] : []),
      ...Object.keys(readers).map((name) => [name, root]),
    ])
      for (const role of Object.keys(titles)) {
        const env = { ...process.env, ...(readers[name] && { CARILLON_STORE_READER: readers[name] }) };
        const child = fork(own, [checkout, url, keys, role], { env });
        await new Promise((resolve) => child.once('message', resolve));
        processes.push({ name, role, child });
      }
    let next = 0;
    const send = async () => {
      for (let event = 0; event < eventsOfSend; event += 1) {
        const number = next++;
        await appendSent(log, number, number + 1, idOf);
      }
    };
    const run = async (forMs, work) => {
      const before = await Promise.all(processes.map(looked));
      const began = performance.now();
      let count = 0;
      const lane = async () => {
        for (; performance.now() - began < forMs; count += 1) {
          await work();
          await sleep(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: sendsAtOnce }, lane));
      // What was sent last is followed.
      await sleep(2_000);
      const ms = performance.now() - began;
      const after = await Promise.all(processes.map(looked));
      return { count, ms, used: after.map((used, index) => used - before[index]) };
    };
    await run(warmUpMs, send);
    await sleep(settleMs);
    const idle = await run(seconds * 1_000, () => {});
    const busy = await run(seconds * 1_000, send);
    return {
      sends: busy.count,
      perSecond: busy.count / (busy.ms / 1_000),
      rows: processes.map(({ name, role }, index) => ({
        name,
        role,
        ms: busy.used[index] / busy.count,
        idle: idle.used[index] / (idle.ms / 1_000),
      })),
    };
  } finally {
    for (const { child } of processes) child.kill();
    await store.close();
    emulator.kill('SIGTERM');
    await new Promise((resolve) => emulator.once('exit', resolve));
    rmSync(data, { recursive: true, force: true });
  }
}

/** In a process of its own: follows the log with the code of a checkout, and applies nothing. */
async function follow([checkout, url, keys, role]) {
  const from = (lib) => import(pathToFileURL(join(resolve(checkout), `dist/libs/${lib}/src/index.js`)).href);
  const { Feed, Keys, Log, openEventStore } = await from('event-store');
  const { KeyRing } = await from('signing');
  const store = openEventStore(url);
  const feed = Feed.of(new Log(store, Keys.fromRing(KeyRing.parse(keys), store)));
  // Of another service, or a replica of a service that follows the events, whose partitions others own.
  const follows = role === 'another' ? 'team' : 'notification';
  feed.want((category) => category === follows, { categories: [follows], reads: () => role === 'another' });
  await feed.begun;
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  process.send('ready');
}

if (process.argv[1] === own) await follow(process.argv.slice(2));

const idOf = (n) => `usr_0000000000e008${(n % accounts).toString().padStart(12, '0')}`;

/** Milliseconds of CPU that a process has used. */
async function looked({ child }) {
  child.send('look');
  const { cpu } = await new Promise((resolve) => child.once('message', resolve));
  return (cpu.user + cpu.system) / 1_000;
}

export const bystanderTable = ({ sends, perSecond, rows }) =>
  [
    `${sends} sends of four events, ${perSecond.toFixed(0)} a second:`,
    '',
    '| Process | Reader | CPU ms a send | CPU ms a second without sends |',
    '|---|---|---|---|',
    ...rows.map(
      ({ name, role, ms, idle }) => `| ${titles[role]} | ${name} | ${ms.toFixed(3)} | ${idle.toFixed(1)} |`,
    ),
  ].join('\n');
