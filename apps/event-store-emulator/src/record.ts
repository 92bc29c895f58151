import { DELETED_REVISION } from './expected';
import { bigVarint, field, Reader, varintSize, writeVarint } from './wire';

/** An event as somebody proposes it. The payloads are views into the request. */
export interface ProposedEvent {
  /** Lower-case UUID. */
  id: string;
  type: string;
  json: boolean;
  data: Uint8Array;
  metadata: Uint8Array;
}

/** A recorded event with what readers sort and filter by; `bytes` is the complete answer to send. */
export interface StoredEvent {
  position: number;
  stream: string;
  type: string;
  bytes: Buffer;
}

export interface Placing {
  stream: Uint8Array;
  revision: number | 'deleted';
  position: number;
  /** Decimal, in ticks of 100 ns. */
  created: string;
}

const TYPE = 'type';
const CONTENT_TYPE = 'content-type';
const CREATED = 'created';
const JSON_CONTENT = 'application/json';
const BINARY_CONTENT = 'application/octet-stream';
const ID_FIELD_SIZE = 40;
const deletedRevision = bigVarint(DELETED_REVISION);

/**
 * Encodes an event once, as the ReadResp that every plain read and subscription sends, so that a stored event goes
 * out again without being touched.
 */
export function encode(event: ProposedEvent, placing: Placing): Buffer {
  const { stream, revision, position, created } = placing;
  const contentType = event.json ? JSON_CONTENT : BINARY_CONTENT;
  const typeSize = Buffer.byteLength(event.type);
  const typeEntry = entrySize(TYPE.length, typeSize);
  const contentEntry = entrySize(CONTENT_TYPE.length, contentType.length);
  const createdEntry = entrySize(CREATED.length, created.length);
  const nameSize = 1 + varintSize(stream.length) + stream.length;
  const positionSize = varintSize(position);

  const recordedSize =
    ID_FIELD_SIZE +
    (1 + varintSize(nameSize) + nameSize) +
    (1 + (revision === 'deleted' ? deletedRevision.length : varintSize(revision))) +
    2 * (1 + positionSize) +
    (1 + varintSize(typeEntry) + typeEntry) +
    (1 + varintSize(contentEntry) + contentEntry) +
    (1 + varintSize(createdEntry) + createdEntry) +
    payloadSize(event.metadata) +
    payloadSize(event.data);
  const readEventSize = 1 + varintSize(recordedSize) + recordedSize + 1 + positionSize;
  const into = Buffer.allocUnsafe(1 + varintSize(readEventSize) + readEventSize);

  let at = 0;
  into[at++] = 0x0a; // ReadResp.event
  at = writeVarint(into, at, readEventSize);
  into[at++] = 0x0a; // ReadEvent.event
  at = writeVarint(into, at, recordedSize);
  into[at++] = 0x0a; // id
  into[at++] = 38;
  into[at++] = 0x12; // … as text
  into[at++] = 36;
  at += into.write(event.id, at, 'latin1');
  into[at++] = 0x12; // stream identifier
  at = writeVarint(into, at, nameSize);
  into[at++] = 0x1a; // … its name
  at = writeVarint(into, at, stream.length);
  into.set(stream, at);
  at += stream.length;
  into[at++] = 0x18; // revision
  if (revision === 'deleted') {
    into.set(deletedRevision, at);
    at += deletedRevision.length;
  } else at = writeVarint(into, at, revision);
  into[at++] = 0x20; // prepare position
  at = writeVarint(into, at, position);
  into[at++] = 0x28; // commit position
  at = writeVarint(into, at, position);
  at = writeEntry(into, at, typeEntry, TYPE, event.type, typeSize);
  at = writeEntry(into, at, contentEntry, CONTENT_TYPE, contentType, contentType.length);
  at = writeEntry(into, at, createdEntry, CREATED, created, created.length);
  at = writePayload(into, at, 0x3a, event.metadata);
  at = writePayload(into, at, 0x42, event.data);
  into[at++] = 0x18; // ReadEvent.commit_position
  writeVarint(into, at, position);
  return into;
}

const entrySize = (key: number, value: number) => 2 + key + 1 + varintSize(value) + value;

function writeEntry(into: Buffer, at: number, size: number, key: string, value: string, valueSize: number) {
  into[at++] = 0x32; // metadata, a map entry
  at = writeVarint(into, at, size);
  into[at++] = 0x0a;
  into[at++] = key.length;
  at += into.write(key, at, 'latin1');
  into[at++] = 0x12;
  at = writeVarint(into, at, valueSize);
  at += into.write(value, at, 'utf8');
  return at;
}

const payloadSize = (payload: Uint8Array) => 1 + varintSize(payload.length) + payload.length;

