import { ApiError, ConnectionError } from './errors';

export type Fetch = (request: Request) => Promise<Response>;

export interface RetrySettings {
  /** How often a request is repeated at most. */
  readonly retries: number;
  /** A server that asks for a longer wait is not waited for. */
  readonly longestWaitSeconds: number;
  /** After this long without a whole answer the connection counts as cut. */
  readonly timeoutSeconds: number;
}

/** Resolves after the time, and rejects at once when the signal is aborted. */
function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1_000);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The pause before a repetition that the server gave no time for: 0.25 s, doubled up to 4 s. */
const backoff = (repetition: number): number => Math.min(4, 0.25 * 2 ** repetition);

/** `Retry-After` in seconds, which is a number or a date. */
function retryAfter(response: Response): number | undefined {
  const value = response.headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/**
 * Seconds until an answer's request may be repeated. With 409, 429 and 503 that name a time nothing was done; with 504
 * it is unknown what was, so that only a request with a key is repeated.
 */
function waitFor(response: Response, hasKey: boolean, repetition: number): number | undefined {
  if (response.status === 504) return hasKey ? (retryAfter(response) ?? backoff(repetition)) : undefined;
  return [409, 429, 503].includes(response.status) ? retryAfter(response) : undefined;
}

/** What Node says of a connection that came about and ended before the answer did. */
const cuts = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

function isCut(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: unknown };
  return name === 'TimeoutError' || cuts.has(String(code)) || isCut(cause);
}

/** Reads the whole answer: a connection may be cut in its midst. */
async function whole(fetch: Fetch, request: Request): Promise<Response> {
  const response = await fetch(request);
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/**
 * Repeats requests of which nothing was done, when the server says so. A connection that was cut leaves that unknown:
 * the request is repeated only with an `Idempotency-Key`, by which the server does it once.
 */
export const retrying =
  (fetch: Fetch, { retries, longestWaitSeconds, timeoutSeconds }: RetrySettings): Fetch =>
  async (request) => {
    const hasKey = request.headers.has('idempotency-key');
    const { signal } = request;
    let wasCut = false;
    const noAnswer = (cause: unknown): ConnectionError =>
      new ConnectionError(`No answer from ${request.url}`, wasCut, { cause });
    for (let repetition = 0; ; repetition += 1) {
      const isLast = repetition >= retries;
      let response: Response;
      try {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1_000)]);
        response = await whole(fetch, new Request(request.clone(), { signal: limit }));
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        wasCut ||= isCut(cause);
        if (isLast || !hasKey) throw noAnswer(cause);
        await pause(backoff(repetition), signal);
        continue;
      }
      const { status } = response;
      const wait = waitFor(response, hasKey, repetition);
      if (isLast || wait === undefined || wait > longestWaitSeconds) {
        // That the repetition did nothing leaves unknown what the request did whose connection was cut.
        if (wasCut && (wait !== undefined || isAway(status))) throw noAnswer(`status ${status} afterwards`);
        return response;
      }
      await pause(wait, signal);
    }
  };

const isAway = (status: number): boolean => status === 429 || status >= 500;

/** Its first request is carried out, or was when the server was killed: then the answer comes after a while. */
const isInProgress = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'IDEMPOTENCY_IN_PROGRESS';

/** Whether the request may have been carried out, although it failed. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof ConnectionError
    ? error.wasCut
    : isInProgress(error) || (error instanceof ApiError && error.status === 504);

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  isInProgress(error) ||
  (error instanceof ApiError && isAway(error.status));

/** Repeats a request that changes nothing when it is repeated, while the server is away and there is time. */
export async function untilAnswered<T>(
  request: () => Promise<T>,
  { end, signal, onRetry }: { end: () => number; signal?: AbortSignal; onRetry?: (error: unknown) => void },
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isPassing(error) || Date.now() > end()) throw error;
      onRetry?.(error);
      await pause(backoff(failures), signal);
    }
  }
}
