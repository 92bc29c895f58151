import type { GoogleError } from './error.js';

/** An answer as it goes over the wire. */
export interface FcmAnswer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

/** An answer with what a fault adds to it. */
export const answer = (status: number, body: unknown, retryAfterSeconds?: number): FcmAnswer => ({
  status,
  body,
  headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
});

/** The answer to a request that was refused. */
export const errorAnswer = ({ status, body }: GoogleError, retryAfterSeconds?: number): FcmAnswer =>
  answer(status, body, retryAfterSeconds);

/** The answer to a request that FCM itself does not let in: without a bearer token it says how to get one. */
export function refusalAnswer(error: GoogleError, retryAfterSeconds?: number): FcmAnswer {
  const given = errorAnswer(error, retryAfterSeconds);
  return error.status === 401
    ? {
        ...given,
        headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"', ...given.headers },
      }
    : given;
}
