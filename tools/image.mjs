// node tools/image.mjs [--keep]: performs the steps of deploy/Dockerfile in a fresh folder, for machines without
// Docker, and starts what comes of them by the image's own entry point, each program in turn: as a user who is not root
// and who can write nothing there, as in a container with a read-only root file system. Each must become ready and end
// on SIGTERM with code 0, the operator be answered on the closed bus, and a standalone be backed up and restored. The
// base image is this machine, so its Node may be another one than the Dockerfile's.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { programs, services } from '../deploy/entrypoint.mjs';
import { root, seconds } from './setup.mjs';

const { values } = parseArgs({ options: { keep: { type: 'boolean' } } });
const work = mkdtempSync(join(tmpdir(), 'carillon-image-'));
const isRoot = process.getuid?.() === 0;
const tell = (what, text) => console.log(`${what.padEnd(22)} ${text}`);

/** The instructions of the Dockerfile, each in one line. */
const instructions = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim())
  .map((line) => {
    const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line.trim());
    return { name, rest };
  });

/** What .dockerignore lets into the context: it names what is in, all else is out. */
const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const isAdmitted = (path) => admitted.some((each) => path === each || path.startsWith(`${each}/`));

/** Performs the steps; gives the folders that stand for the roots of the images, and their settings. */
function perform() {
  const stages = new Map();
  let stage;
  const inside = (path) => join(stage.folder, resolve(stage.cwd, path));
  const steps = {
    ARG: () => {},
    LABEL: () => {},
    VOLUME: () => {},
    EXPOSE: () => {},
    STOPSIGNAL: () => {},
    HEALTHCHECK: () => {},
    FROM: (rest) => {
      const [image, , name] = rest.split(/\s+/);
      const from = stages.get(image) ?? { cwd: '/', env: {} };
      stage = { ...from, env: { ...from.env }, folder: join(work, name), image };
      if (from.folder) cpSync(from.folder, stage.folder, { recursive: true, verbatimSymlinks: true });
      else mkdirSync(stage.folder);
      stages.set(name, stage);
    },
    WORKDIR: (path) => {
      stage.cwd = path;
      mkdirSync(inside('.'), { recursive: true });
    },
    COPY: (rest) => {
      const words = rest.split(/\s+/);
      const from = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : undefined;
      const target = words.pop();
      for (const source of words) {
        if (from === undefined && !isAdmitted(source)) throw new Error(`.dockerignore leaves out ${source}`);
        const file = from === undefined ? join(root, source) : fromStage(from, source);
        const isFolder = target.endsWith('/') || target === '.' || words.length > 1;
        cpSync(file, isFolder ? join(inside(target), basename(source)) : inside(target), {
          recursive: true,
          filter: (each) => from !== undefined || !/(^|\/)node_modules$|\.spec\.ts$/.test(each),
          verbatimSymlinks: true,
        });
      }
    },
    RUN: (command) => {
      // Of the base image: who runs it is made by Docker, and only a standalone keeps something.
      if (command.startsWith('mkdir -p /data')) return;
      const started = Date.now();
      const { status, stdout } = spawnSync('sh', ['-c', command], {
        cwd: inside('.'),
        env: { ...process.env, ...stage.env, NODE_ENV: undefined },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout}`);
      tell('RUN', `${command.slice(0, 60)} (${seconds(started)})`);
    },
    ENV: (rest) =>
      Object.assign(stage.env, Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split(/=(.*)/s)))),
    USER: (user) => (stage.user = Number(user.split(':')[0])),
    ENTRYPOINT: (command) => (stage.entrypoint = JSON.parse(command)),
    CMD: (command) => (stage.command = JSON.parse(command)),
  };
  const fromStage = (name, path) => {
    const { folder, image } = stages.get(name);
    if (!image.includes('NATS_IMAGE')) return join(folder, path);
    const { stdout } = spawnSync('sh', ['-c', 'command -v nats-server || ls /usr/sbin/nats-server'], {
      encoding: 'utf8',
    });
    if (!stdout.trim()) throw new Error('nats-server is not on this machine');
    return stdout.trim();
  };
  for (const { name, rest } of instructions) steps[name](rest);
  return { service: stages.get('service'), standalone: stages.get('standalone') };
}

const images = perform();
for (const [name, { user }] of Object.entries(images))
  if (!user) throw new Error(`the image ${name} runs as root`);
const { user } = images.standalone;
const data = join(work, 'data');
mkdirSync(data);
if (isRoot) {
  for (const folder of [work, data]) chmodSync(folder, 0o755);
  chownSync(data, user, user);
} else for (const { folder } of Object.values(images)) spawnSync('chmod', ['-R', 'a-w', folder]);

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const beside = ['standalone', 'event-store-emulator', 'push-simulator', 'backup', 'restore'];
/** The image that has a program. */
const imageOf = (name) => images[beside.includes(name) ? 'standalone' : 'service'];

const start = (argv, env, image = imageOf(argv[0])) => run([...image.entrypoint, ...argv], env, image);

function run([command, ...args], env = {}, image = images.standalone) {
  const child = spawn(command, args, {
    cwd: join(image.folder, image.cwd),
    env: {
      PATH: `${join(image.folder, 'usr/local/bin')}:${process.env.PATH}`,
      ...image.env,
      HOST: '127.0.0.1',
      METRICS_PORT: '0',
      CARILLON_DATA: data,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: user, gid: user }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { child, output: () => output, ended: once(child, 'close') };
}

async function until(what, running, check) {
  for (const end = Date.now() + 90_000; ; await sleep(100)) {
    if (await check().catch(() => false)) return;
    if (running.child.exitCode !== null) throw new Error(`${what} ended: ${running.output()}`);
    if (Date.now() > end) throw new Error(`${what} is not ready: ${running.output()}`);
  }
}

async function stop(what, { child, ended, output }) {
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`${what} ended with ${code} on SIGTERM: ${output()}`);
}

/** Ends by itself with this code, having said this. */
async function says(name, argv, code, pattern, env, image = imageOf(name)) {
  const started = Date.now();
  const running = start([name, ...argv], env, image);
  const [ended] = await running.ended;
  if (ended !== code || !pattern.test(running.output()))
    throw new Error(`${name} ended with ${ended}: ${running.output()}`);
  tell(name, `said what it should, and ended with ${code} (${seconds(started)})`);
}

/** Becomes ready, and ends when it is asked to. */
async function serves(name, argv, env, isReady) {
  const started = Date.now();
  const running = start([name, ...argv], env);
  await until(name, running, () => isReady(running));
  await stop(name, running);
  tell(name, `ready, and ended on SIGTERM (${seconds(started)})`);
}

const isOk = async (url) => (await fetch(url)).status === 200;
const listening = async ({ output }) => output().includes('listening');

/** The bus of deploy/nats as it is mounted, one service on it, and the operator who asks it, all by files. */
async function asksOnClosedBus(settings) {
  const secrets = join(work, 'secrets');
  const tls = join(secrets, 'tls');
  const made = spawnSync(process.execPath, [join(root, 'tools/secrets.mjs'), `--out=${secrets}`]);
  if (made.status !== 0) throw new Error(`secrets.mjs ended with ${made.status}: ${made.stderr}`);
  const port = await freePort();
  const configuration = readFileSync(join(root, 'deploy/nats/nats.conf'), 'utf8')
    .replaceAll('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace(/^http: .*$/m, '')
    .replaceAll('/etc/nats/', `${secrets}/`)
    .replaceAll('"/data"', JSON.stringify(join(data, 'closed-nats')));
  mkdirSync(tls);
  for (const file of ['tls.crt', 'tls.key']) cpSync(join(secrets, `nats-${file}`), join(tls, file));
  cpSync(join(secrets, 'nats-ca.crt'), join(tls, 'ca.crt'));
  cpSync(join(secrets, 'nats-passwords.conf'), join(secrets, 'passwords.conf'));
  cpSync(join(root, 'k8s/chart/files/nats/accounts.conf'), join(secrets, 'accounts.conf'));
  writeFileSync(join(secrets, 'nats.conf'), configuration);
  if (isRoot)
    for (const name of ['.', ...readdirSync(secrets, { recursive: true })])
      chownSync(join(secrets, name), user, user);

  const nats = run(['nats-server', '--config', join(secrets, 'nats.conf')]);
  await until('nats-server', nats, async () => nats.output().includes('Server is ready'));
  const busOf = (user) => ({
    NATS_URL: `tls://localhost:${port}`,
    NATS_CA_FILE: join(secrets, 'nats-ca.crt'),
    NATS_USER: user,
    NATS_PASSWORD_FILE: join(secrets, 'nats-users', user),
    CARILLON_CALLER_KEY_FILE: join(secrets, 'caller-key'),
  });
  const metricsPort = await freePort();
  const { CARILLON_CALLER_KEY: _, ...others } = settings;
  const accounts = start(['accounts'], {
    ...others,
    ...busOf('accounts'),
    METRICS_PORT: String(metricsPort),
  });
  await until('accounts', accounts, () => isOk(`http://127.0.0.1:${metricsPort}/healthz/ready`));
  await says('admin', ['accounts', 'list'], 0, /^\{"id":"usr_.*owner@example\.test/, {
    ...busOf('operator'),
    CARILLON_DATA: '',
  });
  await stop('accounts', accounts);
  nats.child.kill('SIGTERM');
  await nats.ended;
}

/** The same settings, as secrets are mounted. */
function asFiles(settings) {
  const folder = join(data, 'settings');
  mkdirSync(folder);
  const named = Object.entries(settings).map(([name, value]) => {
    writeFileSync(join(folder, name), value);
    return [`${name}_FILE`, join(folder, name)];
  });
  return Object.fromEntries(named);
}

async function check() {
  // Standalone logs to a file, and says on its terminal when it is there. It makes the first account.
  await serves('standalone', ['--port', '0', '--simulator-port', '0'], {}, async ({ output }) =>
    output().includes('one Ctrl-C'),
  );
  const parts = start(['standalone', '--parts', '--simulator-port', '0']);
  const file = join(data, 'standalone.json');
  await until('the parts', parts, async () => existsSync(file));
  const read = (name) => JSON.parse(readFileSync(join(data, name), 'utf8'));
  const [state, secrets] = [read('standalone.json'), read('secrets.json')];
  const settings = {
    DATABASE_URL: state.databaseUrl,
    NATS_URL: state.natsUrl,
    EVENTSTORE_URL: state.eventStoreUrl,
    CARILLON_BASE_URL: 'http://127.0.0.1',
    CARILLON_PEPPER: secrets.pepper,
    CARILLON_KEYS: secrets.keys,
    CARILLON_CALLER_KEY: secrets.callerKey,
    CARILLON_AUDIT_KEY: secrets.auditKey,
  };
  await says('--help', [], 0, /carillon .*gateway/);
  await says('nobody', [], 2, /names no program/);
  for (const name of beside) await says(name, [], 2, /names no program/, {}, images.service);
  await says('migrate', [], 0, /up to date/, settings);
  for (const name of ['gateway', ...services]) {
    const port = await freePort();
    const env = { ...settings, PORT: '0', METRICS_PORT: String(port) };
    await serves(name, [], env, () => isOk(`http://127.0.0.1:${port}/healthz/ready`));
  }
  await says('connector-gateway', [], 1, /CARILLON_API_TOKEN is missing/);
  const scratch = (name) => {
    const folder = join(data, name);
    mkdirSync(folder);
    if (isRoot) chownSync(folder, user, user);
    return ['--data', folder, '--port', '0'];
  };
  await serves('event-store-emulator', scratch('another-store'), {}, listening);
  await serves('push-simulator', scratch('other-phones'), {}, listening);
  for (const name of ['admin', 'backup', 'recover', 'rebuild', 'restore', 'roles'])
    await says(name, [], 2, /usage/);
  const backup = join(data, 'backup.tar.gz');
  await says('backup', [`--out=${backup}`], 0, /^\{"file":.*"position":"\d+"/m);
  await says('restore', [`--in=${backup}`, `--data=${join(data, 'restored')}`], 0, /"position":"\d+"/);
  await says('rebuild', ['read-models', 'inbox'], 0, /rebuilt from \d+ events/, asFiles(settings));
  await says('scavenge', [], 0, /started the scavenge/, settings);
  await asksOnClosedBus(settings);
  await stop('the parts', parts);
}

const sizes = () =>
  Object.entries(images)
    .map(([name, { folder }]) => {
      const { stdout } = spawnSync('du', ['-sm', folder], { encoding: 'utf8' });
      return `${name} ${stdout.split('\t')[0]} MiB without Node`;
    })
    .join(', ');

let fine = false;
try {
  await check();
  const missed = Object.keys(programs).length;
  tell('images', `ok: ${missed} programs, Node ${process.versions.node}; ${sizes()}`);
  fine = true;
} finally {
  if (!values.keep && fine) rmSync(work, { recursive: true, force: true });
  else tell('images', `their files are in ${work}`);
}
process.exit(fine ? 0 : 1);
