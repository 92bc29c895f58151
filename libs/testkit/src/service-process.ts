import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { end, tie } from './child';
import { eventually } from './eventually';
import { standaloneMain } from './house';

/**
 * A process of a service, with these settings beside those of this process; with a `channel` it takes messages.
 * Resolves when it is ready. Throws with what it said when it ends or is not ready within a minute.
 */
export async function startServiceProcess(
  service: string,
  env: Readonly<Record<string, string>> = {},
  { channel = false } = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(dirname(standaloneMain), `../../${service}/src/main.js`)], {
    env: { ...process.env, NODE_OPTIONS: '', ...env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit', ...(channel ? (['ipc'] as const) : [])],
  });
  tie(child);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  try {
    await eventually(
      () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`the process of ${service} ended:\n${said}`);
        return said.includes('Service ready') || undefined;
      },
      () => `the process of ${service} is not ready:\n${said}`,
      60_000,
    );
  } catch (error) {
    await end(child, 'SIGKILL');
    throw error;
  }
  return child;
}
