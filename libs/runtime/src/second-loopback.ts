import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import type { Logger } from './logging';

/** What a machine without IPv6 says. */
const withoutIPv6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * Serves `[::1]` too, on the port of a server that listens on 127.0.0.1: browsers may mean either by `localhost`.
 * Returns how to close it, which waits for its connections.
 */
export async function listenOnSecondLoopback(server: Server, logger?: Logger): Promise<() => Promise<void>> {
  const { port } = server.address() as AddressInfo;
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
  try {
    second.listen(port, '::1');
    await once(second, 'listening');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!withoutIPv6.includes(code))
      logger?.warn({ err: error, port }, 'Failed to listen on [::1]: only 127.0.0.1 is served');
    return () => Promise.resolve();
  }
  return async () => {
    second.close();
    await once(second, 'close');
  };
}
