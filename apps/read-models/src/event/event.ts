import type { EventReceived, EventStatus, PushReceipt } from '@carillon/contracts';

export const firstStatus = ({ limitedBy, deviceIds }: EventReceived): EventStatus => {
  if (limitedBy) return 'limited';
  return deviceIds.length === 0 ? 'no_devices' : 'accepted';
};

export const firstError = ({ limitedBy }: EventReceived): string | null =>
  limitedBy && `${limitedBy}_rate_limited`;

/** The error code of the first device, in their order, that refused the push. */
export const errorOf = (receipts: readonly PushReceipt[]): string | null =>
  receipts.find(({ status, errorCode }) => status === 'error' && errorCode !== null)?.errorCode ?? null;
