import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startEmulator, type Emulator } from './emulator';
import { FolderIsTaken } from './folder-lock';

const DEFAULT_PORT = 2114;
const STOP_WITHIN = 1800;

const log = (msg: string, fields: object = {}, level = 'info') =>
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg, ...fields })}\n`);

// Who read the log may be gone first; that is no reason to die half-way through stopping.
process.stdout.on('error', () => undefined);

function fail(message: string): never {
  log(message, {}, 'fatal');
  process.exit(1);
}

function settings() {
  const { values } = parseArgs({
    // The image's first argument names the service; it may come along.
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      username: { type: 'string' },
      password: { type: 'string' },
      'exit-with-parent': { type: 'boolean' },
    },
  });
  const { env } = process;
  const dataDir = values.data ?? env['EMULATOR_DATA'];
  if (!dataDir) throw new Error('--data <folder> (or EMULATOR_DATA) is missing');
  const port = Number(values.port ?? env['EMULATOR_PORT'] ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error('--port is no port');
  const cert = values['tls-cert'] ?? env['EMULATOR_TLS_CERT'];
  const key = values['tls-key'] ?? env['EMULATOR_TLS_KEY'];
  if (!cert !== !key) throw new Error('--tls-cert and --tls-key go together');
  const username = values.username ?? env['EMULATOR_USERNAME'];
  const password = values.password ?? env['EMULATOR_PASSWORD'];
  if (!username !== !password) throw new Error('--username and --password go together');
  return {
    dataDir,
    port,
    host: values.host ?? env['EMULATOR_HOST'] ?? '127.0.0.1',
    tls: cert && key ? { cert: readFileSync(cert), key: readFileSync(key) } : undefined,
    users: username && password ? { [username]: password } : undefined,
    exitWithParent: values['exit-with-parent'] ?? false,
  };
}

let emulator: Emulator | undefined;
let stopping = false;

async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log('stopping', { reason });
  setTimeout(() => fail('did not stop in time'), STOP_WITHIN).unref();
  await emulator?.close();
  process.exit(0);
}

log(
  'this is an emulator of EventStoreDB for development, tests and small installs; it is no production database',
);
process.on('SIGTERM', () => void stop('SIGTERM'));
process.on('SIGINT', () => void stop('SIGINT'));

try {
  const { exitWithParent, ...options } = settings();
  if (exitWithParent) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && void stop('the parent is gone'), 1000).unref();
  }
  emulator = await startEmulator({
    ...options,
    onFatal: (error) => fail(`the disk failed: ${error.message}`),
  });
  log('listening', {
    port: emulator.port,
    connectionString: emulator.connectionString,
    dataDir: options.dataDir,
    pid: process.pid,
  });
} catch (error) {
  const { message } = error as Error;
  fail(error instanceof FolderIsTaken ? message : `could not start: ${message}`);
}
