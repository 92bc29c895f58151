import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';

/** Of one hop only: not passed on. */
const ofOneHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);
const positionHeader = 'carillon-position';

/**
 * Stands before several gateways and gives each request to the next of them; to another where that one cannot be
 * reached. It does what callers behind several gateways do: what was asked later is never answered with less than what
 * was answered before, since it hands on the newest log position that it has seen.
 */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((asked, answer) => this.pass(asked, answer, 0));
  private turn = 0;
  private newest = -1n;

  constructor(private readonly ports: readonly number[]) {
    this.server.requestTimeout = 0;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
    this.agent.destroy();
  }

  private pass(asked: IncomingMessage, answer: ServerResponse, tries: number): void {
    const port = this.ports[this.turn++ % this.ports.length]!;
    const gateway = request(this.optionsOf(asked, port));
    let isOver = false;
    gateway.once('response', (response) => {
      isOver = true;
      this.remember(response.headers[positionHeader]);
      answer.writeHead(response.statusCode ?? 502, passedOn(response));
      response.pipe(answer);
      // A stream that breaks behind us breaks before us.
      response.once('error', () => answer.destroy());
      response.once('close', () => response.complete || answer.destroy());
    });
    gateway.once('error', (error: NodeJS.ErrnoException) => {
      if (isOver) return;
      isOver = true;
      // Nothing was asked of it: another may be asked.
      if (error.code === 'ECONNREFUSED' && tries + 1 < this.ports.length)
        return this.pass(asked, answer, tries + 1);
      answer.writeHead(502).end();
    });
    answer.once('close', () => gateway.destroy());
    // Only after the connection stands is anything read that another gateway could not be given.
    gateway.once('socket', (socket) => {
      const send = (): void => void asked.pipe(gateway);
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
  }

  private optionsOf(asked: IncomingMessage, port: number): RequestOptions {
    const headers = passedOn(asked);
    if (headers[positionHeader] === undefined && this.newest >= 0n)
      headers[positionHeader] = String(this.newest);
    return { host: '127.0.0.1', port, agent: this.agent, method: asked.method!, path: asked.url!, headers };
  }

  private remember(told: string | string[] | undefined): void {
    if (typeof told !== 'string') return;
    const position = BigInt(told);
    if (position > this.newest) this.newest = position;
  }
}

const passedOn = ({ headers }: IncomingMessage): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ofOneHop.has(name) || value === undefined ? [] : [[name, value]],
    ),
  );
