import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { natsOptions } from '@carillon/bus';
import { eventsLimits } from '@carillon/settings';
import { connect } from '@nats-io/transport-node';
import { certificateIn } from './certificate';
import type { NatsUsers } from './cluster/closed-nats';
import { causeOf, codeOf, messageOf } from './failure';
import type { Children } from './child';
import { proxiesOf } from './child-environment';
import { findOnPath, isAtLeast, versionOf } from './executable';
import { writePrivateText } from './private-file';
import { PartFailed, type Progress } from './progress';

const part = 'nats';
const least = '2.9';
const downloadWithinMs = 20_000;
const user = 'carillon';
/** Pages of lists may be long; the server's own limit is one mebibyte. */
const maxPayloadBytes = 8 * 1024 * 1024;
/** Mebibytes on disk for what is no published event, such as the consumers of its readers. */
const besideEvents = 256;

export interface Nats {
  readonly url: string;
  readonly origin: string;
  /** Of a closed bus: the server certificate that its users trust. */
  readonly caFile?: string;
}

/** The vendor's archives that may be used: those whose checksum we know. */
export interface Releases {
  readonly version: string;
  /** With `{version}` and `{platform}`, such as linux-amd64. */
  readonly archive: string;
  /** By platform. */
  readonly sha256: Readonly<Record<string, string>>;
}

/** The one that the environment names. */
export async function givenNats(url: string): Promise<Nats> {
  let version: string;
  let jetstream: boolean | undefined;
  try {
    const connection = await connect({
      ...natsOptions('carillon standalone', url),
      timeout: 10_000,
      reconnect: false,
    });
    version = connection.info?.version ?? '0';
    jetstream = connection.info?.jetstream;
    await connection.close();
  } catch (error) {
    throw new PartFailed(part, `NATS_URL cannot be used: ${messageOf(error)}`, undefined, {
      cause: error,
    });
  }
  if (!isAtLeast(version, least))
    throw new PartFailed(part, `NATS_URL leads to nats-server ${version}; ${least} or later is needed`);
  if (!jetstream)
    throw new PartFailed(part, 'NATS_URL leads to a nats-server without JetStream (start it with -js)');
  return { url, origin: `${version} from NATS_URL` };
}

/** A server of our own, its program found or provided. */
export async function ownNats(options: {
  dataFolder: string;
  toolFolder: string;
  port: number;
  password: string;
  mayInstall: boolean;
  children: Children;
  progress: Progress;
  /** With them the bus is closed: TLS, and to each user what it needs. */
  users?: NatsUsers | undefined;
}): Promise<Nats> {
  const { dataFolder, port, password, children, users } = options;
  const program = await findProgram(options);
  const store = join(dataFolder, 'nats');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const tls = users && (await certificateIn(join(dataFolder, 'nats-tls')));
  const access =
    users && tls
      ? [
          `tls { cert_file: ${JSON.stringify(tls.certFile)}, key_file: ${JSON.stringify(tls.keyFile)} }`,
          users.configuration,
        ]
      : [`authorization { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }`];
  await children.start({
    part,
    command: program.file,
    args: ['-c', writeConfiguration(dataFolder, { port, store, access })],
    isReady: (output) => output.includes('Server is ready'),
    isHeld: (output) => output.includes('address already in use'),
  });
  const origin = `${program.version} ${program.origin}`;
  return tls
    ? { url: `tls://localhost:${port}`, origin: `${origin}, closed`, caFile: tls.caFile }
    : { url: `nats://${user}:${password}@127.0.0.1:${port}`, origin };
}

/** The server's configuration. In a file, since everybody on the machine can read a command line. */
function writeConfiguration(
  dataFolder: string,
  { port, store, access }: { port: number; store: string; access: readonly string[] },
): string {
  const file = join(dataFolder, 'nats.conf');
  const storeBytes = (eventsLimits().mebibytes + besideEvents) * 2 ** 20;
  writePrivateText(
    file,
    [
      `listen: ${JSON.stringify(`127.0.0.1:${port}`)}`,
      `max_payload: ${maxPayloadBytes}`,
      // As in deploy/nats: half of the requests to a service would go to a process that is frozen or cut off.
      'ping_interval: "2s"',
      'ping_max: 2',
      ...access,
      `jetstream { store_dir: ${JSON.stringify(store)}, max_file_store: ${storeBytes}, max_memory_store: 16MB }`,
      '',
    ].join('\n'),
  );
  return file;
}

interface NatsProgram {
  readonly file: string;
  readonly version: string;
  readonly origin: string;
}

/**
 * Finds nats-server, or provides it: on PATH, from the tool cache, out of the vendor's archive, as a system package.
 * Throws with the manual steps when none works.
 */
