import type { Instant } from '@carillon/eventing';

/** Stream `callback-<tail of the id>`: a delivery that goes through a connector; sealed with the key of its account. */
export type CallbackEvent = CallbackRecorded | CallbackConsumed;

interface OfCallback {
  readonly callbackId: string;
  readonly connectorId: string;
  /** The account of the reply webhook. */
  readonly accountId: string;
}

/** Recorded before an attempt. Replaces the previous attempt. */
export interface CallbackRecorded extends OfCallback {
  readonly type: 'CallbackRecorded';
  readonly deliveryId: string;
  /** Path and query of the final destination. */
  readonly path: string | null;
  readonly body: string | null;
  /** The signed timestamp, in seconds since the Unix epoch by the wall clock. */
  readonly timestamp: number;
  readonly recordedAt: Instant;
}

/** The connector's program has accepted the attempt. */
export interface CallbackConsumed extends OfCallback {
  readonly type: 'CallbackConsumed';
  readonly timestamp: number;
  readonly consumedAt: Instant;
}
