import { randomUUID } from 'node:crypto';
import type { Environment } from '../phone/phone.js';
import type { ApnsRefusal } from './request.js';

/** An answer as it goes over the wire. */
export interface ApnsAnswer {
  headers: Record<string, string | number>;
  /** Undefined = no body. */
  body: string | undefined;
}

/** The answer to a push that was taken. */
export function acceptance(apnsId: string, environment: Environment): ApnsAnswer {
  const headers: ApnsAnswer['headers'] = { ':status': 200, 'apns-id': apnsId };
  // Only the development environment names the push for its console.
  if (environment === 'sandbox') headers['apns-unique-id'] = randomUUID();
  return { headers, body: undefined };
}

/** The answer to a request that was refused; one to HEAD has no body. */
export function refusalAnswer(
  apnsId: string,
  { status, reason, timestamp }: ApnsRefusal,
  { method, retryAfterSeconds }: { method: string; retryAfterSeconds?: number | undefined },
): ApnsAnswer {
  const headers: ApnsAnswer['headers'] = {
    ':status': status,
    'apns-id': reason === 'BadMessageId' ? randomUUID() : apnsId,
    'content-type': 'application/json',
  };
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  const body = JSON.stringify({ reason, ...(timestamp === undefined ? {} : { timestamp }) });
  return { headers, body: method === 'HEAD' ? undefined : body };
}
