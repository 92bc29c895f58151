import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Instant } from '@carillon/eventing';
import type { RawEvent } from './event-store';
import { MessageFields } from './message-fields';

/** The fields of the store's messages (`streams.proto`, `shared.proto`), by their numbers. */
const response = { event: 1, confirmation: 2, checkpoint: 3, newest: 9 } as const;
const checkpointCommit = 1;
const readEvent = { event: 1, link: 2, commitPosition: 3, noPosition: 4 } as const;
const recorded = {
  id: 1,
  stream: 2,
  revision: 3,
  commitPosition: 5,
  properties: 6,
  metadata: 7,
  data: 8,
} as const;
const streamName = 3;
const entry = { key: 1, value: 2 } as const;
/** An id as a text: field 2 with 36 bytes. */
const textId = { tag: 0x12, length: 36 } as const;

const ticksOfMs = 10_000n;

/**
 * What a message of a subscription says: an event, the position of a checkpoint, or that the subscription is confirmed.
 * Undefined for anything else. As with the official client, the last of several values of a field counts. Throws an
 * `Error` when the message is malformed.
 *
 * Of the event only what a consumer must know of each is read: the rest is when it is asked for, and costs nothing
 * where nobody wants the event. Until then the event holds on to the bytes that it came in.
 */
export function readMessage(bytes: Buffer): RawEvent | bigint | 'confirmation' | undefined {
  const fields = new MessageFields(bytes, 0, bytes.length);
  let content = 0;
  let from = 0;
  let to = 0;
  for (let number = fields.next(); number !== 0; number = fields.next()) {
    if (number === response.event || number === response.checkpoint) fields.span();
    else fields.skip();
    if (number > response.newest) continue;
    content = number;
    from = fields.from;
    to = fields.to;
  }
  if (content === response.event) return eventIn(bytes, from, to);
  if (content === response.checkpoint) return commitIn(bytes, from, to);
  return content === response.confirmation ? 'confirmation' : undefined;
}

function commitIn(bytes: Buffer, from: number, to: number): bigint {
  const fields = new MessageFields(bytes, from, to);
  let commit = 0n;
  for (let number = fields.next(); number !== 0; number = fields.next())
    if (number === checkpointCommit) commit = fields.uint64();
    else fields.skip();
  return commit;
}

function eventIn(bytes: Buffer, from: number, to: number): RawEvent | undefined {
  const fields = new MessageFields(bytes, from, to);
  let eventFrom = -1;
  let eventTo = 0;
  let linkFrom = -1;
  let linkTo = 0;
  let position: bigint | undefined;
  for (let number = fields.next(); number !== 0; number = fields.next())
    switch (number) {
      case readEvent.event:
        fields.span();
        eventFrom = fields.from;
        eventTo = fields.to;
        break;
      case readEvent.link:
        fields.span();
        linkFrom = fields.from;
        linkTo = fields.to;
        break;
      case readEvent.commitPosition:
        position = fields.uint64();
        break;
      default:
        fields.skip();
        if (number === readEvent.noPosition) position = undefined;
    }
  const event = eventFrom < 0 ? undefined : new LazyEvent(bytes, eventFrom, eventTo);
  const link = linkFrom < 0 ? undefined : new LazyEvent(bytes, linkFrom, linkTo);
  if (event) event.position = position ?? (link ?? event).position;
  return event;
}

/** An event in the bytes of its message. */
class LazyEvent implements RawEvent {
  stream = '';
  type = '<no-event-type-provided>';
  position = 0n;
  revision = 0n;
  private idFrom = -1;
  private idTo = 0;
  /** Read at once where it is not in the form that is asked for: it may be malformed. */
  private oddId: string | undefined;
  private metadataFrom = 0;
  private metadataTo = 0;
  private dataFrom = 0;
  private dataTo = 0;
  private isJson = false;
  private created = '';
  private readData: { readonly value: unknown } | undefined;
  private readMetadata: RawEvent['metadata'] | undefined;

