import type { AttemptError } from '@carillon/contracts';
import { pinnedTo, type Reachable } from '@carillon/destinations';
import { request, type RequestOptions } from 'node:https';
import { failureOf, type Stage } from './failure';
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

/** Statuses whose `Retry-After` is respected. */
const busy: ReadonlySet<number> = new Set([429, 503]);

/**
 * One POST over a new TLS connection to a checked address: follows no redirect and uses no proxy. Only the status of
 * the answer counts; its body is read to the end and discarded.
 */
export function call({ url, reachable, headers, body, withinMs }: Call): Promise<Answered> {
  return new Promise((resolve) => {
    let stage: Stage = 'connecting';
    let responseCode: number | null = null;
    const end = (error: AttemptError | null, askedMs: number | null = null): void => {
      clearTimeout(total);
      clearTimeout(connecting);
      resolve({ error, responseCode, retryAfterMs: askedMs });
      outgoing.destroy();
    };
    const { pathname, search } = new URL(url);
    const options: RequestOptions & { autoSelectFamilyAttemptTimeout: number } = {
      method: 'POST',
      host: reachable.host,
      port: reachable.port,
      path: `${pathname}${search}`,
      headers,
      lookup: pinnedTo(reachable),
      agent: false,
      // Set here, so that the environment cannot turn verification off.
      rejectUnauthorized: true,
      maxHeaderSize: maxBytes,
      autoSelectFamilyAttemptTimeout: addressMs,
    };
    const outgoing = request(options);
    const total = setTimeout(() => end('timeout'), withinMs);
    const connecting = setTimeout(() => end('timeout'), Math.min(connectMs, withinMs));
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => (stage = 'handshake'));
      socket.once('secureConnect', () => {
        stage = 'open';
        clearTimeout(connecting);
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(failureOf(error.code, stage)));
    outgoing.on('close', () => end('connect_error'));
    outgoing.on('response', (response) => {
      const status = response.statusCode ?? 0;
      responseCode = status;
      response.on('error', () => end('connect_error'));
      if (status < 200 || status > 299)
        return end(
          'http_status',
          busy.has(status) ? retryAfterMs(response.headers['retry-after'], Date.now()) : null,
        );
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) end('response_too_large');
      });
      response.on('end', () => end(response.complete ? null : 'connect_error'));
    });
    outgoing.end(body);
  });
}
