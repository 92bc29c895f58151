import { ANY, NO_STREAM, STREAM_EXISTS } from './appends';
import { google, shared, status, streams } from './generated';
import { field, varintField, varintSize, writeVarint } from './wire';

/** What went wrong, before it is put into one of the two encodings. */
export type Failure =
  | { failure: 'wrong-expected-version'; stream: string; expected: number; current: number }
  | { failure: 'stream-deleted'; stream: string }
  | { failure: 'access-denied' }
  | { failure: 'not-authenticated' }
  | { failure: 'maximum-append-size-exceeded'; limit: number }
  | { failure: 'required-metadata-missing'; missing: string[] }
  | { failure: 'deadline-exceeded' }
  | { failure: 'bad-request'; message: string }
  | { failure: 'unavailable' };

const Code = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** A gRPC status with the trailers that the client makes its error from: for unary calls and reads. */
export interface Refusal {
  code: number;
  details: string;
  trailers: Record<string, string>;
}

/** Encodes a failure for unary calls and reads. */
export function refusal(failure: Failure): Refusal {
  switch (failure.failure) {
    case 'wrong-expected-version': {
      const { stream, expected, current } = failure;
      const actual = current < 0 ? '' : String(current);
      return {
        code: Code.FAILED_PRECONDITION,
        details: `Failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
        trailers: {
          exception: 'wrong-expected-version',
          'stream-name': printable(stream),
          'expected-version': String(expected),
          ...(actual && { 'actual-version': actual }),
        },
      };
    }
    case 'stream-deleted':
      return {
        code: Code.FAILED_PRECONDITION,
        details: `Event stream '${failure.stream}' is deleted.`,
        trailers: { exception: 'stream-deleted', 'stream-name': printable(failure.stream) },
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
          'required-metadata-properties': failure.missing.join(','),
        },
      };
    case 'deadline-exceeded':
      return { code: Code.DEADLINE_EXCEEDED, details: 'Timeout', trailers: {} };
    case 'bad-request':
      return { code: Code.INVALID_ARGUMENT, details: failure.message, trailers: {} };
    case 'unavailable':
      return { code: Code.UNAVAILABLE, details: 'Server Is Shutting Down', trailers: {} };
  }
}

/** Trailers carry printable ASCII only. */
const printable = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text));

const empty = () => new google.Empty();

/** Encodes a failure for a batch append: a google.rpc.Status with one detail. */
function statusOf(failure: Failure): Buffer {
  const { code, details } = refusal(failure);
  const any = new google.Any();
  const [name, message] = detail(failure);
  any.pack(message, `event_store.client.${name}`);
  const result = new status.Status();
  result.setCode(code as never);
  result.setMessage(details);
  result.setDetails(any);
  return Buffer.from(result.serializeBinary());
}

function detail(failure: Failure): [name: string, message: Uint8Array] {
  switch (failure.failure) {
    case 'wrong-expected-version': {
      const wrong = new shared.WrongExpectedVersion();
      if (failure.current < 0) wrong.setCurrentNoStream(empty());
      else wrong.setCurrentStreamRevision(String(failure.current));
      if (failure.expected === ANY) wrong.setExpectedAny(empty());
      else if (failure.expected === STREAM_EXISTS) wrong.setExpectedStreamExists(empty());
      else if (failure.expected === NO_STREAM) wrong.setExpectedNoStream(empty());
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
    case 'bad-request': {
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
export function batchAppendFailure(
  correlation: Buffer,
  stream: string,
  expected: number,
  failure: Failure,
): Buffer {
  const request =
    expected >= 0
      ? varintField(5, expected)
      : field(expected === NO_STREAM ? 6 : expected === STREAM_EXISTS ? 8 : 7);
  return Buffer.concat([field(1, correlation), field(2, statusOf(failure)), streamField(4, stream), request]);
}

/** Answers a batch append that is on the disk. Written by hand: it is sent for each append. */
export function batchAppendSuccess(
  correlation: Buffer,
  stream: string,
  expected: number,
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
    (1 + varintSize(nameField) + nameField) +
    (expected >= 0 ? 1 + varintSize(expected) : 2);
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
  at += into.write(stream, at, 'utf8');
  if (expected >= 0) {
    into[at++] = 0x28;
    writeVarint(into, at, expected);
  } else {
    into[at++] = expected === NO_STREAM ? 0x32 : expected === STREAM_EXISTS ? 0x42 : 0x3a;
    into[at] = 0;
  }
  return into;
}

/** Answers a unary append that is on the disk. */
export function appendSuccess(revision: number, position: number | undefined): Buffer {
  const response = new streams.AppendResp();
  const success = new streams.AppendResp.Success();
  if (revision < 0) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) success.setNoPosition(new shared.Empty());
  else {
    const at = new streams.AppendResp.Position();
    at.setCommitPosition(String(position));
    at.setPreparePosition(String(position));
    success.setPosition(at);
  }
  response.setSuccess(success);
  return Buffer.from(response.serializeBinary());
}

/** A unary append reports the wrong version in its answer, not as an error; in the old fields and the new ones. */
export function appendWrongVersion(expected: number, current: number): Buffer {
  const response = new streams.AppendResp();
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current < 0) {
    wrong.setCurrentNoStream(new shared.Empty());
    wrong.setNoStream2060(new shared.Empty());
  } else {
    wrong.setCurrentRevision(String(current));
    wrong.setCurrentRevision2060(current);
  }
  if (expected === ANY) {
    wrong.setExpectedAny(new shared.Empty());
    wrong.setAny2060(new shared.Empty());
  } else if (expected === STREAM_EXISTS) {
    wrong.setExpectedStreamExists(new shared.Empty());
    wrong.setStreamExists2060(new shared.Empty());
  } else if (expected === NO_STREAM) wrong.setExpectedNoStream(new shared.Empty());
  else {
    wrong.setExpectedRevision(String(expected));
    wrong.setExpectedRevision2060(expected);
  }
  response.setWrongExpectedVersion(wrong);
  return Buffer.from(response.serializeBinary());
}

/** Answers a Delete or a Tombstone; both answers have the same fields. */
export function deleted(position: number | undefined): Buffer {
  return position === undefined ? field(2) : field(1, varintField(1, position), varintField(2, position));
}

/** The other messages that a read can send. */
export const confirmation = (id: string): Buffer => field(2, field(1, Buffer.from(id)));
export const checkpoint = (position: number): Buffer =>
  field(3, varintField(1, position), varintField(2, position));
export const streamNotFound = (stream: string): Buffer => field(4, streamField(1, stream));
export const caughtUp = (): Buffer => field(8);
