/** An error answer, in the form that all routes share. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    /** One sentence for people, without ids of other accounts. */
    readonly sentence: string,
    /** Members beside `error` and `code`: `issues`, `required`, `limit`, `retryAfter` … */
    readonly members: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${status} ${code}`);
    this.name = 'ApiError';
  }
}

export const invalid = (path: string, message: string, code = 'invalid_format'): ApiError =>
  new ApiError(400, 'VALIDATION_FAILED', 'The request is not valid.', { issues: [{ path, message, code }] });

export const noRoute = (): ApiError => new ApiError(404, 'ROUTE_NOT_FOUND', 'There is no such route.');

export const appRequired = (): ApiError =>
  new ApiError(403, 'HUMAN_SESSION_REQUIRED', 'Only the phone app can do this.');

export const tooMany = (
  limit: number,
  resetSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): ApiError =>
  new ApiError(
    429,
    'RATE_LIMITED',
    'Too many requests. Try again later.',
    { retryAfter: Math.max(1, resetSeconds), limit },
    { ...headers, 'retry-after': String(Math.max(1, resetSeconds)) },
  );