function writePayload(into: Buffer, at: number, tag: number, payload: Uint8Array) {
  into[at++] = tag;
  at = writeVarint(into, at, payload.length);
  into.set(payload, at);
  return at + payload.length;
}

/** Reads back what only some readers need. */
export interface RecordedEvent {
  id: string;
  stream: string;
  revision: number;
  type: string;
  json: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
  position: number;
  data: Buffer;
}

/** The RecordedEvent inside an encoded answer. */
function recordedPart(bytes: Buffer): Buffer {
  const response = new Reader(bytes);
  response.next();
  const readEvent = response.message();
  readEvent.next();
  return readEvent.view();
}

/** Decodes a stored event. */
export function decode(bytes: Buffer): RecordedEvent {
  const reader = new Reader(recordedPart(bytes));
  const event: RecordedEvent = {
    id: '',
    stream: '',
    revision: 0,
    type: '',
    json: false,
    createdAt: 0,
    position: 0,
    data: Buffer.alloc(0),
  };
  while (reader.next()) {
    switch (reader.fieldNumber) {
      case 1:
        event.id = decodeId(reader.message());
        break;
      case 2:
        event.stream = decodeStreamName(reader.message()).toString();
        break;
      case 3:
        event.revision = reader.varint();
        break;
      case 4:
        event.position = reader.varint();
        break;
      case 6: {
        const [key, value] = decodeEntry(reader.message());
        if (key === TYPE) event.type = value;
        else if (key === CONTENT_TYPE) event.json = value === JSON_CONTENT;
        else if (key === CREATED) event.createdAt = Number(value.slice(0, -4));
        break;
      }
      case 8:
        event.data = reader.view();
        break;
      default:
        reader.skip();
    }
  }
  return event;
}

/** A stored event with what filters look at. */
export function stored(position: number, bytes: Buffer): StoredEvent {
  const { stream, type } = decode(bytes);
  return { position, stream, type, bytes };
}

/** A UUID in either of its encodings, as lower-case text. */
export function decodeId(reader: Reader): string {
  let id = '';
  while (reader.next()) {
    if (reader.fieldNumber === 2) id = reader.text().toLowerCase();
    else if (reader.fieldNumber === 1) id = structuredId(reader.message());
    else reader.skip();
  }
  return id;
}

function structuredId(reader: Reader): string {
  const halves = [0n, 0n];
  while (reader.next()) {
    if (reader.fieldNumber <= 2) halves[reader.fieldNumber - 1] = reader.int64();
    else reader.skip();
  }
  const hex = halves.map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function decodeStreamName(reader: Reader): Buffer {
  let name: Buffer = Buffer.alloc(0);
  while (reader.next()) {
    if (reader.fieldNumber === 3) name = reader.view();
    else reader.skip();
  }
  return name;
}

export function decodeEntry(reader: Reader): [key: string, value: string] {
  let key = '';
  let value = '';
  while (reader.next()) {
    if (reader.fieldNumber === 1) key = reader.text();
    else if (reader.fieldNumber === 2) value = reader.text();
    else reader.skip();
  }
  return [key, value];
}

/** The same RecordedEvent with its id as two 64-bit numbers, for clients that ask for it. */
function withStructuredId(recorded: Buffer): Buffer {
  const id = structured(recorded.toString('latin1', 4, ID_FIELD_SIZE));
  return Buffer.concat([field(1, id), recorded.subarray(ID_FIELD_SIZE)]);
}

/** A UUID as a message of two 64-bit numbers. */
export function structured(id: string): Buffer {
  const hex = id.replaceAll('-', '');
  const half = (tag: number, digits: string) =>
    Buffer.concat([Buffer.from([tag]), bigVarint(BigInt(`0x${digits}`))]);
  return field(1, half(0x08, hex.slice(0, 16)), half(0x10, hex.slice(16)));
}

/** An answer in another form than the stored one: with its link resolved, or with structured ids. */
export function present(
  original: StoredEvent,
  link: { target: Buffer | undefined } | undefined,
  structuredIds: boolean,
): Buffer {
  if (!link && !structuredIds) return original.bytes;
  const form = (bytes: Buffer) => {
    const recorded = recordedPart(bytes);
    return structuredIds ? withStructuredId(recorded) : recorded;
  };
  const position = Buffer.allocUnsafe(1 + varintSize(original.position));
  position[0] = 0x18;
  writeVarint(position, 1, original.position);
  const parts = link
    ? [link.target ? field(1, form(link.target)) : Buffer.alloc(0), field(2, form(original.bytes))]
    : [field(1, form(original.bytes))];
  return field(1, ...parts, position);
}
