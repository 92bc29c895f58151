// Appends per second and events read per second, with the server in its own process. Run it after a build:
//   node apps/event-store-emulator/bench/appends.mjs [seconds for each row]
// All figures are of one machine that also runs the client; compare them within one run only.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { EventStoreDBClient, jsonEvent, streamNameFilter } = createRequire(import.meta.url)(
  '@eventstore/db-client',
);
const program = join(import.meta.dirname, '../../../dist/apps/event-store-emulator/src/main.js');
const seconds = Number(process.argv[2] ?? 4);
const data = mkdtempSync(join(tmpdir(), 'emulator-bench-'));
const server = spawn(process.execPath, [program, '--port', '0', '--data', data, '--exit-with-parent'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise((resolve) => {
  server.stdout.on('data', (text) => {
    for (const line of text.toString().split('\n').filter(Boolean))
      if (JSON.parse(line).connectionString) resolve(JSON.parse(line).connectionString);
  });
});
const db = EventStoreDBClient.connectionString(url);
const padding = 'x'.repeat(400);

/** Microseconds of CPU that a process has used. */
const cpu = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
};

let streams = 0;
async function appends(writers) {
  const latencies = [];
  const end = performance.now() + seconds * 1000;
  const [serverBefore, clientBefore] = [cpu(server.pid), cpu(process.pid)];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() < end) {
        const start = performance.now();
        await db.appendToStream(`bench-${streams++}`, jsonEvent({ type: 'Happened', data: { padding } }), {
          expectedRevision: 'no_stream',
        });
        latencies.push(performance.now() - start);
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)].toFixed(1);
  const each = (before, pid) => Math.round((cpu(pid) - before) / latencies.length);
  console.log(
    `${String(writers).padStart(4)} appenders  ${Math.round(latencies.length / took)}/s  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms` +
      `  CPU per append: server ${each(serverBefore, server.pid)} µs, client ${each(clientBefore, process.pid)} µs`,
  );
}

async function reads(name, events) {
  const [serverBefore, clientBefore] = [cpu(server.pid), cpu(process.pid)];
  const began = performance.now();
  const count = await events();
  const took = (performance.now() - began) / 1000;
  const each = (before, pid) => Math.round((cpu(pid) - before) / count);
  console.log(
    `${name}  ${Math.round(count / took)} events/s  CPU per event: server ${each(serverBefore, server.pid)} µs, client ${each(clientBefore, process.pid)} µs`,
  );
}

await appends(64); // warm-up
console.log('— the row above is the warm-up —');
for (const writers of [1, 8, 64, 256]) await appends(writers);
await reads('$all, read        ', async () => {
  let count = 0;
  for await (const _ of db.readAll()) count++;
  return count;
});
const subscribed = (options) => () =>
  new Promise((resolve) => {
    let count = 0;
    const subscription = db.subscribeToAll(options);
    subscription.on('data', () => count++);
    subscription.on('caughtUp', () =>
      setTimeout(() => subscription.unsubscribe().then(() => resolve(count)), 50),
    );
  });
await reads('$all, subscription', subscribed({}));
await reads(
  '$all, filtered    ',
  subscribed({ filter: streamNameFilter({ prefixes: ['bench-'], checkpointInterval: 1000 }) }),
);
await db.dispose();
server.kill('SIGTERM');
await new Promise((resolve) => server.once('exit', resolve));
rmSync(data, { recursive: true, force: true });
