import { ANY, NO_STREAM, STREAM_EXISTS } from './appends';
import { decodeEntry, decodeId, decodeStreamName, type ProposedEvent } from './record';
import { Reader } from './wire';

/** One message of a batch append; an append may come in several, and only the first has options. */
export interface BatchAppendMessage {
  /** The correlation id as received, to be sent back as it came. */
  correlation: Buffer;
  correlationKey: string;
  options?: AppendOptions;
  events: Proposed[];
  isFinal: boolean;
}

export interface AppendOptions {
  stream: string;
  expected: number;
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
    correlationKey: '',
    events: [],
    isFinal: false,
  };
  while (reader.next()) {
    switch (reader.fieldNumber) {
      case 1:
        message.correlation = reader.view();
        message.correlationKey = message.correlation.toString('latin1');
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

function decodeBatchOptions(reader: Reader): AppendOptions {
  const options: AppendOptions = { stream: '', expected: ANY, deadline: Infinity };
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
function decodeExpected(reader: Reader, into: { expected: number }): boolean {
  switch (reader.fieldNumber) {
    case 2:
      into.expected = reader.varint();
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
    else if (reader.fieldNumber === 2) nanos = reader.varint();
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
        event.id = decodeId(reader.message());
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
  options?: { stream: string; expected: number };
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

function decodeOptions(reader: Reader): { stream: string; expected: number } {
  const options = { stream: '', expected: ANY };
  while (reader.next()) {
    if (reader.fieldNumber === 1) options.stream = decodeStreamName(reader.message()).toString();
    else if (!decodeExpected(reader, options)) reader.skip();
  }
  return options;
}

/** Decodes a Delete or a Tombstone request. */
export function decodeDelete(bytes: Buffer): { stream: string; expected: number } {
  const reader = new Reader(bytes);
  let options = { stream: '', expected: ANY };
  while (reader.next()) {
    if (reader.fieldNumber === 1) options = decodeOptions(reader.message());
    else reader.skip();
  }
  return options;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LONGEST_NAME = 1024;

/** Why a stream may not be written, if so. */
export function whatIsWrongWithStream(name: string): string | undefined {
  if (name === '') return 'the stream name is empty';
  if (name === '$all') return '$all is no stream to write to';
  if (name === '$$' || name.startsWith('$$$$')) return `${name} is no valid stream name`;
  // Its metadata's stream has a name that is longer by two.
  if (Buffer.byteLength(name.replace(/^\$\$/, '')) > LONGEST_NAME)
    return `a stream name has at most ${LONGEST_NAME} bytes here`;
  return undefined;
}

/** Why an event cannot be recorded, if so. */
export function whatIsWrongWithEvent(event: Proposed): string | undefined {
  if (event.missing.length > 0) return `required metadata is missing: ${event.missing.join(', ')}`;
  if (event.type === '') return 'an event type is empty';
  if (!UUID.test(event.id)) return 'an event id is no UUID';
  return undefined;
}

/** The size of an event as the server's append limit counts it. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2;
}
