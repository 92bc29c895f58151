import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { eventually } from './eventually';
import { type House, roomForStories, standaloneMain } from './house';
import { freePort } from './nats';

export interface GatewayProcess {
  readonly url: string;
  /** Asks it to stop and waits; throws when it does not end well. */
  stop(): Promise<void>;
}

/** Another gateway beside the house's own, on the same parts. It needs the pepper that the house was started with. */
export async function startGateway(
  house: House,
  pepper: string,
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const port = await freePort();
  const child: ChildProcess = spawn(
    process.execPath,
    [join(dirname(standaloneMain), '../../gateway/src/main.js')],
    {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        NODE_ENV: 'test',
        HOST: '127.0.0.1',
        PORT: String(port),
        NATS_URL: house.state.natsUrl,
        CARILLON_BASE_URL: house.state.baseUrl,
        CARILLON_PEPPER: pepper,
        CARILLON_CALLER_KEY: house.callerKey,
        LOG_LEVEL: 'error',
        ...roomForStories,
        ...env,
      },
      stdio: 'inherit',
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    async () => {
      const answer = await fetch(`${url}/healthz/ready`).catch(() => undefined);
      return answer?.status === 200 || undefined;
    },
    () => 'the second gateway is not ready',
    20_000,
  );
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await gone) as [number | null];
      if (code !== 0) throw new Error(`The gateway ended with ${code}`);
    },
  };
}
