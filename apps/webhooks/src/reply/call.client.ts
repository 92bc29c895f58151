import type { AttemptError } from '@carillon/contracts';
import { pinnedTo, type Reachable } from '@carillon/destinations';
import { compareTexts } from '@carillon/eventing';
import { Agent, request, type RequestOptions } from 'node:https';
import { failureOf, type Stage } from './failure';
import { most } from './places';
import { retryAfterMs } from './schedule';

export interface Call {
  readonly url: string;
  readonly reachable: Reachable;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Timeout of the whole request. */
  readonly withinMs: number;
}

export interface Answered {
  readonly error: AttemptError | null;
  readonly responseCode: number | null;
  readonly retryAfterMs: number | null;
}

const connectMs = 5_000;
/** Connect timeout per address when there are several: half of the total, so that a second one can be tried. */
const addressMs = 2_500;
const maxBytes = 16 * 1024;

/** Shorter than the five seconds after which Node's servers close an idle connection. */
const idleMs = 4_000;

interface CheckedOptions extends RequestOptions {
  /** Which addresses the name of the host has been looked up to, and allowed, for this request. */
  readonly checked: string;
  readonly autoSelectFamilyAttemptTimeout: number;
}

/** Keeps a connection for requests whose host has just been looked up to the addresses that it was opened for. */
class CheckedConnections extends Agent {
  override getName(options?: Partial<CheckedOptions>): string {
    return `${super.getName(options)}:${options?.checked}`;
  }
}

const connections = new CheckedConnections({
  keepAlive: true,
  timeout: idleMs,
  maxFreeSockets: most.toEndpoint,
  // Each connection verifies the certificate: a resumed session would not.
  maxCachedSessions: 0,
});

/** Statuses whose `Retry-After` is respected. */
const busy: ReadonlySet<number> = new Set([429, 503]);

/**
 * One POST to a checked address, over a connection that was opened for the same addresses or a new one: follows no
 * redirect and uses no proxy. Only the status of the answer counts; its body is read to the end and discarded. A kept
 * connection that the receiver has closed meanwhile is replaced by a new one, once.
 */
export async function call(given: Call): Promise<Answered> {
  const began = performance.now();
  const answered = await post(given, connections);
  if (answered !== 'closed') return answered;
  const again = await post({ ...given, withinMs: given.withinMs - (performance.now() - began) }, false);
  return again === 'closed' ? connectError : again;
}

const connectError: Answered = { error: 'connect_error', responseCode: null, retryAfterMs: null };

/** 'closed' when a connection that was kept ended before any answer. */
function post(
  { url, reachable, headers, body, withinMs }: Call,
  agent: CheckedConnections | false,
): Promise<Answered | 'closed'> {
  return new Promise((resolve) => {
    let stage: Stage = 'connecting';
    let responseCode: number | null = null;
    const settle = (outcome: Answered | 'closed'): void => {
      clearTimeout(total);
      clearTimeout(connecting);
      resolve(outcome);
    };
    const fail = (error: AttemptError, retryAfterMs: number | null = null): void => {
      settle({ error, responseCode, retryAfterMs });
      outgoing.destroy();
    };
    const { pathname, search } = new URL(url);
    const options: CheckedOptions = {
      method: 'POST',
      host: reachable.host,
      port: reachable.port,
      path: `${pathname}${search}`,
      headers,
      lookup: pinnedTo(reachable),
      checked: reachable.addresses
        .map(({ address }) => address)
        .sort(compareTexts)
        .join(' '),
      agent,
      // Set here, so that the environment cannot turn verification off.
      rejectUnauthorized: true,
      maxHeaderSize: maxBytes,
      autoSelectFamilyAttemptTimeout: addressMs,
    };
    const outgoing = request(options);
    const total = setTimeout(() => fail('timeout'), withinMs);
    const connecting = setTimeout(() => fail('timeout'), Math.min(connectMs, withinMs));
    const open = (): void => {
      stage = 'open';
      clearTimeout(connecting);
    };
    outgoing.on('socket', (socket) => {
      if (outgoing.reusedSocket) return open();
      socket.once('connect', () => (stage = 'handshake'));
      socket.once('secureConnect', open);
    });
    const lost = (error: AttemptError): void =>
      outgoing.reusedSocket && responseCode === null ? settle('closed') : fail(error);
    outgoing.on('error', (error: NodeJS.ErrnoException) => lost(failureOf(error.code, stage)));
    outgoing.on('close', () => lost('connect_error'));
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0;
      responseCode = status;
      response.on('error', () => fail('connect_error'));
      if (status < 200 || status > 299)
        return fail(
          'http_status',
          busy.has(status) ? retryAfterMs(response.headers['retry-after'], Date.now()) : null,
        );
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) fail('response_too_large');
      });
      response.on('end', () =>
        response.complete ? settle({ error: null, responseCode, retryAfterMs: null }) : fail('connect_error'),
      );
    });
    outgoing.end(body);
  });
}
