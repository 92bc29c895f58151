import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSimulator, type Simulator, type SimulatorOptions } from './simulator.js';

const usage = `A stand-in for APNs and FCM with simulated phones.

  --port <n>           control API and page; default SIMULATOR_PORT, else 8090; 0 = the last one, or a free one
  --apns-port <n>      default 0
  --fcm-port <n>       default 0
  --host <address>     default 127.0.0.1
  --data <folder>      default $CARILLON_DATA/push-simulator, else .carillon/push-simulator
  --environment <e>    whose APNs tokens are taken: sandbox (default) or production
  --exit-with-parent   stop when the process that started this one is gone
  --help
`;

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

function read(): { options: SimulatorOptions; exitWithParent: boolean } {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      'apns-port': { type: 'string' },
      'fcm-port': { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      environment: { type: 'string' },
      'exit-with-parent': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const port = (name: string, given: string | undefined, otherwise: number): number => {
    if (given === undefined || given === '') return otherwise;
    if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535) throw new Error(`${name} must be a port number`);
    return Number(given);
  };
  const environment = values.environment ?? 'sandbox';
  if (environment !== 'sandbox' && environment !== 'production')
    throw new Error('--environment must be sandbox or production');
  return {
    exitWithParent: values['exit-with-parent'] ?? false,
    options: {
      dataFolder: values.data ?? join(process.env.CARILLON_DATA || '.carillon', 'push-simulator'),
      host: values.host ?? '127.0.0.1',
      port: port('--port', values.port ?? process.env.SIMULATOR_PORT, 8090),
      apnsPort: port('--apns-port', values['apns-port'], 0),
      fcmPort: port('--fcm-port', values['fcm-port'], 0),
      environment,
      log,
    },
  };
}

const parent = process.ppid;
let settings: ReturnType<typeof read>;
try {
  settings = read();
} catch (error) {
  fail((error as Error).message);
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
  simulator = await startSimulator(settings.options);
} catch (error) {
  fail((error as Error).message);
}