export async function findProgram(options: {
  toolFolder: string;
  mayInstall: boolean;
  children: Children;
  progress: Progress;
  /** Other than the real ones for tests. */
  path?: string;
  releases?: Releases;
}): Promise<NatsProgram> {
  const tried: string[] = [];
  // The second: where systems put servers, which not everybody has on PATH.
  const folders = options.path === undefined ? [undefined, '/usr/sbin:/usr/local/sbin'] : [options.path];
  const onPath = (): NatsProgram | undefined => {
    const file = folders.map((path) => findOnPath('nats-server', path)).find(Boolean);
    if (!file) return void tried.push('nats-server is not on PATH');
    const version = versionOf(file);
    if (version && isAtLeast(version, least)) return { file, version, origin: file };
    tried.push(`${file} is version ${version ?? 'unknown'}; ${least} or later is needed`);
    return undefined;
  };

  const found = onPath();
  if (found) return found;
  try {
    return await releasedProgram(options.releases ?? readReleases(), options.toolFolder);
  } catch (error) {
    tried.push(messageOf(error));
  }
  const root = process.getuid?.() === 0;
  if (!root) tried.push('apt-get is not used: this user is not root');
  else if (!existsSync('/etc/debian_version'))
    tried.push('apt-get is not used: this is neither Debian nor Ubuntu');
  else if (!options.mayInstall) tried.push('apt-get is not used: CARILLON_INSTALL=never');
  else {
    options.progress.say(part, 'installing the system package nats-server …');
    try {
      await installPackage(options.children);
      const installed = onPath();
      if (installed) return { ...installed, origin: `${installed.file}, just installed` };
    } catch (error) {
      if (!(error instanceof PartFailed)) throw error;
      tried.push(error.reason);
    }
  }
  throw new PartFailed(
    part,
    [
      'no nats-server was found, and none could be provided:',
      ...tried.map((line) => `  - ${line}`),
      'What to do, one of:',
      '  - Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server',
      '  - put nats-server 2.9 or later from https://nats.io/download on PATH',
      '  - run one elsewhere with JetStream and set NATS_URL=nats://host:4222',
    ].join('\n'),
  );
}

export const readReleases = (): Releases =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'nats-releases.json'), 'utf8')) as Releases;

/** The program out of the vendor's archive, from the tool cache or downloaded. Throws why there is none. */
export async function releasedProgram(
  releases: Releases,
  toolFolder: string,
  platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`,
): Promise<NatsProgram> {
  const { version } = releases;
  const name = `nats-server-v${version}-${platform}`;
  const cached = join(toolFolder, name);
  const file = join(cached, 'nats-server');
  const sumFile = join(cached, 'nats-server.sha256');
  if (
    existsSync(file) &&
    existsSync(sumFile) &&
    readFileSync(sumFile, 'utf8').trim() === sha256(readFileSync(file))
  )
    return { file, version, origin: 'from the tool cache' };

  const wanted = releases.sha256[platform];
  if (!wanted)
    throw new Error(
      `no checksum of the vendor's archive is recorded for ${platform}, so it is not downloaded`,
    );
  const address = releases.archive.replaceAll('{version}', version).replaceAll('{platform}', platform);
  const archive = await download(address);
  const sum = sha256(archive);
  if (sum !== wanted)
    throw new Error(`${address} has another checksum (${sum}) than recorded; it is not used`);

  mkdirSync(toolFolder, { recursive: true });
  const unpacked = mkdtempSync(join(toolFolder, 'unpacking-'));
  try {
    writeFileSync(join(unpacked, 'archive.tar.gz'), archive);
    const tar = spawnSync('tar', ['-xzf', 'archive.tar.gz', '--strip-components=1'], { cwd: unpacked });
    if (tar.status !== 0 || !existsSync(join(unpacked, 'nats-server')))
      throw new Error(`${address} could not be unpacked: ${tar.stderr ?? tar.error}`);
    rmSync(join(unpacked, 'archive.tar.gz'));
    writeFileSync(join(unpacked, 'nats-server.sha256'), sha256(readFileSync(join(unpacked, 'nats-server'))));
    rmSync(cached, { recursive: true, force: true });
    renameSync(unpacked, cached);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
  return { file, version, origin: `from ${address}` };
}

async function download(address: string): Promise<Buffer> {
  const signal = AbortSignal.timeout(downloadWithinMs);
  try {
    const answer = await fetch(address, { signal });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    const told = causeOf(error) ?? error;
    const why = signal.aborted
      ? `no end after ${downloadWithinMs / 1000} s`
      : (codeOf(told) ?? messageOf(told));
    throw new Error(`${address} cannot be downloaded: ${why}`, { cause: error });
  }
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function installPackage(children: Children): Promise<void> {
  const env = { ...proxiesOf(process.env), DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  await children.run({ part, command: 'apt-get', args: ['update'], env }, 120_000);
  await children.run(
    { part, command: 'apt-get', args: ['install', '-y', '--no-install-recommends', 'nats-server'], env },
    180_000,
  );
}
