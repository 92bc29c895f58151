import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { portOf } from './port';
import { stoppable } from './stoppable';

/** What the app saw of a request. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * A private service, as somebody runs one behind a tunnel:
 *
 * - `/upload` answers with the length and the SHA-256 of what came
 * - `/download?bytes=n` sends so much, in parts
 * - `/events` is a stream of events without end; `/ws` sends back what it gets
 * - `/slow` never answers; `/huge` answers with a header of 64 kB; `/half` breaks off in the middle; `/page` is HTML
 * - `/once` is answered once on a connection, and closes it when it is asked again
 * - all else answers with what it saw, and the body
 */
export class PrivateApp {
  readonly seen: SeenRequest[] = [];
  /** Streams and WebSockets that are open. */
  open = 0;
  readonly stop: () => Promise<void>;
  private readonly used = new WeakSet<Socket>();
  private readonly webSockets = new WebSocketServer({ noServer: true });

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.note(request);
      void this.answer(request, response).catch(() => {});
    });
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.note(request);
      if (!/\/ws(\?|$)/.test(request.url!))
        return socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
      this.webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.count(socket);
        webSocket
          .on('error', () => {})
          .on('message', (data, isBinary) => webSocket.send(data, { binary: isBinary }));
      });
    });
    this.stop = stoppable(server);
  }

  static async start(port = 0): Promise<PrivateApp> {
    const app = new PrivateApp(createServer());
    app.server.listen(port, '127.0.0.1');
    await once(app.server, 'listening');
    return app;
  }

  get port(): number {
    return portOf(this.server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get last(): SeenRequest | undefined {
    return this.seen.at(-1);
  }

  private note({ method, url, headers }: IncomingMessage): void {
    this.seen.push({ method: method!, url: url!, headers });
  }

  private count(socket: Socket): void {
    this.open += 1;
    socket.once('close', () => (this.open -= 1));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://app');
    switch (/[^/]*$/.exec(pathname)![0]) {
      case 'upload': {
        const hash = createHash('sha256');
        let length = 0;
        for await (const chunk of request) {
          hash.update(chunk as Buffer);
          length += (chunk as Buffer).length;
        }
        return say(response, { length, sha256: hash.digest('hex') });
      }
      case 'download': {
        const part = Buffer.alloc(64 * 1024, 'x');
        for (let left = Number(searchParams.get('bytes')); left > 0; left -= part.length)
          if (!response.write(part.subarray(0, left))) await once(response, 'drain');
        return void response.end();
      }
      case 'events':
        this.count(request.socket);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void response.write('data: {"hello":true}\n\n');
      case 'slow':
        return;
      case 'once':
        if (this.used.has(request.socket)) return void request.socket.destroy();
        this.used.add(request.socket);
        return say(response, {});
      case 'huge':
        return void response.writeHead(200, { 'x-huge': 'x'.repeat(64 * 1024) }).end();
      case 'half':
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half of it');
        return void setTimeout(() => response.destroy(), 50);
      case 'page':
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': ['app=1; Path=/', 'other=2'] });
        return void response.end('<h1>Private</h1>');
      default: {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { method, url, headers } = request;
        return say(response, { method, url, headers, body: Buffer.concat(chunks).toString() });
      }
    }
  }
}

const say = (response: ServerResponse, answer: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
