import { Refused } from '@carillon/eventing';
import { type Expected, StoreRefused, StreamDeleted, WrongExpectedRevision } from './event-store';

/** We gave up waiting. */
export class TookTooLong extends Error {}
/** The client was replaced while something was read with it: a cut connection may look like the end of a read. */
export class Interrupted extends Error {}
/** The server could not be asked what it can do: nothing was sent to it. */
export class Unreached extends Error {
  constructor(cause: unknown) {
    super('The event store cannot be reached', { cause });
  }
}

/**
 * What follows from an error of the client:
 * - `refused`: the answer is no, and would be no again,
 * - `again`: nothing is known; the client is good,
 * - `anew`: nothing is known, and the client has lost its server.
 */
export type Failure = 'refused' | 'again' | 'anew';

const byType: Readonly<Record<string, Failure>> = {
  timeout: 'again',
  'deadline-exceeded': 'again',
  unavailable: 'anew',
  cancelled: 'anew',
  // The client would turn to the leader by itself, and leave its stream of appends open beside the new one.
  'not-leader': 'anew',
};

const byCode: Readonly<Record<number, Failure>> = {
  1: 'anew', // cancelled
  4: 'again', // deadline exceeded
  10: 'again', // aborted
  13: 'anew', // internal: how a server ends calls when it stops
  14: 'anew', // unavailable
};

/** Errors are told apart by the client's `type` and the gRPC code; their texts are often empty. */
export function failureOf(error: unknown): Failure {
  if (error instanceof TookTooLong || error instanceof Interrupted) return 'again';
  if (isOurs(error)) return 'refused';
  const { type, code } = error as { type?: unknown; code?: unknown };
  const known = byType[String(type)] ?? byCode[Number(code)];
  if (known) return known;
  // Node's streams and gRPC's closed channels give errors with a code in letters or none at all.
  return typeof type === 'string' || typeof code === 'number' ? 'refused' : 'anew';
}

/**
 * True when the call that carries all appends was ended with an error that the client does not know. It may be about
 * the append of another; what became of this one is open.
 */
export const endedForAll = (error: unknown): boolean => {
  const { type, code } = error as { type?: unknown; code?: unknown };
  return type === 'unknown' && typeof code === 'number';
};

const isOurs = (error: unknown): boolean =>
  error instanceof Refused ||
  error instanceof StoreRefused ||
  error instanceof WrongExpectedRevision ||
  error instanceof StreamDeleted ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;

/** What something was asked of the store for, so that its refusal can be named. */
export interface Asked {
  /** Such as `read`. */
  readonly verb: string;
  readonly stream: string;
  readonly expected?: Expected;
}

/** A refusal of the client in our words. */
export function refusalOf(error: unknown, { verb, stream, expected = 'any' }: Asked): unknown {
  if (isOurs(error)) return error;
  const { type, code } = error as { type?: string; code?: unknown };
  switch (type) {
    case 'wrong-expected-version':
      return new WrongExpectedRevision(stream, expected);
    case 'stream-deleted':
      return new StreamDeleted(stream);
    default:
      return new StoreRefused(`${verb} ${stream}`, type, typeof code === 'number' ? code : undefined, error);
  }
}

/** What a promise gives, unless it takes longer than `ms`. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong()), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
