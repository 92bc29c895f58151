import { randomUUID } from 'node:crypto';
import type { Fault } from '../fault/faults.js';
import type { Environment } from '../phone/phone.js';
import type { Refusal } from './request.js';

/** An answer as it goes over the wire. */
export interface Answer {
  headers: Record<string, string | number>;
  /** Undefined = no body. */
  body: string | undefined;
}

const reasonOfStatus: Record<number, string> = {
  400: 'BadDeviceToken',
  403: 'InvalidProviderToken',
  404: 'BadPath',
  405: 'MethodNotAllowed',
  410: 'Unregistered',
  413: 'PayloadTooLarge',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};
const statusOfReason: Record<string, number> = {
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  BadEnvironmentKeyInToken: 403,
  BadPath: 404,
  ExpiredProviderToken: 403,
  ExpiredToken: 410,
  Forbidden: 403,
  InternalServerError: 500,
  InvalidProviderToken: 403,
  MethodNotAllowed: 405,
  MissingProviderToken: 403,
  PayloadTooLarge: 413,
  ServiceUnavailable: 503,
  Shutdown: 503,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  UnrelatedKeyIdInToken: 403,
  Unregistered: 410,
};

/** The refusal that a fault forces on a push, whatever the push is; undefined when it forces none. */
export function forcedRefusal({ effect }: Fault, now: number): Refusal | undefined {
  const status =
    effect.status ?? (effect.reason === undefined ? undefined : (statusOfReason[effect.reason] ?? 400));
  if (status === undefined || status === 200) return undefined;
  const reason = effect.reason ?? reasonOfStatus[status] ?? 'InternalServerError';
  return { status, reason, ...(status === 410 ? { timestamp: now } : {}) };
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
