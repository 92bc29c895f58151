import type { Instant } from '@carillon/eventing';

/** Stream `callback-<tail of the id>`: a delivery that goes through a connector; sealed with the key of its account. */
export type CallbackEvent = CallbackRecorded | CallbackConsumed;

interface OfCallback {
  readonly callbackId: string;
  readonly connectorId: string;
  /** Whose reply webhook it is. */
  readonly accountId: string;
}

/** An attempt is about to be made. It takes the place of the one before. */
export interface CallbackRecorded extends OfCallback {
  readonly type: 'CallbackRecorded';
  readonly deliveryId: string;
  /** Path and query of where it is to go in the end. */
  readonly path: string | null;
  readonly body: string | null;
  /** Seconds since the Unix epoch, by the wall clock: what it is signed with. */
  readonly timestamp: number;
  readonly recordedAt: Instant;
}

/** The program at the other end has taken the attempt over. */
export interface CallbackConsumed extends OfCallback {
  readonly type: 'CallbackConsumed';
  readonly timestamp: number;
  readonly consumedAt: Instant;
}
