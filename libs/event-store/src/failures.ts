import { Refused, errorFieldsOf } from '@carillon/eventing';
import { StoreRefused, WrongExpectedRevision } from './event-store';
import { TookTooLong } from './within';

/** The client was replaced during a read: a cut connection may look like the end of the read. */
export class Interrupted extends Error {}
/** The server's features could not be read; the request was not sent. */
export class Unreached extends Error {
  constructor(cause: unknown) {
    super('The event store cannot be reached', { cause });
  }
}

/**
 * How to treat an error of the client:
 * - `refused`: the server refused, and would refuse again,
 * - `again`: the outcome is unknown; the client still works,
 * - `reconnect`: the outcome is unknown, and the client has lost its server.
 */
export type Failure = 'refused' | 'again' | 'reconnect';

const byType: Readonly<Record<string, Failure>> = {
  timeout: 'again',
  'deadline-exceeded': 'again',
  unavailable: 'reconnect',
  cancelled: 'reconnect',
  // The client would connect to the leader by itself, and leave its old append stream open beside the new one.
  'not-leader': 'reconnect',
};

const byCode: Readonly<Record<number, Failure>> = {
  1: 'reconnect', // cancelled
  4: 'again', // deadline exceeded
  10: 'again', // aborted
  13: 'reconnect', // internal: how a server ends calls when it stops
  14: 'reconnect', // unavailable
};

/** Errors are told apart by the client's `type` and the gRPC code; their texts are often empty. */
export function failureOf(error: unknown): Failure {
  if (error instanceof TookTooLong || error instanceof Interrupted) return 'again';
  if (isOurs(error)) return 'refused';
  const { type, code } = errorFieldsOf(error);
  const known = byType[String(type)] ?? byCode[Number(code)];
  if (known) return known;
  // Node's streams and gRPC's closed channels give errors with a code in letters or none at all.
  return typeof type === 'string' || typeof code === 'number' ? 'refused' : 'reconnect';
}

/**
 * True when the call that carries all appends ended with an error that the client does not know. The error may concern
 * another append, so the outcome of this one is unknown.
 */
export const endedForAll = (error: unknown): boolean => {
  const { type, code } = errorFieldsOf(error);
  return type === 'unknown' && typeof code === 'number';
};

/** True for an error that is not one of the client and needs no translation. */
export const isOurs = (error: unknown): boolean =>
  error instanceof Refused ||
  error instanceof StoreRefused ||
  error instanceof WrongExpectedRevision ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;
