import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** What a socket and its session both know of themselves. */
interface Peer {
  remoteAddress?: string;
  remotePort?: number;
}

/** The connections that a TLS server has, so that one of them, or all, can be cut. */
export class Connections {
  private readonly sockets = new Map<string, Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();

  constructor(private readonly server: Http2SecureServer) {
    server.on('secureConnection', (socket: Socket) => {
      const name = nameOf(socket);
      this.sockets.set(name, socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(name));
    });
    server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => {});
      session.on('close', () => this.sessions.delete(session));
    });
  }

  /** Cuts one connection with all that is on its way there: the socket, since a session would say goodbye first. */
  cut(peer: Peer): void {
    this.sockets.get(nameOf(peer))?.destroy();
  }

  /** Cuts all, and takes no more. */
  close(): void {
    for (const session of this.sessions) session.destroy();
    for (const socket of this.sockets.values()) socket.destroy();
    this.server.close();
  }
}

const nameOf = ({ remoteAddress, remotePort }: Peer) => `${remoteAddress} ${remotePort}`;
