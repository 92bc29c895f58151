// What one append costs the process that appends and the emulator, by each writer, in turns.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './bench-house.mjs';
import { root } from '../tools/setup.mjs';

const tickUs = 10_000;
const metadata = { commandId: 'c', correlationId: 'r', accountId: 'a', actor: { accountId: 'a' } };

function usedUs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
}

export async function startEmulator(data) {
  const program = join(root, 'dist/apps/event-store-emulator/src/main.js');
  const child = spawn(process.execPath, [program, '--port', '0', '--data', data, '--exit-with-parent'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve) => {
    child.stdout.on('data', (text) => {
      const found = /"connectionString":"([^"]+)"/.exec(text);
      if (found) resolve(found[1]);
    });
  });
  return { child, url };
}

/** Rows of events of some 500 bytes, each append in a stream of its own. */
export async function measureAppends({ rounds, seconds }) {
  const { openEventStore } = await import('../dist/libs/event-store/src/index.js');
  const data = mkdtempSync(join(tmpdir(), 'carillon-appends-'));
  const { child, url } = await startEmulator(data);
  const event = () => ({ id: randomUUID(), type: 'Happened', data: { text: 'x'.repeat(400) }, metadata });
  const run = async (writer, atOnce, duration) => {
    const store = openEventStore(url, { writer });
    const append = () => store.append(`bench-${randomUUID()}`, [event()], 'no_stream');
    await append();
    const [own, server, began] = [process.cpuUsage(), usedUs(child.pid), performance.now()];
    const end = began + duration * 1_000;
    let count = 0;
    const appendUntilEnd = async () => {
      for (; performance.now() < end; count += 1) await append();
    };
    await Promise.all(Array.from({ length: atOnce }, appendUntilEnd));
    const { user, system } = process.cpuUsage(own);
    await store.close();
    return {
      rate: (count * 1_000) / (performance.now() - began),
      client: (user + system) / count,
      server: (usedUs(child.pid) - server) / count,
    };
  };
  const rows = [];
  try {
    for (const atOnce of [1, 8, 64]) {
      const seen = { own: [], official: [] };
      for (const writer of Object.keys(seen)) await run(writer, atOnce, 1);
      for (let round = 0; round < rounds; round += 1)
        for (const writer of Object.keys(seen)) seen[writer].push(await run(writer, atOnce, seconds));
      for (const [writer, all] of Object.entries(seen))
        rows.push([
          atOnce,
          writer,
          ...['rate', 'client', 'server'].map((name) => Math.round(median(all.map((each) => each[name])))),
        ]);
    }
    return rows;
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(data, { recursive: true, force: true });
  }
}

export const appendsTable = (rows) =>
  [
    ['At once', 'writer', 'appends/s', 'CPU µs: the process that appends', 'the emulator'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
