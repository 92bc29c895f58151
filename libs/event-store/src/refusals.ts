import { errorFieldsOf } from '@carillon/eventing';
import { type Expected, StoreRefused, StreamDeleted, WrongExpectedRevision } from './event-store';
import { isOurs } from './failures';

/** A call to the store, for the text of its refusal. */
export interface StoreCallName {
  /** Such as `read`. */
  readonly verb: string;
  readonly stream: string;
  readonly expected?: Expected;
}

/** The refusal of a client error, as an error class of this library. */
export function refusalOf(error: unknown, { verb, stream, expected = 'any' }: StoreCallName): unknown {
  if (isOurs(error)) return error;
  const { type, code } = errorFieldsOf(error);
  switch (type) {
    case 'wrong-expected-version':
      return new WrongExpectedRevision(stream, expected);
    case 'stream-deleted':
      return new StreamDeleted(stream);
    default:
      return new StoreRefused(
        `${verb} ${stream}`,
        typeof type === 'string' ? type : undefined,
        typeof code === 'number' ? code : undefined,
        error,
      );
  }
}
