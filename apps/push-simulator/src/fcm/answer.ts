import type { GoogleError } from './error.js';

/** An answer as it goes over the wire. */
export interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

/** An answer with what a fault adds to it. */
export const answer = (status: number, body: unknown, retryAfterSeconds?: number): Answer => ({
  status,
  body,
  headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
});

/** The answer to a request that was refused. */
export const errorAnswer = ({ status, body }: GoogleError, retryAfterSeconds?: number): Answer =>
  answer(status, body, retryAfterSeconds);

/** The answer to a request that FCM itself does not let in: whoever lacks a bearer is told how to come by one. */
export function refusalAnswer(error: GoogleError, retryAfterSeconds?: number): Answer {
  const given = errorAnswer(error, retryAfterSeconds);
  return error.status === 401
    ? {
        ...given,
        headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"', ...given.headers },
      }
    : given;
}
