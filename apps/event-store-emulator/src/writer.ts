import { randomUUID } from 'node:crypto';
import { messageOf } from './failure';
import { STREAM_EXISTS } from './expected';
import { decide } from './appends';
import { BLANK_SIZE, emptyBatch, type Batch, type Log } from './log';
import { isMetastream, metastreamOf, originalOf } from './metastream';
import { DELETED_METADATA, METASTREAM_METADATA, withTruncateBefore, type StreamMetadata } from './metadata';
import type { Append, WriteRequest, WriteOutcome } from './writes';
import type { Reader } from './reader';
import { decode, encode, type ProposedEvent, type StoredEvent } from './record';
import { isVisible, visible } from './retention';
import { WrittenMetadata } from './written-metadata';

interface Stream {
  id: number;
  last: number;
  tombstone: number | undefined;
  /** Whether it was written since the start: the server's writer then goes by what it wrote. */
  written: boolean;
  /** Read from the metastream when it is first needed. */
  metadata: StreamMetadata | undefined;
}

/** Streams kept in memory, and event ids remembered for appends without an exact revision. */
const STREAMS_KEPT = 100_000;
const IDS_KEPT = 100_000;
const IDS_WARMED = 10_000;
const NOTHING = Buffer.alloc(0);
/** Behind the revision of a tombstone the server's numbers begin again at the other end. */
const BEHIND_A_TOMBSTONE = -(2n ** 63n);

/** Decides write requests one after the other, and adds their records to a batch that is not on the disk yet. */
export class Writer {
  private readonly streams = new Map<string, Stream>();
  private readonly ids = new Map<string, { stream: number; revision: number }>();
  private readonly metadata = new WrittenMetadata();
  private batch = emptyBatch();
  private bytes = 0;
  private nextPosition: number;
  private created = '';

  constructor(
    private readonly log: Log,
    private readonly reader: Reader,
    private readonly now: () => number,
  ) {
    this.nextPosition = reader.end;
    this.warm();
  }

  /** Remembers the ids of the newest events, so that a retry right after a restart is still known. */
  private warm(): void {
    const newest: StoredEvent[] = [];
    for (let before = this.nextPosition; newest.length < IDS_WARMED;) {
      const page = this.log.backwards(before, IDS_WARMED - newest.length);
      if (page.length === 0) break;
      newest.push(...page);
      before = page.at(-1)!.position;
    }
    for (const { bytes, type } of newest.reverse()) {
      if (type === '$streamDeleted') continue;
      const { id, stream, revision } = decode(bytes);
      const known = this.stream(stream);
      if (known) this.remember(id, known.id, revision);
    }
  }

  /** The moment at which what is written from now on was created. */
  begin(): void {
    this.created = `${this.now()}0000`;
  }

  /** How much waits for the disk. */
  get batchBytes(): number {
    return this.bytes;
  }

  /** What waits for the disk, and where the log ends with it; undefined: nothing does. */
  prepared(): { batch: Batch; end: number } | undefined {
    const { batch, nextPosition: end } = this;
    return batch.events.length + batch.blanks.length > 0 ? { batch, end } : undefined;
  }

  /** Begins a new batch: the last one is on the disk. Bounds what is kept in memory, too. */
  committed(): void {
    this.batch = emptyBatch();
    this.bytes = 0;
    drop(this.streams, STREAMS_KEPT);
    drop(this.ids, IDS_KEPT);
  }

  /** An undecidable request does not stop the server, as long as nothing of the request is in the batch. */
  take(order: WriteRequest): WriteOutcome {
    const before = this.nextPosition;
    try {
      return this.decide(order);
    } catch (error) {
      if (this.nextPosition !== before) throw error;
      return { outcome: 'failed', message: messageOf(error) };
    } finally {
      this.metadata.settle(this.reader.end);
    }
  }

