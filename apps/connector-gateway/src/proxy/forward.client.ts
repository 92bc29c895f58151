import { createProxyServer, type ProxyServer, type ProxyServerOptions } from 'httpxy';
import { Agent as HttpAgent, type ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { type ForwardedFrom, requestHeaders } from '../headers/request-headers';
import { responseHeaders } from '../headers/response-headers';
import { appDown, appSlow } from '../refusal/refusal';
import { bareHost, type Targets } from '../routing/targets';
import type { Exchange } from './exchange';

export interface Destination {
  readonly target: URL;
  /** The path and query there. */
  readonly path: string;
  readonly sender: Omit<ForwardedFrom, 'upgrade' | 'peer'>;
  /** Instead of what the client sends. */
  readonly body?: Buffer;
}

/** A request of our listener: what the library tells of it, it tells by the request alone. */
export class Arrived extends IncomingMessage {
  underWay?: { readonly exchange: Exchange; readonly options: ProxyServerOptions };
}

const underWay = (request: IncomingMessage): Arrived['underWay'] =>
  request instanceof Arrived ? request.underWay : undefined;

/** Passes requests and WebSockets on to private services, both ways as they come. */
export class Forward {
  private readonly proxy: ProxyServer;
  private readonly agents = new Map<string, HttpAgent>();

  constructor(
    private readonly isStopping: () => boolean,
    private readonly targets: Targets,
    private readonly log: Logger,
  ) {
    // The library lets these win over those of a request, so all others are given there.
    this.proxy = createProxyServer({ prependPath: false });
    this.proxy.on('proxyReq', (upstream, request) => this.connected(upstream, request));
    this.proxy.on('proxyRes', (answer, request) => this.answered(answer, request));
    this.proxy.on('proxyReqWs', (upstream, request, socket) =>
      this.connectedSocket(upstream, request, socket),
    );
    this.proxy.on('error', (error, request) => request && this.failed(error, request));
  }

  /** Gives a request to the app. What the app answers, or that it does not, is the answer. */
  pass(exchange: Exchange, { target, path, sender, body }: Destination, head?: Buffer): void {
    const { request, socket, isUpgrade } = exchange;
    if (!this.targets.allowsHost(target.hostname)) {
      this.log.warn(
        { route: exchange.route, code: 'TARGET_NOT_ALLOWED' },
        'The target of a route is not allowed: the request is refused',
      );
      return exchange.refuse(appDown);
    }
    const peer = socket.remoteAddress;
    request.headers = requestHeaders(request.headers, { ...sender, upgrade: isUpgrade, peer });
    request.url = path;
    const options = { target, agent: this.agentFor(target), ...(body && { buffer: Readable.from([body]) }) };
    if (request instanceof Arrived) request.underWay = { exchange, options };
    this.send(exchange, options, head);
  }

  private send(exchange: Exchange, options: ProxyServerOptions, head?: Buffer): void {
    const { request, response, socket, isUpgrade } = exchange;
    // That it fails is told by its event.
    const end = isUpgrade
      ? this.proxy.ws(request, socket, options, head)
      : this.proxy.web(request, response, options);
    end.catch(() => {});
  }

  close(): void {
    for (const agent of this.agents.values()) agent.destroy();
  }

  private agentFor({ protocol, hostname, host }: URL): HttpAgent {
    const key = `${protocol}//${host}`;
    const known = this.agents.get(key);
    if (known) return known;
    const name = bareHost(hostname);
    const { lookup } = this.targets;
    const agent =
      protocol === 'https:'
        ? // Its certificate is for its own name, not for the public one that the request says.
          new HttpsAgent({ keepAlive: true, lookup, servername: isIP(name) ? '' : name })
        : new HttpAgent({ keepAlive: true, lookup });
    this.agents.set(key, agent);
    return agent;
  }

  private connected(upstream: ClientRequest, request: IncomingMessage): void {
    const exchange = underWay(request)?.exchange;
    if (!exchange || exchange.over || exchange.answered) return void upstream.destroy();
    exchange.upstream = upstream;
  }

  private answered(answer: IncomingMessage, request: IncomingMessage): void {
    const exchange = underWay(request)?.exchange;
    if (!exchange || exchange.over || exchange.answered) return void answer.destroy();
    exchange.answered = true;
    exchange.endless = /^text\/event-stream\b/i.test(answer.headers['content-type'] ?? '');
    answer.headers = responseHeaders(answer.headers, {
      asDocument: /^(document|iframe|frame|object|embed)$/.test(String(request.headers['sec-fetch-dest'])),
      last: this.isStopping() || !exchange.response.shouldKeepAlive,
    });
  }

  private connectedSocket(upstream: ClientRequest, request: IncomingMessage, socket: Socket): void {
    const exchange = underWay(request)?.exchange;
    if (!exchange) return void upstream.destroy();
    exchange.upstream = upstream;
    upstream.once('response', (answer) => {
      exchange.answered = true;
      answer.headers = responseHeaders(answer.headers, { asDocument: false, last: true });
    });
    upstream.once('upgrade', (answer, appSocket) => {
      exchange.answered = true;
      exchange.endless = true;
      const {
        connection,
        'cache-control': _control,
        ...headers
      } = responseHeaders(answer.headers, {
        asDocument: false,
        last: false,
      });
      answer.headers = { ...headers, connection: connection && 'Upgrade', upgrade: 'websocket' };
      // Whichever side goes, the other has nobody to talk to.
      socket.once('close', () => appSocket.destroy());
      appSocket.once('close', () => socket.destroy());
    });
  }

  private failed(error: Error, request: IncomingMessage): void {
    const known = underWay(request);
    if (!known || known.exchange.over || known.exchange.answered) return;
    const { exchange, options } = known;
    const code = 'code' in error ? String(error.code) : error.name;
    // The app closed an idle connection just as it was reused, so it has not processed the request.
    const isSafe = ['GET', 'HEAD'].includes(request.method ?? '') && !exchange.hasBody && !exchange.isUpgrade;
    if (code === 'ECONNRESET' && isSafe && exchange.upstream?.reusedSocket && !exchange.retried) {
      exchange.retried = true;
      return this.send(exchange, options);
    }
    this.log.warn({ route: exchange.route, code }, 'A private app does not answer: the request is refused');
    exchange.refuse(code === 'ETIMEDOUT' ? appSlow : appDown);
  }
}
