import {
  ANY,
  DELETED_REVISION,
  NO_STREAM,
  NO_STREAM_AS_REVISION,
  STREAM_EXISTS,
  type Expected,
} from './expected';
import { decodeEntry, decodeId, decodeStreamName, structured, type ProposedEvent } from './record';
import { field, Reader } from './wire';

/** One message of a batch append; an append may come in several, and only the first has options. */
export interface BatchAppendMessage {
  /** The correlation id, to be sent back as it came. */
  correlation: Buffer;
  /** What it says: a UUID, if the client does as it should. */
  correlationId: string;
  options?: AppendOptions;
  events: Proposed[];
  isFinal: boolean;
}

/** A stream, and what is expected of it; undefined when nothing is said. */
export interface Target {
  stream: string;
  expected: Expected | undefined;
}

export interface AppendOptions extends Target {
  /** Milliseconds since 1970. */
  deadline: number;
}

export interface Proposed extends ProposedEvent {
  /** Metadata that the server requires and that is not there. */
  missing: string[];
}

const NOTHING = Buffer.alloc(0);

/** Decodes by hand what the generated class decodes at several times the cost. */
export function decodeBatchAppend(bytes: Buffer): BatchAppendMessage {
  const reader = new Reader(bytes);
  const message: BatchAppendMessage = {
    correlation: NOTHING,
    correlationId: '',
    events: [],
    isFinal: false,
  };
  while (reader.next()) {
    switch (reader.fieldNumber) {
      case 1:
        readCorrelation(message, reader.view());
        break;
      case 2:
        message.options = decodeBatchOptions(reader.message());
        break;
      case 3:
        message.events.push(decodeProposed(reader.message()));
        break;
      case 4:
        message.isFinal = reader.varint() !== 0;
        break;
      default:
        reader.skip();
    }
  }
  return message;
}

function readCorrelation(message: BatchAppendMessage, bytes: Buffer): void {
  const text = decodeId(new Reader(bytes));
  message.correlationId = asUuid(text);
  // The answer must be readable: all but the usual form is encoded again.
  const isUsual = bytes.length === 38 && bytes[0] === 0x12 && UUID.test(text);
  const isStructured = bytes[0] === 0x0a && UUID.test(text);
  message.correlation = isUsual ? bytes : isStructured ? structured(text) : field(2, Buffer.from(text));
}

function decodeBatchOptions(reader: Reader): AppendOptions {
  const options: AppendOptions = { stream: '', expected: undefined, deadline: Infinity };
  while (reader.next()) {
    switch (reader.fieldNumber) {
      case 1:
        options.stream = decodeStreamName(reader.message()).toString();
        break;
      case 6:
        options.deadline = decodeMilliseconds(reader.message());
        break;
      case 7:
        // Newer clients send the time that is left instead of a moment.
        options.deadline = Date.now() + decodeMilliseconds(reader.message());
        break;
      default:
        if (!decodeExpected(reader, options)) reader.skip();
    }
  }
  return options;
}

/** The four forms of an expected revision have the same numbers in all requests. */
function decodeExpected(reader: Reader, into: Target): boolean {
  switch (reader.fieldNumber) {
    case 2:
      into.expected = reader.uint64();
      return true;
    case 3:
      into.expected = NO_STREAM;
      break;
    case 4:
      into.expected = ANY;
      break;
    case 5:
      into.expected = STREAM_EXISTS;
      break;
    default:
      return false;
  }
  reader.skip();
  return true;
}

/** Timestamps and durations are both seconds and nanoseconds. */
function decodeMilliseconds(reader: Reader): number {
  let seconds = 0;
  let nanos = 0;
  while (reader.next()) {
    if (reader.fieldNumber === 1) seconds = Number(reader.int64());
    else if (reader.fieldNumber === 2) nanos = Number(reader.int64());
    else reader.skip();
  }
  return seconds * 1000 + nanos / 1e6;
}

