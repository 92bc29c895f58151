import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, tie } from './child';
import { eventually } from './eventually';
import { freePort } from './port';

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
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const child = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`nats-server ended: ${output}`)));
      child.stderr.on('data', (chunk: Buffer) => {
        output += String(chunk);
        if (output.includes('Server is ready')) resolve();
      });
    });
  } catch (error) {
    remove();
    throw error;
  }
  child.removeAllListeners('exit');
  tie(child);
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    signal: (signal) => void child.kill(signal),
    kill: () => end(child, 'SIGKILL'),
    stop: async () => {
      child.kill('SIGCONT');
      await end(child);
      remove();
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
  /** Starts it again on its port and data, and waits until it has found the others that run. */
  start(index: number): Promise<void>;
  /** Sends a signal that does not end it, such as SIGSTOP and SIGCONT. */
  signal(index: number, signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** The servers to which the one with this port for its monitor has routes. */
async function neighboursOf(monitor: number): Promise<Set<string>> {
  const answer = await fetch(`http://127.0.0.1:${monitor}/routez`);
  const { routes } = (await answer.json()) as { routes: readonly { remote_id: string }[] };
  return new Set(routes.map(({ remote_id }) => remote_id));
}

/**
 * Servers with JetStream and routes to each other, which are there when this resolves. They notice a frozen one within
 * seconds, as those of an installation should that wants to go on meanwhile.
 */
export async function startNatsCluster(size: number, configuration = ''): Promise<NatsCluster> {
  const folders = Array.from({ length: size }, () => mkdtempSync(join(tmpdir(), 'carillon-nats-')));
  const ports: number[] = [];
  while (ports.length < 3 * size) ports.push(await freePort());
  const routes = ports.slice(size, 2 * size).map((port) => `nats-route://127.0.0.1:${port}`);
  const servers: NatsServer[] = [];
  const running = new Set<number>();
  const start = async (index: number): Promise<void> => {
    running.add(index);
    servers[index] = await startNats({
      port: ports[index]!,
      jetstream: true,
      storeDir: folders[index]!,
      configuration: [
        `server_name: n${index}`,
        'ping_interval: "1s"',
        'ping_max: 2',
        'write_deadline: "2s"',
        `http: 127.0.0.1:${ports[2 * size + index]}`,
        `cluster { name: test, listen: 127.0.0.1:${ports[size + index]}, routes: [${routes.join(', ')}] }`,
        configuration,
      ].join('\n'),
    });
    await eventually(
      async () => (await neighboursOf(ports[2 * size + index]!)).size >= running.size - 1 || undefined,
      () => `the server ${index} has not found the others`,
      30_000,
    );
  };
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  const starting = folders.map((_, index) => start(index));
  try {
    await Promise.all(starting);
  } catch (error) {
    await Promise.allSettled(starting);
    await stop();
    throw error;
  }
  const urls = servers.map(({ url }) => url);
  return {
    url: urls.join(','),
    urls,
    size,
    kill: (index) => {
      running.delete(index);
      return servers[index]!.kill();
    },
    start,
    signal: (index, signal) => servers[index]!.signal(signal),
    stop,
  };
}