  private decide(order: WriteRequest): WriteOutcome {
    const { stream: name, expected } = order;
    const stream = this.stream(name);
    // A deletion has no event of its own that could be there already.
    const ids = order.kind === 'append' ? order.events.map((event) => event.id) : [''];
    const verdict = decide(
      expected,
      ids,
      {
        last: stream?.last ?? -1,
        tombstoned: this.isTombstoned(name, stream),
        softDeleted: this.metadataOf(name, stream).softDeleted,
        hasMetadata: expected === STREAM_EXISTS && this.hasMetadata(name),
      },
      {
        revisionOf: (id) => {
          const known = this.ids.get(id);
          return known && known.stream === stream?.id ? known.revision : undefined;
        },
        isAt: (id, revision) => this.isAt(stream, id, revision),
      },
    );
    switch (verdict.verdict) {
      case 'stream-deleted':
        return { outcome: 'stream-deleted' };
      case 'wrong-expected-version':
        return { outcome: 'wrong-expected-version', current: stream?.last ?? -1 };
      case 'already-appended': {
        const { revision } = verdict;
        return { outcome: 'success', revision, position: this.positionOf(name, stream!, revision) };
      }
      case 'append':
        switch (order.kind) {
          case 'append':
            return this.append(order, stream, verdict.recreates);
          case 'delete':
            return this.softDelete(name, stream);
          case 'tombstone':
            return this.tombstone(name, stream);
        }
    }
  }

  /**
   * Whether a stream ended for good, as the server's writer sees it. Metadata ends with its stream, but not for a
   * writer that wrote some since it began: that one goes by what it wrote.
   */
  private isTombstoned(name: string, stream: Stream | undefined): boolean {
    if (stream?.tombstone !== undefined) return true;
    if (!isMetastream(name) || stream?.written) return false;
    for (let of = originalOf(name); ; of = originalOf(of)) {
      if (this.stream(of)?.tombstone !== undefined) return true;
      if (!isMetastream(of)) return false;
    }
  }

  private hasMetadata(name: string): boolean {
    const metastream = this.stream(metastreamOf(name));
    return (metastream?.last ?? -1) >= 0 || this.isTombstoned(metastreamOf(name), metastream);
  }

  private append(
    { stream: name, events }: Append,
    known: Stream | undefined,
    recreates: boolean,
  ): WriteOutcome {
    const before = known?.last ?? -1;
    // Read before the metadata that is being written replaces it.
    const described = isMetastream(name) ? originalOf(name) : undefined;
    const wasDeleted = described !== undefined && this.metadataOf(described).softDeleted;
    let position = this.nextPosition;
    if (events.length === 0) this.writeBlank();
    let stream = known;
    for (const event of events) {
      position = this.nextPosition;
      stream = this.write(name, stream, event);
    }
    const newest = events.at(-1);
    if (described !== undefined && newest)
      this.keepMetadata(described, Buffer.from(newest.data).toString(), position);
    if (recreates) this.takeDeletionBack(name, before + 1);
    // The second step of the two: for a moment the stream could be read as the new metadata says.
    if (wasDeleted) this.takeDeletionBack(described, this.revisionBehind(described));
    return { outcome: 'success', revision: before + events.length, position };
  }

  private revisionBehind(name: string): number | bigint {
    const stream = this.stream(name);
    return this.isTombstoned(name, stream) ? BEHIND_A_TOMBSTONE : (stream?.last ?? -1) + 1;
  }

  private softDelete(name: string, stream: Stream | undefined): WriteOutcome {
    const last = stream?.last ?? -1;
    if (last < 0 && !this.hasMetadata(name)) return { outcome: 'wrong-expected-version', current: -1 };
    if (this.stream(metastreamOf(name))?.tombstone !== undefined) return { outcome: 'stream-deleted' };
    return { outcome: 'success', revision: last, position: this.writeMetadata(name, DELETED_METADATA) };
  }

  /** Writes the newest metadata again, with the revision from which on the stream can be read. */
  private takeDeletionBack(name: string, from: number | bigint): void {
    const text = this.metadata.get(name)?.text ?? this.reader.metadataText(name);
    const changed = text === undefined ? undefined : withTruncateBefore(text, from);
    if (changed !== undefined) this.writeMetadata(name, changed);
  }

  private writeMetadata(name: string, json: string): number {
    const position = this.nextPosition;
    const metastream = metastreamOf(name);
    this.write(metastream, this.stream(metastream), {
      id: randomUUID(),
      type: '$metadata',
      json: true,
      data: Buffer.from(json),
      metadata: NOTHING,
    });
    this.keepMetadata(name, json, position);
    return position;
  }

