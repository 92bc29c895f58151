import type { EventReceived, EventStatus, PushReceipt } from '@carillon/contracts';
import { type Instant, instant, millis } from '@carillon/eventing';

/** How long an event is listed. */
const listedMs = 90 * 24 * 60 * 60 * 1000;

/** Events before this are not listed. */
export const listedSince = (now: Instant): Instant => instant(millis(now) - listedMs);

export const firstStatus = ({ limitedBy, deviceIds }: EventReceived): EventStatus => {
  if (limitedBy) return 'limited';
  return deviceIds.length === 0 ? 'no_devices' : 'accepted';
};

export const firstError = ({ limitedBy }: EventReceived): string | null =>
  limitedBy && `${limitedBy}_rate_limited`;

/** The error code of the first device, in their order, that refused the push. */
export const errorOf = (receipts: readonly PushReceipt[]): string | null =>
  receipts.find(({ status, errorCode }) => status === 'error' && errorCode !== null)?.errorCode ?? null;
