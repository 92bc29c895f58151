import { hour, spend } from '../phone/budget.js';
import type { Phone } from '../phone/phone.js';
import type { TokenOwner } from '../phone/phones.js';
import { fcmError, googleError, type GoogleError } from './error.js';
import { looksLikeToken, type checkMessage, type FcmMessage } from './message.js';

/** What of a request is judged. */
export interface FcmRequest {
  /** The project that its path names. */
  project: string;
  /** Why its bearer is not taken; undefined when it is. */
  unauthorized: GoogleError | undefined;
  checked: ReturnType<typeof checkMessage>;
  /** Whose token it addresses. */
  owner: TokenOwner | undefined;
}

/** A message that FCM takes. */
export interface FcmAccepted {
  message: FcmMessage;
  validateOnly: boolean;
  /** Undefined for a topic or a condition. */
  phone: Phone | undefined;
}

const deviceQuota = [
  { count: 240, ms: 60_000 },
  { count: 5000, ms: hour },
];

/** The phone behind a token, if it is one that FCM knows. */
export const androidOf = (owner: TokenOwner | undefined): Phone | undefined =>
  owner?.phone.platform === 'android' ? owner.phone : undefined;

/** Judges a message as FCM does, and counts it against its phone. The first check that fails gives the error. */
export function judge(
  { project, unauthorized, checked, owner }: FcmRequest,
  projectId: string,
  now: number,
): FcmAccepted | { error: GoogleError } {
  if (unauthorized) return { error: unauthorized };
  // A wrong project has no FCM code in its answer; clients that look at the status alone mistake it for a dead token.
  if (project !== projectId) return { error: googleError(404, 'Requested entity was not found.') };
  if ('error' in checked) return checked;
  if (checked.message.token === undefined) return { ...checked, phone: undefined };
  if (!looksLikeToken(checked.message.token))
    return {
      error: fcmError('INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token'),
    };
  const phone = androidOf(owner);
  if (!phone || owner?.deadSince !== undefined)
    return { error: fcmError('UNREGISTERED', 'Requested entity was not found.') };
  if (phone.settings.fcmQuota && !spend(phone.spent.messages, now, deviceQuota))
    return { error: fcmError('QUOTA_EXCEEDED', 'Message rate exceeded for this device.') };
  return { ...checked, phone };
}
