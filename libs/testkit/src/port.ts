import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** The port on which a server listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address) return address.port;
  throw new Error('the server listens on no port');
}

/**
 * Below the ports that systems give to connections of their own accord: while a server is down, none of those takes its
 * port. Files that run at once have parts of it to themselves.
 */
const [first, perWorker, workers] = [10_000, 2_500, 8];
/** Where databases listen by custom: no webhook may lead there. */
const customary: ReadonlySet<number> = new Set([
  11210, 11211, 16379, 26257, 26379, 27017, 27018, 27019, 28015, 28017,
]);
const offset = first + (Number(process.env['JEST_WORKER_ID'] ?? 0) % workers) * perWorker;
let next = Math.floor(Math.random() * perWorker);

/** A TCP port that was free a moment ago, and that this process has not been given before. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    next = (next + 1) % perWorker;
    if (customary.has(offset + next)) continue;
    const server = createServer().listen(offset + next, '127.0.0.1');
    try {
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return offset + next;
    } catch (error) {
      if (tries === perWorker) throw error;
    }
  }
}
