import { randomUUID } from 'node:crypto';
import type { Environment } from '../phone/phone.js';
import type { Refusal } from './request.js';

/** An answer as it goes over the wire. */
export interface Answer {
  headers: Record<string, string | number>;
  /** Undefined = no body. */
  body: string | undefined;
}

/** The answer to a push that was taken. */
export function acceptance(apnsId: string, environment: Environment): Answer {
  const headers: Answer['headers'] = { ':status': 200, 'apns-id': apnsId };
  // Only the development environment names the push for its console.
  if (environment === 'sandbox') headers['apns-unique-id'] = randomUUID();
  return { headers, body: undefined };
}

/** The answer to a request that was refused; one to HEAD has no body. */
export function refusalAnswer(
  apnsId: string,
  { status, reason, timestamp }: Refusal,
  { method, retryAfterSeconds }: { method: string; retryAfterSeconds?: number | undefined },
): Answer {
  const headers: Answer['headers'] = {
    ':status': status,
    'apns-id': reason === 'BadMessageId' ? randomUUID() : apnsId,
    'content-type': 'application/json',
  };
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  const body = JSON.stringify({ reason, ...(timestamp === undefined ? {} : { timestamp }) });
  return { headers, body: method === 'HEAD' ? undefined : body };
}
