import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  /** More lines for the server's configuration file. */
  readonly configuration?: string;
}

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Sends a signal that does not end it, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it at once and waits until it is gone. Its data stays. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A NATS server of its own, on a free port unless one is given, stopped by `stop`. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const { jetstream = false, storeDir, configuration = '' } = options;
  const port = options.port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'carillon-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(
    file,
    [
      `listen: 127.0.0.1:${port}`,
      ...(jetstream ? [`jetstream { store_dir: ${JSON.stringify(storeDir ?? folder)} }`] : []),
      configuration,
    ].join('\n'),
  );
  const child = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
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
    signal: (signal) => void child.kill(signal),
    kill: () => end(child, 'SIGKILL'),
    stop: async () => {
      child.kill('SIGCONT');
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface NatsCluster {
  /** Of all its servers, with commas. */
  readonly url: string;
  readonly urls: readonly string[];
  readonly size: number;
  /** Ends a server at once; its data stays. */
  kill(index: number): Promise<void>;
  /** Starts it again on its port and data. */
  start(index: number): Promise<void>;
  /** Sends a signal that does not end it, such as SIGSTOP and SIGCONT. */
  signal(index: number, signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/**
 * Servers with routes to each other and JetStream. They notice a frozen one within seconds, as those of an installation
 * should that wants to go on meanwhile.
 */
export async function startNatsCluster(size: number, configuration = ''): Promise<NatsCluster> {
  const folders = Array.from({ length: size }, () => mkdtempSync(join(tmpdir(), 'carillon-nats-')));
  const ports: number[] = [];
  while (ports.length < 2 * size) ports.push(await freePort());
  const routes = ports.slice(size).map((port) => `nats-route://127.0.0.1:${port}`);
  const servers: NatsServer[] = [];
  const start = async (index: number): Promise<void> => {
    servers[index] = await startNats({
      port: ports[index]!,
      jetstream: true,
      storeDir: folders[index]!,
      configuration: [
        `server_name: n${index}`,
        'ping_interval: "1s"',
        'ping_max: 2',
        'write_deadline: "2s"',
        `cluster { name: test, listen: 127.0.0.1:${ports[size + index]}, routes: [${routes.join(', ')}] }`,
        configuration,
      ].join('\n'),
    });
  };
  await Promise.all(folders.map((_, index) => start(index)));
  const urls = servers.map(({ url }) => url);
  return {
    url: urls.join(','),
    urls,
    size,
    kill: (index) => servers[index]!.kill(),
    start,
    signal: (index, signal) => servers[index]!.signal(signal),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
