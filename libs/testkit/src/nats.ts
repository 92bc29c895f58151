import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Ends a process we started and waits until it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

export interface NatsOptions {
  /** With JetStream, in a folder of its own unless one is given. */
  readonly jetstream?: boolean;
  /** Kept after `stop`. */
  readonly storeDir?: string;
  readonly port?: number;
}

/** A NATS server of its own, on a free port unless one is given, stopped by `stop`. */
export async function startNats({ jetstream = false, storeDir, port: wanted }: NatsOptions = {}): Promise<{
  url: string;
  port: number;
  stop(): Promise<void>;
}> {
  const port = wanted ?? (await freePort());
  const folder = jetstream ? (storeDir ?? mkdtempSync(join(tmpdir(), 'carillon-nats-'))) : undefined;
  const child = spawn(
    'nats-server',
    ['-a', '127.0.0.1', '-p', String(port), ...(folder ? ['-js', '-sd', folder] : [])],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`nats-server ended: ${output}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      output += String(chunk);
      if (output.includes('Server is ready')) resolve();
    });
  });
  child.removeAllListeners('exit');
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    stop: async () => {
      await end(child);
      if (folder && !storeDir) rmSync(folder, { recursive: true, force: true });
    },
  };
}