  constructor(
    private readonly bytes: Buffer,
    from: number,
    to: number,
  ) {
    const fields = new MessageFields(bytes, from, to);
    let hasStream = false;
    for (let number = fields.next(); number !== 0; number = fields.next())
      switch (number) {
        case recorded.id:
          fields.span();
          this.idFrom = fields.from;
          this.idTo = fields.to;
          break;
        case recorded.stream:
          fields.span();
          this.stream = nameIn(bytes, fields.from, fields.to);
          hasStream = true;
          break;
        case recorded.revision:
          this.revision = fields.uint64();
          break;
        case recorded.commitPosition:
          this.position = fields.uint64();
          break;
        case recorded.properties:
          fields.span();
          this.take(fields.from, fields.to);
          break;
        case recorded.metadata:
          fields.span();
          this.metadataFrom = fields.from;
          this.metadataTo = fields.to;
          break;
        case recorded.data:
          fields.span();
          this.dataFrom = fields.from;
          this.dataTo = fields.to;
          break;
        default:
          fields.skip();
      }
    if (this.idFrom < 0 || !hasStream)
      throw new Error('The event store sent an event without an id or a stream');
    if (!this.isTextId()) {
      const uuid = shared.UUID.deserializeBinary(bytes.subarray(this.idFrom, this.idTo));
      this.oddId = parseUUID(uuid) ?? '';
    }
  }

  private isTextId(): boolean {
    const { bytes, idFrom: from, idTo: to } = this;
    return to - from === textId.length + 2 && bytes[from] === textId.tag && bytes[from + 1] === textId.length;
  }

  /** An entry of the map in which the store keeps the type of the event, the kind of its data, and when it came. */
  private take(from: number, to: number): void {
    const fields = new MessageFields(this.bytes, from, to);
    let key = '';
    let value = '';
    for (let number = fields.next(); number !== 0; number = fields.next())
      if (number === entry.key || number === entry.value) {
        fields.span();
        const text = this.bytes.toString('utf8', fields.from, fields.to);
        if (number === entry.key) key = text;
        else value = text;
      } else fields.skip();
    if (key === 'type') this.type = value;
    else if (key === 'content-type') this.isJson = value === 'application/json';
    else if (key === 'created') this.created = value;
  }

  get id(): string {
    return this.oddId ?? this.bytes.toString('utf8', this.idFrom + 2, this.idTo);
  }

  get at(): Instant {
    return dateOf(this.created).toISOString();
  }

  get data(): unknown {
    this.readData ??= { value: this.dataNow() };
    return this.readData.value;
  }

  get metadata(): RawEvent['metadata'] {
    return (this.readMetadata ??= this.metadataNow());
  }

  private dataNow(): unknown {
    const { bytes, dataFrom, dataTo } = this;
    if (!this.isJson) return new Uint8Array(bytes.subarray(dataFrom, dataTo));
    const text = bytes.toString('utf8', dataFrom, dataTo);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  private metadataNow(): RawEvent['metadata'] {
    const { bytes, metadataFrom, metadataTo } = this;
    if (metadataFrom === metadataTo) return {} as RawEvent['metadata'];
    try {
      return JSON.parse(bytes.toString('utf8', metadataFrom, metadataTo)) ?? {};
    } catch {
      return new Uint8Array(bytes.subarray(metadataFrom, metadataTo)) as unknown as RawEvent['metadata'];
    }
  }
}

function nameIn(bytes: Buffer, from: number, to: number): string {
  const fields = new MessageFields(bytes, from, to);
  let name = '';
  for (let number = fields.next(); number !== 0; number = fields.next())
    if (number === streamName) {
      fields.span();
      name = bytes.toString('utf8', fields.from, fields.to);
    } else fields.skip();
  return name;
}

/** The time in ticks of 100 ns since 1970; the start of 1970 where it is missing or no number. */
function dateOf(ticks: string): Date {
  try {
    const date = new Date(Number(BigInt(ticks) / ticksOfMs));
    return Number.isNaN(date.getTime()) ? new Date(0) : date;
  } catch {
    return new Date(0);
  }
}
