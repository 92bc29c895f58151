import type { CallbackEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';
import { isSameText, signWebhook } from '@carillon/signing';
import { createHash } from 'node:crypto';

/** Null before the first attempt. */
export type CallbackState = Callback | null;

export interface Callback {
  readonly id: string;
  readonly connectorId: string;
  readonly accountId: string;
  readonly deliveryId: string;
  /** The newest attempt: path and body, null when they are gone with the account's key. */
  readonly path: string | null;
  readonly body: string | null;
  readonly timestamp: number;
  readonly isConsumed: boolean;
}

export const callback: Decider<CallbackState, CallbackEvent> = {
  category: 'callback',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'CallbackRecorded': {
        const { callbackId: id, connectorId, accountId, deliveryId, path, body, timestamp } = event;
        return { id, connectorId, accountId, deliveryId, path, body, timestamp, isConsumed: false };
      }
      case 'CallbackConsumed':
        return state && { ...state, isConsumed: true };
    }
  },
  personal: { CallbackRecorded: ['path', 'body'], CallbackConsumed: [] },
};

export interface Recording {
  /** The id from the first attempt; later attempts keep it. */
  readonly callbackId: string;
  readonly connectorId: string;
  readonly accountId: string;
  readonly deliveryId: string;
  readonly path: string;
  readonly body: string;
  readonly timestamp: number;
  readonly at: Instant;
}

/** Records an attempt before it is sent. From then on only this attempt can be taken over. */
export const record: Decision<CallbackState, CallbackEvent, Recording> =
  ({ callbackId, at, ...recording }) =>
  (state) => [
    { type: 'CallbackRecorded', callbackId: state?.id ?? callbackId, ...recording, recordedAt: at },
  ];

/** The callback as the connector program received it. */
export interface CallbackEvidence {
  readonly callbackId: string;
  readonly connectorId: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly bodySha256: string;
}

export interface Consumption extends CallbackEvidence {
  /** The currently valid secrets of the connector. */
  readonly keys: readonly Buffer[];
  /** By the wall clock, like the signed timestamp. */
  readonly wallMs: number;
  readonly at: Instant;
}

/** The maximum difference of a callback's timestamp from now, in both directions. */
const toleranceMs = 5 * 60 * 1000;

/** Takes an attempt over, once. Refused `callback.invalid` for any fault. */
export const consume: Decision<CallbackState, CallbackEvent, Consumption> =
  ({ keys, wallMs, at, ...given }) =>
  (state) => {
    const { id: callbackId, connectorId, accountId, timestamp } = shown(state, given);
    const isTimely = Math.abs(wallMs - timestamp * 1000) <= toleranceMs;
    if (!isTimely || !isSigned(state, given.signature, keys)) throw new Refused('callback.invalid');
    return [{ type: 'CallbackConsumed', callbackId, connectorId, accountId, timestamp, consumedAt: at }];
  };

/** The attempt that was shown, which nobody has taken over yet. */
function shown(
  state: CallbackState,
  { callbackId, connectorId, timestamp, bodySha256 }: CallbackEvidence,
): Callback {
  if (
    state === null ||
    state.id !== callbackId ||
    state.connectorId !== connectorId ||
    state.timestamp !== timestamp ||
    state.isConsumed ||
    state.body === null ||
    createHash('sha256').update(state.body, 'utf8').digest('hex') !== bodySha256.toLowerCase()
  )
    throw new Refused('callback.invalid');
  return state;
}

/** Whether one of the signatures is valid for the recorded attempt. */
function isSigned(state: CallbackState, signature: string, keys: readonly Buffer[]): boolean {
  if (!state || state.body === null || keys.length === 0) return false;
  const own = signatureOf(state, keys).split(' ');
  return signature.split(' ').some((theirs) => own.some((ours) => isSameText(ours, theirs)));
}

/** The header `connector-signature`. */
export const signatureOf = (
  { id, timestamp, body }: Pick<Callback, 'id' | 'timestamp' | 'body'>,
  keys: readonly Buffer[],
): string => signWebhook(keys, { id, timestamp, body: body ?? '' });
