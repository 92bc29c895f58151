import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './failure';
import { readPrivate, writePrivate } from './private-file';
import { PartFailed } from './progress';

/** A process, or one of several ports that it has. */
type PortOf =
  | 'postgres'
  | 'nats'
  | 'event-store'
  | 'gateway'
  | 'simulator'
  | 'metrics'
  | `gateway-${number}`
  | `metrics of ${string}`
  | `link to ${string}`;

/**
 * Below the ephemeral ports of the system (from 32768 on Linux, 49152 on others): a port is taken here
 * seconds before its part listens, and must not become somebody's end of a connection meanwhile.
 */
const [lowest, highest] = [20_000, 32_767];
const maxTries = 200;

/** Why the port cannot be had, such as EADDRINUSE; undefined when it can. */
async function refusal(port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
  server.close();
  await once(server, 'close');
  return undefined;
}

/**
 * Keeps other standalones from choosing the port before its part listens: binds it for UDP, which no part uses, as long
 * as this process lives. Undefined when another one has it.
 */
async function reserve(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return socket;
  } catch {
    return undefined;
  }
}

/** The parts' own ports: free ones, kept from start to start as long as nobody else takes them. */
export class Ports {
  private readonly file: string;
  private readonly kept: Partial<Record<PortOf, number>>;
  private readonly reserved = new Map<number, Socket>();

  constructor(
    dataFolder: string,
    /** How long a port may still be held by what is on its way out. */
    private readonly timeoutMs: number,
  ) {
    this.file = join(dataFolder, 'ports.json');
    this.kept = readPrivate<Partial<Record<PortOf, number>>>(this.file) ?? {};
  }

  private async refusal(port: number): Promise<string | undefined> {
    for (const deadline = Date.now() + this.timeoutMs; ;) {
      const why = await refusal(port);
      if (why !== 'EADDRINUSE' || Date.now() >= deadline) return why;
      await pause(50);
    }
  }

  private async isReserved(port: number): Promise<boolean> {
    if (this.reserved.has(port)) return true;
    const socket = await reserve(port);
    if (socket) this.reserved.set(port, socket);
    return socket !== undefined;
  }

  /** The port of the last start when it is still free, else another. */
  async any(part: PortOf): Promise<number> {
    const before = this.kept[part];
    if (before !== undefined && (await this.refusal(before)) === undefined && (await this.isReserved(before)))
      return before;
    const taken = new Set(Object.values(this.kept));
    for (let tries = 0; tries < maxTries; tries += 1) {
      const port = randomInt(lowest, highest + 1);
      if (taken.has(port) || this.reserved.has(port)) continue;
      if (!(await this.isReserved(port)) || (await refusal(port)) !== undefined) continue;
      this.kept[part] = port;
      writePrivate(this.file, this.kept);
      return port;
    }
    throw new PartFailed(part, `no free port was found from ${lowest} to ${highest}`);
  }

  /** The wanted port, or any when 0 is wanted. */
  async wanted(part: 'gateway' | 'simulator' | 'metrics', port: number, variable: string): Promise<number> {
    if (port === 0) return this.any(part);
    const why = await this.refusal(port);
    if (why === undefined) return port;
    throw new PartFailed(
      part,
      why === 'EADDRINUSE'
        ? `port ${port} is taken by another program; choose another with ${variable}=… (0 = a free one)`
        : `port ${port} cannot be used (${why}); choose another with ${variable}=… (0 = a free one)`,
    );
  }
}
