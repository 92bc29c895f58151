import {
  ANY,
  NO_STREAM,
  NO_STREAM_AS_REVISION,
  revisionExpected,
  STREAM_EXISTS,
  type Expected,
} from './expected';
import { google, shared, status } from './protocol';
import { field, varintField, varintSize, writeVarint } from './wire';

/** What went wrong, before it is put into one of the two encodings. */
export type Failure =
  | { failure: 'wrong-expected-version'; stream: string; expected: Expected; current: number }
  | { failure: 'stream-deleted'; stream: string }
  | { failure: 'access-denied' }
  | { failure: 'not-authenticated' }
  | { failure: 'maximum-append-size-exceeded'; limit: number }
  | { failure: 'required-metadata-missing'; missing: string[] }
  | { failure: 'deadline-exceeded' }
  /** What the server checks for, and refuses as an argument. */
  | { failure: 'invalid-argument'; message: string }
  /** What the server does not check for: it stumbles over it. */
  | { failure: 'unknown'; message: string }
  | { failure: 'unavailable' };

const Code = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** A gRPC status with the trailers that the client makes its error from: for unary calls and reads. */
export interface GrpcRefusal {
  code: number;
  details: string;
  trailers: Record<string, string>;
}

const REQUIRED_METADATA = 'type,content-type';

/** Encodes a failure for unary calls and reads. The server stumbles over trailers that are no printable ASCII. */
export function refusal(failure: Failure): GrpcRefusal {
  const encoded = refusalOf(failure);
  const printable = Object.values(encoded.trailers).every((value) => /^[\x20-\x7e]*$/.test(value));
  return printable ? encoded : { ...encoded, code: Code.UNKNOWN, trailers: {} };
}

function refusalOf(failure: Failure): GrpcRefusal {
  switch (failure.failure) {
    case 'wrong-expected-version': {
      const { stream, current } = failure;
      const expected = failure.expected === NO_STREAM_AS_REVISION ? NO_STREAM : failure.expected;
      return {
        code: Code.FAILED_PRECONDITION,
        details: `Failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${current}`,
        trailers: {
          exception: 'wrong-expected-version',
          'stream-name': stream,
          'expected-version': String(expected),
          'actual-version': String(current),
        },
      };
    }
    case 'stream-deleted':
      return {
        code: Code.FAILED_PRECONDITION,
        details: `Event stream '${failure.stream}' is deleted.`,
        trailers: { exception: 'stream-deleted', 'stream-name': failure.stream },
      };
    case 'access-denied':
      return {
        code: Code.PERMISSION_DENIED,
        details: 'Access Denied',
        trailers: { exception: 'access-denied' },
      };
    case 'not-authenticated':
      return { code: Code.UNAUTHENTICATED, details: 'Unauthenticated', trailers: {} };
    case 'maximum-append-size-exceeded':
      return {
        code: Code.INVALID_ARGUMENT,
        details: `Maximum Append Size of ${failure.limit} Exceeded.`,
        trailers: {
          exception: 'maximum-append-size-exceeded',
          'maximum-append-size': String(failure.limit),
        },
      };
    case 'required-metadata-missing':
      return {
        code: Code.INVALID_ARGUMENT,
        details: `Required Metadata Property '${failure.missing.join(',')}' is missing`,
        trailers: {
          exception: 'missing-required-metadata-property',
          'required-metadata-properties': REQUIRED_METADATA,
        },
      };
    case 'deadline-exceeded':
      return { code: Code.DEADLINE_EXCEEDED, details: 'Timeout', trailers: {} };
    case 'invalid-argument':
      return { code: Code.INVALID_ARGUMENT, details: failure.message, trailers: {} };
    case 'unknown':
      return { code: Code.UNKNOWN, details: failure.message, trailers: {} };
    case 'unavailable':
      return { code: Code.UNAVAILABLE, details: 'Server Is Shutting Down', trailers: {} };
  }
}

const empty = () => new google.Empty();

/** Encodes a failure for a batch append: a google.rpc.Status with one detail. */
function statusOf(failure: Failure): Buffer {
  const any = new google.Any();
  const [name, message] = detail(failure);
  any.pack(message, `event_store.client.${name}`);
  const result = new status.Status();
  result.setCode(batchCode(failure) as never);
  result.setMessage(refusal(failure).details);
  result.setDetails(any);
  return Buffer.from(result.serializeBinary());
}

/** A batch append has codes of its own for the same failures. */
function batchCode(failure: Failure): number {
  switch (failure.failure) {
    case 'wrong-expected-version':
      return Code.ALREADY_EXISTS;
    case 'stream-deleted':
      return Code.NOT_FOUND;
    case 'unknown':
      return Code.INVALID_ARGUMENT;
    default:
      return refusal(failure).code;
  }
}

