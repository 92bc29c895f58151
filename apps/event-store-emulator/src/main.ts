import { messageOf } from './failure';
import { startEmulator, type Emulator } from './emulator';
import { FolderIsTaken } from './folder-lock';
import { settings } from './settings';

const STOP_WITHIN = 1800;

const log = (msg: string, fields: object = {}, level = 'info') =>
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), msg, ...fields })}\n`);

// Who read the log may be gone first; that is no reason to die half-way through stopping.
process.stdout.on('error', () => undefined);

function fail(message: string): never {
  log(message, {}, 'fatal');
  process.exit(1);
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
  const message = messageOf(error);
  fail(error instanceof FolderIsTaken ? message : `could not start: ${message}`);
}
