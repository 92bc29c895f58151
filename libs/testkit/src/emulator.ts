import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { end, release } from './child';

export interface EmulatorProcess {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** Ends the process with a signal and waits until it is gone. Its data stays. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end the process, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process and removes the data, unless the folder was given. */
  stop(): Promise<void>;
}

const program = 'dist/apps/event-store-emulator/src/main.js';

/** The event store's emulator as its own process, on a free port and an empty folder unless they are given. */
export async function startEmulatorProcess({
  dataDir,
  port = 0,
  args = [],
}: { dataDir?: string; port?: number; args?: readonly string[] } = {}): Promise<EmulatorProcess> {
  if (!existsSync(program)) throw new Error(`${program} is missing: build first`);
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'carillon-emulator-'));
  const child = spawn(
    process.execPath,
    [program, '--port', String(port), '--data', folder, '--exit-with-parent', ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += String(chunk)));
  const given = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The emulator ended with ${code}: ${output}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      output += `${line}\n`;
      const entry = JSON.parse(line) as { msg?: string; port?: number };
      if (entry.msg === 'listening' && entry.port) resolve(entry.port);
    });
  });
  child.removeAllListeners('exit');
  release(child);
  return {
    url: `esdb://127.0.0.1:${given}?tls=false`,
    port: given,
    dataDir: folder,
    kill: (signal) => end(child, signal),
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      await end(child);
      if (!dataDir) rmSync(folder, { recursive: true, force: true });
    },
  };
}
