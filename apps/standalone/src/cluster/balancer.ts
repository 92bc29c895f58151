import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnSecondLoopback } from '@carillon/runtime';

/** Same as in gateways: longer than callers keep idle connections, or a connection would close under a request. */
const keptForMs = 75_000;
/** Headers of one hop, not passed on. */
const ofOneHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);
const positionHeader = 'carillon-position';
const clockPath = '/__clock';
const maxClockSeconds = 366 * 86_400;

/**
 * Balances requests over several gateways in turn, and skips unreachable gateways. It passes on the newest log position
 * that it has seen, as callers behind several gateways do, so that a later answer is never older than an earlier one.
 */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((asked, answer) => {
    if (this.advance && asked.url === clockPath) void this.moveClock(this.advance, asked, answer);
    else this.pass(asked, answer, 0);
  });
  private closeSecond: () => Promise<void> = () => Promise.resolve();
  private turn = 0;
  private newest = -1n;

  constructor(
    private readonly ports: readonly number[],
    /** Moves the clocks of all processes, where this is enabled. */
    private readonly advance?: (ms: number) => Promise<string>,
  ) {
    this.server.requestTimeout = 0;
    this.server.keepAliveTimeout = keptForMs;
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.closeSecond = await listenOnSecondLoopback(this.server);
  }

  /** Accepts no new connections. Requests on open connections still go to a gateway until those close. */
  async close(gatewaysGone: Promise<unknown>): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    void this.closeSecond();
    await gatewaysGone;
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
      // A stream that breaks on the gateway's side breaks on the caller's side too.
      response.once('error', () => answer.destroy());
      response.once('close', () => response.complete || answer.destroy());
    });
    gateway.once('error', (error: NodeJS.ErrnoException) => {
      if (isOver) return;
      isOver = true;
      // The gateway has not received the request, so another gateway may get it.
      if (error.code !== 'ECONNREFUSED') return refuse(asked, answer, outcomeUnknown);
      if (tries + 1 < this.ports.length) return this.pass(asked, answer, tries + 1);
      refuse(asked, answer, unavailable);
    });
    answer.once('close', () => gateway.destroy());
    // The body is read only once the connection is open: a body already read could not go to another gateway.
    gateway.once('socket', (socket) => {
      const send = (): void => void asked.pipe(gateway);
      if (socket.connecting) socket.once('connect', send);
      else send();
    });
  }

  private async moveClock(
    advance: (ms: number) => Promise<string>,
    asked: IncomingMessage,
    answer: ServerResponse,
  ): Promise<void> {
    try {
      const seconds = secondsIn(await text(asked));
      if (typeof seconds !== 'number') return refuse(asked, answer, seconds);
      const now = await advance(seconds * 1_000);
      answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ now }));
    } catch (error) {
      answer.writeHead(500).end(String(error));
    }
  }

  private optionsOf(asked: IncomingMessage, port: number): RequestOptions {
    const headers = passedOn(asked);
    const given = headers[positionHeader];
    const wanted = given === undefined ? -1n : positionIn(given);
    if (wanted !== undefined && wanted < this.newest) headers[positionHeader] = String(this.newest);
    return { host: '127.0.0.1', port, agent: this.agent, method: asked.method!, path: asked.url!, headers };
  }

  private remember(told: string | string[] | undefined): void {
    const position = positionIn(told);
    if (position !== undefined && position > this.newest) this.newest = position;
  }
}

const positionIn = (text: string | string[] | undefined): bigint | undefined =>
  typeof text === 'string' && /^\d+$/.test(text) ? BigInt(text) : undefined;

/** The seconds by which a body moves the clock, or a refusal with the gateway's code. */
export function secondsIn(body: string): number | BalancerRefusal {
  const refusal = (code: string, error: string): BalancerRefusal => ({ status: 400, body: { error, code } });
  let given: unknown;
  try {
    given = JSON.parse(body || '{}');
  } catch {
    // Reported below.
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return refusal('INVALID_JSON', 'The body must be a JSON object.');
  const { advanceSeconds: seconds } = given as { advanceSeconds?: unknown };
  return typeof seconds === 'number' && seconds >= 0 && seconds <= maxClockSeconds
    ? seconds
    : refusal(
        'VALIDATION_FAILED',
        `advanceSeconds must be a number of seconds from 0 to ${maxClockSeconds}.`,
      );
}

interface BalancerRefusal {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer when no gateway has received the request. */
const unavailable: BalancerRefusal = {
  status: 503,
  body: { error: 'No gateway can be reached. Try again.', code: 'UNAVAILABLE', retryAfter: 1 },
  headers: { 'retry-after': '1' },
};

/** The answer when a gateway had the request and died. */
const outcomeUnknown: BalancerRefusal = {
  status: 504,
  body: {
    error: 'What was asked may have happened. Ask again with the same Idempotency-Key, or look first.',
    code: 'DEADLINE_EXCEEDED',
  },
};

/** In the form that the gateways' own refusals have: callers know no other. */
function refuse(
  asked: IncomingMessage,
  answer: ServerResponse,
  { status, body, headers }: BalancerRefusal,
): void {
  if (answer.headersSent) return void answer.destroy();
  const requestId = asked.headers['x-request-id'] ?? randomUUID();
  answer
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
      'agent-api-version': '1.0.0',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(JSON.stringify(body));
}

const passedOn = ({ headers }: IncomingMessage): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ofOneHop.has(name) || value === undefined ? [] : [[name, value]],
    ),
  );
