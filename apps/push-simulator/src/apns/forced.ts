import type { Fault } from '../fault/fault.js';
import type { ApnsRefusal } from './request.js';

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
export function forcedRefusal({ effect }: Fault, now: number): ApnsRefusal | undefined {
  const status =
    effect.status ?? (effect.reason === undefined ? undefined : (statusOfReason[effect.reason] ?? 400));
  if (status === undefined || status === 200) return undefined;
  const reason = effect.reason ?? reasonOfStatus[status] ?? 'InternalServerError';
  return { status, reason, ...(status === 410 ? { timestamp: now } : {}) };
}