  private keepMetadata(name: string, text: string, position: number): void {
    this.metadata.put(name, text, position);
    const stream = this.streams.get(name);
    if (stream) stream.metadata = undefined;
  }

  private tombstone(name: string, stream: Stream | undefined): WriteOutcome {
    const position = this.nextPosition;
    const event = { id: randomUUID(), type: '$streamDeleted', json: false, data: NOTHING, metadata: NOTHING };
    this.write(name, stream, event, true);
    // Metadata that ended asks nothing of its stream any more.
    if (isMetastream(name)) this.keepMetadata(originalOf(name), '', position);
    return { outcome: 'success', revision: -1, position };
  }

  /** An append of no events leaves a record that nobody reads, and has a position. */
  private writeBlank(): void {
    this.batch.blanks.push(this.nextPosition);
    this.nextPosition += BLANK_SIZE;
    this.bytes += BLANK_SIZE;
  }

  private write(name: string, known: Stream | undefined, event: ProposedEvent, isTombstone = false): Stream {
    const position = this.nextPosition;
    const revision = (known?.last ?? -1) + 1;
    // First of all: it is the only step that might fail.
    const bytes = encode(event, {
      stream: Buffer.from(name),
      revision: isTombstone ? 'deleted' : revision,
      position,
      created: this.created,
    });
    const stream: Stream = known ?? {
      id: position,
      last: -1,
      tombstone: undefined,
      written: true,
      metadata: undefined,
    };
    stream.written = true;
    if (!known) this.streams.set(name, stream);
    this.nextPosition += bytes.length;
    this.bytes += bytes.length;
    this.batch.events.push({ position, stream: name, type: event.type, bytes });
    if (isTombstone) stream.tombstone = position;
    else {
      stream.last = revision;
      this.remember(event.id, stream.id, revision);
      this.batch.index.push({ stream: stream.id, revision, position });
    }
    if (!known || isTombstone)
      this.batch.streams.push({ name, entry: { id: stream.id, tombstone: stream.tombstone } });
    return stream;
  }

  /** The first event of an id is the one that is known by it. */
  private remember(id: string, stream: number, revision: number): void {
    if (!this.ids.has(id)) this.ids.set(id, { stream, revision });
  }

  private isAt(stream: Stream | undefined, id: string, revision: number): boolean {
    if (!stream) return false;
    const known = this.ids.get(id);
    if (known?.stream === stream.id && known.revision === revision) return true;
    const position = this.log.positionOf(stream.id, revision);
    const bytes = position === undefined ? undefined : this.log.at(position);
    return bytes !== undefined && decode(bytes).id === id;
  }

  /** Where an event is, as long as a reader could still find it: the server looks it up as one. */
  private positionOf(name: string, stream: Stream, revision: number): number | undefined {
    const inPreparation = this.batch.index.find(
      (entry) => entry.stream === stream.id && entry.revision === revision,
    );
    if (!inPreparation) return this.reader.event(name, revision)?.position;
    const metadata = isMetastream(name) ? METASTREAM_METADATA : this.metadataOf(name, stream);
    if (metadata.softDeleted) return undefined;
    const rule = visible(metadata, stream.last, this.now());
    return isVisible(rule, revision, this.now) ? inPreparation.position : undefined;
  }

  private stream(name: string): Stream | undefined {
    const known = this.streams.get(name);
    if (known) return known;
    const entry = this.log.stream(name);
    if (!entry) return undefined;
    const stream: Stream = {
      ...entry,
      last: this.log.lastRevision(entry.id),
      written: false,
      metadata: undefined,
    };
    this.streams.set(name, stream);
    return stream;
  }

  private metadataOf(name: string, stream = this.streams.get(name)): StreamMetadata {
    const written = this.metadata.get(name);
    if (written) return written.metadata;
    if (isMetastream(name)) return METASTREAM_METADATA;
    if (stream?.metadata) return stream.metadata;
    const metadata = this.reader.metadataOf(name);
    if (stream) stream.metadata = metadata;
    return metadata;
  }
}

/** Drops the oldest entries beyond a size, a tenth at a time. */
function drop(map: Map<string, unknown>, size: number): void {
  if (map.size <= size) return;
  let surplus = map.size - Math.floor(size * 0.9);
  for (const key of map.keys()) {
    if (surplus-- <= 0) break;
    map.delete(key);
  }
}
