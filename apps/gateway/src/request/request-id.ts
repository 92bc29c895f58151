import { randomBytes } from 'node:crypto';

export const requestIdForm = /^[A-Za-z0-9._-]{8,64}$/;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: sorts by time, safe in any header or log. */
export function ulid(): string {
  let time = Date.now();
  let text = '';
  for (let index = 0; index < 10; index += 1) {
    text = alphabet.charAt(time % 32) + text;
    time = Math.floor(time / 32);
  }
  for (const byte of randomBytes(16)) text += alphabet.charAt(byte & 31);
  return text;
}

/** The id of a request in the logs: the caller's when it is well-formed, else a new one. */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && requestIdForm.test(given) ? given : ulid();

/** Headers of every answer. */
export const standardHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'agent-api-version': '1.0.0',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});
