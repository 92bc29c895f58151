import { once } from 'node:events';
import type { Server, Socket } from 'node:net';

/**
 * Gives how to stop a server at once, with all its connections, whatever is under way on them. For before it listens.
 */
export function stoppable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  return async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
}
