import { messageOf } from './failure.js';
import { readSettings, type SimulatorSettings, usage } from './settings.js';
import { startSimulator, type Simulator } from './simulator.js';

const log = (event: Record<string, unknown>) =>
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), app: 'push-simulator', ...event })}\n`,
  );

// Whoever read the log may be gone, as when the parent died; that is no reason to die in the middle of stopping.
process.stdout.on('error', () => {});

function fail(message: string): never {
  process.stderr.write(`push-simulator: ${message}\n`);
  process.exit(1);
}

const parent = process.ppid;
let settings: SimulatorSettings | undefined;
try {
  settings = readSettings();
} catch (error) {
  fail(messageOf(error));
}
if (!settings) {
  process.stdout.write(usage);
  process.exit(0);
}
try {
  let simulator: Simulator | undefined = undefined;
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    log({ msg: 'stopping', why });
    // Whatever hangs, this process does not.
    setTimeout(() => process.exit(0), 1500).unref();
    if (!simulator) process.exit(0);
    simulator.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(String(error)),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (settings.exitWithParent)
    setInterval(() => {
      if (process.ppid !== parent) stop('the parent process is gone');
    }, 1000).unref();
  simulator = await startSimulator({ ...settings.options, log });
} catch (error) {
  fail(messageOf(error));
}