function decodeProposed(reader: Reader): Proposed {
  let type: string | undefined;
  let contentType: string | undefined;
  const event: Proposed = { id: '', type: '', json: false, data: NOTHING, metadata: NOTHING, missing: [] };
  while (reader.next()) {
    switch (reader.fieldNumber) {
      case 1:
        event.id = asUuid(decodeId(reader.message()));
        break;
      case 2: {
        const [key, value] = decodeEntry(reader.message());
        if (key === 'type') type = value;
        else if (key === 'content-type') contentType = value;
        break;
      }
      case 3:
        event.metadata = reader.view();
        break;
      case 4:
        event.data = reader.view();
        break;
      default:
        reader.skip();
    }
  }
  if (type === undefined) event.missing.push('type');
  else event.type = type;
  if (contentType === undefined) event.missing.push('content-type');
  else event.json = contentType === 'application/json';
  return event;
}

/** One message of a unary append: first the options, then an event each. */
export interface AppendMessage {
  options?: Target;
  event?: Proposed;
}

export function decodeAppend(bytes: Buffer): AppendMessage {
  const reader = new Reader(bytes);
  const message: AppendMessage = {};
  while (reader.next()) {
    if (reader.fieldNumber === 1) message.options = decodeOptions(reader.message());
    else if (reader.fieldNumber === 2) message.event = decodeProposed(reader.message());
    else reader.skip();
  }
  return message;
}

function decodeOptions(reader: Reader): Target {
  const options: Target = { stream: '', expected: undefined };
  while (reader.next()) {
    if (reader.fieldNumber === 1) options.stream = decodeStreamName(reader.message()).toString();
    else if (!decodeExpected(reader, options)) reader.skip();
  }
  return options;
}

/** A Delete or a Tombstone request. */
export interface DeleteMessage {
  options?: Target;
}

export function decodeDelete(bytes: Buffer): DeleteMessage {
  const reader = new Reader(bytes);
  const message: DeleteMessage = {};
  while (reader.next()) {
    if (reader.fieldNumber === 1) message.options = decodeOptions(reader.message());
    else reader.skip();
  }
  return message;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The other forms that the server reads: without hyphens, in braces, in parentheses. */
const OTHER_UUID =
  /^(?:([{(])?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})([)}])?|([0-9a-f]{32}))$/;
const ZEROS = '00000000-0000-0000-0000-000000000000';
const MAX_NAME_BYTES = 1024;

export const isUuid = (id: string): boolean => UUID.test(id);

function asUuid(id: string): string {
  if (UUID.test(id)) return id;
  const [, open = '', a, b, c, d, e, close = '', bare] = OTHER_UUID.exec(id.trim()) ?? [];
  if (bare) return bare.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return a && ['', '{}', '()'].includes(open + close) ? [a, b, c, d, e].join('-') : id;
}

/** Why a stream may not be named, if so. */
export function whatIsWrongWithStream(name: string): string | undefined {
  if (name === '') return 'the stream name is empty';
  if (name === '$all') return '$all is no stream to write to';
  if (name === '$$') return '$$ is the metadata of a stream without a name';
  // Its metadata's stream has a name that is longer by two, and that one's, too.
  if (Buffer.byteLength(name.replace(/^(\$\$){1,3}/, '')) > MAX_NAME_BYTES)
    return `a stream name has at most ${MAX_NAME_BYTES} bytes here`;
  return undefined;
}

/** Why a revision cannot be expected, if so. */
export function whatIsWrongWithExpected(expected: Expected): string | undefined {
  return expected > DELETED_REVISION && expected !== NO_STREAM_AS_REVISION
    ? 'the expected revision is above the signed range'
    : undefined;
}

/** Why an event cannot be recorded, if so. */
export function whatIsWrongWithEvent(event: Proposed): string | undefined {
  if (event.missing.length > 0) return `required metadata is missing: ${event.missing.join(', ')}`;
  if (event.type === '') return 'an event type is empty';
  if (!UUID.test(event.id)) return 'an event id is no UUID';
  if (event.id === ZEROS) return 'an event id is all zeros';
  return undefined;
}

/** The size of an event as the server's append limit counts it. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2;
}