function detail(failure: Failure): [name: string, message: Uint8Array] {
  switch (failure.failure) {
    case 'wrong-expected-version': {
      const wrong = new shared.WrongExpectedVersion();
      if (failure.current < 0) wrong.setCurrentNoStream(empty());
      else wrong.setCurrentStreamRevision(String(failure.current));
      const expected = revisionExpected(failure.expected);
      if (expected === ANY) wrong.setExpectedAny(empty());
      else if (expected === STREAM_EXISTS) wrong.setExpectedStreamExists(empty());
      else if (expected === NO_STREAM) wrong.setExpectedNoStream(empty());
      else wrong.setExpectedStreamPosition(String(failure.expected));
      return ['WrongExpectedVersion', wrong.serializeBinary()];
    }
    case 'stream-deleted': {
      const deleted = new shared.StreamDeleted();
      deleted.setStreamIdentifier(identifier(failure.stream));
      return ['StreamDeleted', deleted.serializeBinary()];
    }
    case 'access-denied':
    case 'not-authenticated':
      return ['AccessDenied', new shared.AccessDenied().serializeBinary()];
    case 'maximum-append-size-exceeded': {
      const exceeded = new shared.MaximumAppendSizeExceeded();
      exceeded.setMaxappendsize(failure.limit);
      return ['MaximumAppendSizeExceeded', exceeded.serializeBinary()];
    }
    case 'deadline-exceeded':
      return ['Timeout', new shared.Timeout().serializeBinary()];
    case 'required-metadata-missing':
    case 'invalid-argument':
    case 'unknown': {
      const bad = new shared.BadRequest();
      bad.setMessage(refusal(failure).details);
      return ['BadRequest', bad.serializeBinary()];
    }
    case 'unavailable':
      return ['Unknown', new shared.Unknown().serializeBinary()];
  }
}

function identifier(stream: string) {
  const result = new shared.StreamIdentifier();
  result.setStreamName(Buffer.from(stream));
  return result;
}

const streamField = (number: number, stream: string) => field(number, field(3, Buffer.from(stream)));

/** Answers a batch append that failed. The client finds its call by the correlation id alone. */
export const batchAppendFailure = (correlation: Buffer, stream: string, failure: Failure): Buffer =>
  Buffer.concat([field(1, correlation), field(2, statusOf(failure)), streamField(4, stream)]);

/** Answers a batch append that is on the disk. Written by hand: it is sent for each append. */
export function batchAppendSuccess(
  correlation: Buffer,
  stream: string,
  revision: number,
  position: number | undefined,
): Buffer {
  const name = Buffer.byteLength(stream);
  const nameField = 1 + varintSize(name) + name;
  const positionField = position === undefined ? 0 : 2 * (1 + varintSize(position));
  const success = (revision < 0 ? 2 : 1 + varintSize(revision)) + 2 + positionField;
  const size =
    1 +
    varintSize(correlation.length) +
    correlation.length +
    (1 + varintSize(success) + success) +
    (1 + varintSize(nameField) + nameField);
  const into = Buffer.allocUnsafe(size);
  let at = 0;
  into[at++] = 0x0a; // correlation id
  at = writeVarint(into, at, correlation.length);
  into.set(correlation, at);
  at += correlation.length;
  into[at++] = 0x1a; // success
  at = writeVarint(into, at, success);
  if (revision < 0) {
    into[at++] = 0x12; // no stream
    into[at++] = 0;
  } else {
    into[at++] = 0x08; // current revision
    at = writeVarint(into, at, revision);
  }
  into[at++] = position === undefined ? 0x22 : 0x1a;
  into[at++] = positionField;
  if (position !== undefined) {
    into[at++] = 0x08;
    at = writeVarint(into, at, position);
    into[at++] = 0x10;
    at = writeVarint(into, at, position);
  }
  into[at++] = 0x22; // stream identifier
  at = writeVarint(into, at, nameField);
  into[at++] = 0x1a;
  at = writeVarint(into, at, name);
  into.write(stream, at, 'utf8');
  return into;
}

const positionField = (number: number, position: number) =>
  field(number, varintField(1, position), varintField(2, position));

/** Answers a unary append that is on the disk. */
export const appendSuccess = (revision: number, position: number | undefined): Buffer =>
  field(
    1,
    revision < 0 ? field(2) : varintField(1, revision),
    position === undefined ? field(4) : positionField(3, position),
  );

/** A unary append reports the wrong version in its answer, not as an error; in the old fields and the new ones. */
export function appendWrongVersion(expected: Expected, current: number): Buffer {
  const old = current < 0 ? field(2) : varintField(1, current);
  const now = current < 0 ? field(7) : varintField(6, current);
  const [oldExpected, nowExpected] =
    expected === ANY
      ? [field(4), field(9)]
      : expected === STREAM_EXISTS
        ? [field(5), field(10)]
        : expected === NO_STREAM
          ? // The old field has no other way to say it.
            [varintField(3, NO_STREAM_AS_REVISION), field(11)]
          : [varintField(3, expected), varintField(8, expected)];
  return field(2, old, oldExpected, now, nowExpected);
}

/** Answers a Delete or a Tombstone; both answers have the same fields. */
export function deleted(position: number | undefined): Buffer {
  return position === undefined ? field(2) : field(1, varintField(1, position), varintField(2, position));
}

/** The other messages that a read can send. */
export const confirmation = (id: string): Buffer => field(2, field(1, Buffer.from(id)));
export const checkpoint = ({ commit, prepare }: { commit: number; prepare: number }): Buffer =>
  field(3, varintField(1, commit), varintField(2, prepare));
export const streamNotFound = (stream: string): Buffer => field(4, streamField(1, stream));
export const caughtUp = (): Buffer => field(8);
