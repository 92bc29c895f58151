import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { end, tie } from './child';
import { eventually } from './eventually';
import { checkout, type House } from './house';
import { limitSettings } from './limits';
import { freePort } from './port';

export interface GatewayProcess {
  readonly url: string;
  /** Asks it to stop and waits; throws when it does not end well. */
  stop(): Promise<void>;
}

/**
 * Another gateway beside the house's own, with its parts and limits. It needs the pepper that the house was started
 * with. `folder` is the checkout whose build it runs.
 */
export async function startGateway(
  house: House,
  pepper: string,
  env: Record<string, string> = {},
  folder = checkout,
): Promise<GatewayProcess> {
  const port = env['PORT'] ?? String(await freePort());
  const child: ChildProcess = spawn(process.execPath, [join(folder, 'dist/apps/gateway/src/main.js')], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      NODE_ENV: 'test',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: port,
      ...house.busSettings('gateway'),
      CARILLON_BASE_URL: house.state.baseUrl,
      CARILLON_PEPPER: pepper,
      CARILLON_CALLER_KEY: house.callerKey,
      LOG_LEVEL: 'error',
      ...limitSettings(house.limits),
      ...env,
    },
    stdio: 'inherit',
  });
  tie(child);
  const url = `http://127.0.0.1:${port}`;
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`the second gateway ended with ${child.exitCode}`);
        const answer = await fetch(`${url}/healthz/ready`).catch(() => undefined);
        return answer?.status === 200 || undefined;
      },
      () => 'the second gateway is not ready',
      60_000,
    );
  } catch (error) {
    await end(child, 'SIGKILL');
    throw error;
  }
  return {
    url,
    stop: async () => {
      await end(child);
      if (child.exitCode !== 0) throw new Error(`The gateway ended with ${child.exitCode}`);
    },
  };
}
