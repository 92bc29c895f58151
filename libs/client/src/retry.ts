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
    for (let repetition = 0; ; repetition += 1) {
      const isLast = repetition >= retries;
      try {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1_000)]);
        const response = await whole(fetch, new Request(request.clone(), { signal: limit }));
        const wait = waitFor(response, hasKey, repetition);
        if (isLast || wait === undefined || wait > longestWaitSeconds) return response;
        await pause(wait, signal);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        if (isLast || !hasKey) throw new ConnectionError(`No answer from ${request.url}`, { cause });
        await pause(backoff(repetition), signal);
      }
    }
  };

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/** Repeats a request that changes nothing when it is repeated, while the server is away and there is time. */
export async function untilAnswered<T>(
  request: () => Promise<T>,
  { end, signal, onRetry }: { end: number; signal?: AbortSignal; onRetry?: (error: unknown) => void },
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await request();
    } catch (error) {
      if (!isPassing(error) || Date.now() > end) throw error;
      onRetry?.(error);
      await pause(backoff(failures), signal);
    }
  }
}
