// How busy the event loop of a house's main process is, and how much it does at once.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const lookMs = 20;

/** A folder, and the setting that makes the programs of a house write there what `bench-heap.mjs` knows of them. */
export function watched() {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-watched-'));
  const preload = `${pathToFileURL(join(import.meta.dirname, 'bench-heap.mjs')).href}?folder=${folder}`;
  return { folder, env: { NODE_OPTIONS: `--import=${preload}` } };
}

/**
 * For how long the event loop of the main process was busy and idle; with what it was `before`, the share of the time since
 * then in which it was busy. Undefined for a house that is not watched.
 */
export async function loopOf({ pid, watchedIn }, before) {
  if (watchedIn === undefined) return undefined;
  const file = join(watchedIn, `${pid}.json`);
  rmSync(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  let loop;
  while (loop === undefined) {
    await sleep(lookMs);
    loop = existsSync(file) ? loopIn(readFileSync(file, 'utf8')) : undefined;
  }
  if (!before) return loop;
  const [busy, idle] = [loop.active - before.active, loop.idle - before.idle];
  return busy / (busy + idle);
}

/** Undefined while it is being written. */
function loopIn(text) {
  try {
    return JSON.parse(text).loop;
  } catch {
    return undefined;
  }
}

/** How many appends and writes to the event store there were; with what it was `before`, the appends of a write since then. */
export async function storeWritesOf({ state }, before) {
  if (!state.metricsUrl) return undefined;
  const text = await (await fetch(state.metricsUrl)).text();
  const sumOf = (name) =>
    [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  const now = {
    appends: sumOf('carillon_append_batch_size_sum'),
    writes: sumOf('carillon_append_batch_size_count'),
  };
  if (!before) return now;
  const writes = now.writes - before.writes;
  return writes > 0 ? (now.appends - before.appends) / writes : undefined;
}
