import { randomBytes } from 'node:crypto';
import { startAll } from './child';
import { startEmulatorProcess } from './emulator';
import { startNats } from './nats';
import { startPostgres } from './postgres';

/**
 * The real parts that a service needs, each on a free port, and the environment that points to them already set in
 * this process. For tests of one service; the whole house is `startHouse`.
 */
export async function startParts(
  env: Record<string, string> = {},
): Promise<{ env: Record<string, string>; stop(): Promise<void> }> {
  const [postgres, nats, emulator] = await startAll([startPostgres(), startNats(), startEmulatorProcess()]);
  const settings: Record<string, string> = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    EVENTSTORE_URL: emulator.url,
    CARILLON_CALLER_KEY: randomBytes(32).toString('base64'),
    CARILLON_AUDIT_KEY: randomBytes(32).toString('base64'),
    CARILLON_PEPPER: randomBytes(32).toString('base64'),
    CARILLON_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    CARILLON_BASE_URL: 'http://127.0.0.1:1',
    CARILLON_CLOCK: 'manual',
    LOG_LEVEL: 'error',
    ...env,
  };
  Object.assign(process.env, settings);
  return {
    env: settings,
    stop: async () => {
      await emulator.stop();
      await nats.stop();
      await postgres.stop();
    },
  };
}
