import { randomUUID } from 'node:crypto';
import { decide, STREAM_EXISTS } from './appends';
import { BLANK_SIZE, emptyBatch, Log, type IndexedEvent } from './log';
import {
  DELETED_METADATA,
  isMetastream,
  metastreamOf,
  NO_METADATA,
  originalOf,
  parseMetadata,
  withTruncateBefore,
  type StreamMetadata,
} from './metadata';
import { decode, encode, type ProposedEvent, type RecordedEvent, type StoredEvent } from './record';
import { isVisible, visible } from './retention';
import { Tail } from './tail';

export type Outcome =
  /** Revision of its last event (-1: none), and position; none when it was there already and can no longer be read. */
  | { outcome: 'success'; revision: number; position: number | undefined }
  | { outcome: 'wrong-expected-version'; current: number }
  | { outcome: 'stream-deleted' }
  | { outcome: 'deadline-exceeded' }
  | { outcome: 'unavailable' }
  /** It could not be decided or answered; nothing of it was written. */
  | { outcome: 'failed'; message: string };

export interface Append {
  kind: 'append';
  stream: string;
  expected: number;
  events: ProposedEvent[];
  /** Milliseconds since 1970; nothing is written after it. */
  deadline: number;
  done(outcome: Outcome): void;
}

export interface Delete {
  kind: 'delete' | 'tombstone';
  stream: string;
  expected: number;
  deadline: number;
  done(outcome: Outcome): void;
}

interface Answer {
  order: Append | Delete;
  outcome: Outcome;
}

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
const COMMIT_BYTES = 8 * 1024 * 1024;
const METASTREAM: StreamMetadata = { maxCount: 1, softDeleted: false };
const NOTHING = Buffer.alloc(0);

/**
 * Decides and writes. Whatever arrives while a commit is on its way to the disk goes into the next one together;
 * nobody hears of an event, writer or reader, before it is on the disk.
 */
export class Store {
  private readonly streams = new Map<string, Stream>();
  private readonly ids = new Map<string, { stream: number; revision: number }>();
  /** Metadata that a commit in preparation changes: as it acts, and as it was written. */
  private readonly changed = new Map<string, { metadata: StreamMetadata; text: string }>();
  private readonly tail = new Tail();
  private waiting: (Append | Delete)[] = [];
  private working: Promise<void> | undefined;
  private closing = false;
  private batch = emptyBatch();
  private batchBytes = 0;
  private nextPosition: number;
  private committedEnd: number;
  private committedLast: number;
  private created = '';

  private constructor(
    private readonly log: Log,
    private readonly now: () => number,
    private readonly onFatal: (error: Error) => void,
  ) {
    this.nextPosition = this.committedEnd = log.end();
    this.committedLast = log.last();
    this.warm();
  }

  /** Remembers the ids of the newest events, so that a retry right after a restart is still known. */
  private warm(): void {
    const newest: StoredEvent[] = [];
    for (let before = this.committedEnd; newest.length < IDS_WARMED;) {
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

  static async open(
    folder: string,
    options: { now: () => number; onFatal: (error: Error) => void },
  ): Promise<Store> {
    const store = new Store(Log.open(folder), options.now, options.onFatal);
    if (store.log.isEmpty()) await store.begin();
    return store;
  }

  /** A fresh server is never empty: clients may count on some system event in $all. */
  private async begin(): Promise<void> {
    await new Promise<void>((done) =>
      this.submit({
        kind: 'append',
        stream: '$server-info',
        expected: -2,
        events: [
          {
            id: randomUUID(),
            type: '$server-created',
            json: true,
            data: Buffer.from(JSON.stringify({ server: 'event-store-emulator' })),
            metadata: NOTHING,
          },
        ],
        deadline: Infinity,
        done: () => done(),
      }),
    );
  }

  /** Takes an order; its `done` is called once, after the flush. */
  submit(order: Append | Delete): void {
    if (this.closing) return order.done({ outcome: 'unavailable' });
    this.waiting.push(order);
    // The rest of this turn's requests come along in the same commit.
    this.working ??= new Promise((resolve) => setImmediate(() => resolve(this.work())));
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      const answers: Answer[] = [];
      const { batch } = this;
      const writes = () => batch.events.length + batch.blanks.length > 0;
      try {
        this.decideWaiting(answers);
        if (writes()) await this.log.commit(batch);
      } catch (error) {
        // What is in memory may be ahead of the disk now, and nobody can tell by how much.
        this.closing = true;
        for (const order of [...answers.map((answer) => answer.order), ...this.waiting.splice(0)])
          tell(order, { outcome: 'unavailable' });
        this.onFatal(error as Error);
        break;
      }
      if (writes()) {
        this.committedLast = Math.max(batch.events.at(-1)?.position ?? -1, batch.blanks.at(-1) ?? -1);
        this.committedEnd = this.nextPosition;
        this.batch = emptyBatch();
        this.batchBytes = 0;
        this.tail.add(batch.events);
      }
      for (const { order, outcome } of answers) tell(order, outcome);
      if (writes()) this.tail.ring(batch.events);
      this.forget();
    }
    this.working = undefined;
  }

  /** Decides what is waiting, up to the size of a commit. What it writes is in `batch` then. */
  private decideWaiting(answers: Answer[]): void {
    this.created = `${this.now()}0000`;
    const at = Date.now();
    while (answers.length < this.waiting.length && this.batchBytes < COMMIT_BYTES) {
      const order = this.waiting[answers.length]!;
      const outcome: Outcome =
        order.deadline <= at ? { outcome: 'deadline-exceeded' } : this.decideSafely(order);
      answers.push({ order, outcome });
    }
    this.waiting = answers.length === this.waiting.length ? [] : this.waiting.slice(answers.length);
  }

  /** One order that cannot be decided is no reason to fall, as long as nothing of it is in the batch. */
  private decideSafely(order: Append | Delete): Outcome {
    const before = this.nextPosition;
    try {
      return this.decide(order);
    } catch (error) {
      if (this.nextPosition !== before) throw error;
      return { outcome: 'failed', message: (error as Error).message };
    }
  }

  private decide(order: Append | Delete): Outcome {
    const { stream: name, expected } = order;
    const stream = this.stream(name);
    const metadata = this.metadataOf(name);
    // A deletion has no event of its own that could be there already.
    const ids = order.kind === 'append' ? order.events.map((event) => event.id) : [''];
    const verdict = decide(
      expected,
      ids,
      {
        last: stream?.last ?? -1,
        tombstoned: this.isTombstoned(name),
        softDeleted: metadata.softDeleted,
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
      case 'already-appended':
        return {
          outcome: 'success',
          revision: verdict.revision,
          position: this.visiblePosition(stream!, metadata, verdict.revision),
        };
      case 'append':
        switch (order.kind) {
          case 'append':
            return this.append(order, verdict.recreates);
          case 'delete':
            return this.softDelete(name);
          case 'tombstone':
            return this.tombstone(name);
        }
    }
  }

  /**
   * Whether a stream ended for good, as the server's writer sees it. Metadata ends with its stream, but not for a
   * writer that wrote some since it began: that one goes by what it wrote.
   */
  private isTombstoned(name: string): boolean {
    const stream = this.stream(name);
    if (stream?.tombstone !== undefined) return true;
    if (!isMetastream(name) || stream?.written) return false;
    for (let of = originalOf(name); ; of = originalOf(of)) {
      if (this.stream(of)?.tombstone !== undefined) return true;
      if (!isMetastream(of)) return false;
    }
  }

  private hasMetadata(name: string): boolean {
    const metastream = metastreamOf(name);
    return (this.stream(metastream)?.last ?? -1) >= 0 || this.isTombstoned(metastream);
  }

  private append({ stream: name, events }: Append, recreates: boolean): Outcome {
    const before = this.stream(name)?.last ?? -1;
    // Looked at first: the metadata that is being written takes its place.
    const described = isMetastream(name) ? originalOf(name) : undefined;
    const wasDeleted = described !== undefined && this.metadataOf(described).softDeleted;
    let position = 0;
    if (events.length === 0) position = this.writeBlank();
    for (const event of events) position = this.write(name, event);
    const newest = events.at(-1);
    if (described !== undefined && newest)
      this.keepMetadata(described, Buffer.from(newest.data).toString(), newest.json);
    if (recreates) this.takeDeletionBack(name, before + 1);
    // The second step of the two: for a moment the stream could be read as the new metadata says.
    if (wasDeleted) this.takeDeletionBack(described, (this.stream(described)?.last ?? -1) + 1);
    return { outcome: 'success', revision: before + events.length, position };
  }

  private softDelete(name: string): Outcome {
    const last = this.stream(name)?.last ?? -1;
    if (last < 0 && !this.hasMetadata(name)) return { outcome: 'wrong-expected-version', current: -1 };
    if (this.stream(metastreamOf(name))?.tombstone !== undefined) return { outcome: 'stream-deleted' };
    return { outcome: 'success', revision: last, position: this.writeMetadata(name, DELETED_METADATA) };
  }

  /** Writes the newest metadata again, with the revision from which on the stream can be read. */
  private takeDeletionBack(name: string, from: number): void {
    if (this.isTombstoned(name) || this.isTombstoned(metastreamOf(name))) return;
    const text = this.metadataText(name);
    const changed = text === undefined ? undefined : withTruncateBefore(text, from);
    if (changed !== undefined) this.writeMetadata(name, changed);
  }

  private writeMetadata(name: string, json: string): number {
    const position = this.write(metastreamOf(name), {
      id: randomUUID(),
      type: '$metadata',
      json: true,
      data: Buffer.from(json),
      metadata: NOTHING,
    });
    this.keepMetadata(name, json, true);
    return position;
  }

  private keepMetadata(name: string, text: string, json: boolean): void {
    const metadata = json ? parseMetadata(text) : NO_METADATA;
    this.changed.set(name, { metadata, text });
    const stream = this.streams.get(name);
    if (stream) stream.metadata = undefined;
  }

  private tombstone(name: string): Outcome {
    const position = this.write(
      name,
      { id: randomUUID(), type: '$streamDeleted', json: false, data: NOTHING, metadata: NOTHING },
      true,
    );
    // Metadata that ended asks nothing of its stream any more.
    if (isMetastream(name)) this.keepMetadata(originalOf(name), '', true);
    return { outcome: 'success', revision: -1, position };
  }

  /** An append of no events leaves a record that nobody reads, and has a position. */
  private writeBlank(): number {
    const position = this.nextPosition;
    this.nextPosition += BLANK_SIZE;
    this.batchBytes += BLANK_SIZE;
    this.batch.blanks.push(position);
    return position;
  }

  private write(name: string, event: ProposedEvent, isTombstone = false): number {
    const position = this.nextPosition;
    const known = this.stream(name);
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
    this.batchBytes += bytes.length;
    this.batch.events.push({ position, stream: name, type: event.type, bytes });
    if (isTombstone) stream.tombstone = position;
    else {
      stream.last = revision;
      this.remember(event.id, stream.id, revision);
      this.batch.index.push({ stream: stream.id, revision, position });
    }
    if (!known || isTombstone)
      this.batch.streams.push({ name, entry: { id: stream.id, tombstone: stream.tombstone } });
    return position;
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
  private visiblePosition(stream: Stream, metadata: StreamMetadata, revision: number): number | undefined {
    if (metadata.softDeleted) return undefined;
    const rule = visible(metadata, stream.last, this.now());
    const inPreparation = this.batch.index.find(
      (entry) => entry.stream === stream.id && entry.revision === revision,
    );
    if (inPreparation) return isVisible(rule, revision, this.now) ? inPreparation.position : undefined;
    const position = this.log.positionOf(stream.id, revision);
    const bytes = position === undefined ? undefined : this.log.at(position);
    return bytes && isVisible(rule, revision, () => decode(bytes).createdAt) ? position : undefined;
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

  private metadataOf(name: string): StreamMetadata {
    if (isMetastream(name)) return METASTREAM;
    const changed = this.changed.get(name);
    if (changed) return changed.metadata;
    const stream = this.stream(name);
    if (stream?.metadata) return stream.metadata;
    const metadata = this.committedMetadata(name);
    if (stream) stream.metadata = metadata;
    return metadata;
  }

  private metadataText(name: string): string | undefined {
    const changed = this.changed.get(name);
    return changed ? changed.text : this.newestMetadata(name)?.data.toString();
  }

  /** Bounds what is kept in memory; only between commits, for what a commit prepares is nowhere else. */
  private forget(): void {
    this.changed.clear();
    drop(this.streams, STREAMS_KEPT);
    drop(this.ids, IDS_KEPT);
  }

  // ---- Reading: only what is on the disk

  /** The end of the log as readers may know it. */
  get end(): number {
    return this.committedEnd;
  }

  /** A page of events from a position on (inclusive). Empty: the end was reached. */
  forwards(from: number, limit: number): StoredEvent[] {
    return this.tail.forwards(from, limit) ?? this.log.forwards(from, limit);
  }

  /** A page of events before a position (exclusive), newest first. */
  backwards(before: number, limit: number): StoredEvent[] {
    return this.log.backwards(before, limit);
  }

  /** The position of the last record. */
  get last(): number {
    return this.committedLast;
  }

  /** Whether a record begins there: readers may start at no other place. */
  hasRecordAt(position: number): boolean {
    return this.log.has(position);
  }

  /** How a stream stands for readers. */
  view(name: string): StreamView {
    const entry = this.log.stream(name);
    const last = entry ? this.log.lastRevision(entry.id) : -1;
    if (this.endedForReaders(name)) return { state: 'deleted', id: entry?.id, last };
    const metadata = isMetastream(name) ? METASTREAM : this.committedMetadata(name);
    if (!entry || last < 0 || metadata.softDeleted) return { state: 'missing', id: entry?.id, last };
    return { state: 'there', id: entry.id, last, rule: visible(metadata, last, this.now()) };
  }

  /** Metadata ends with the stream that it describes. */
  private endedForReaders(name: string): boolean {
    for (let of = name; ; of = originalOf(of)) {
      if (this.log.stream(of)?.tombstone !== undefined) return true;
      if (!isMetastream(of)) return false;
    }
  }

  private committedMetadata(name: string): StreamMetadata {
    const metastream = this.log.stream(metastreamOf(name));
    if (!metastream || metastream.tombstone !== undefined) return NO_METADATA;
    const newest = this.newestMetadata(name);
    return newest?.json ? parseMetadata(newest.data.toString()) : NO_METADATA;
  }

  private newestMetadata(name: string): RecordedEvent | undefined {
    const metastream = this.log.stream(metastreamOf(name));
    const last = metastream ? this.log.lastRevision(metastream.id) : -1;
    const [newest] = last < 0 ? [] : this.log.ofStream(metastream!.id, last, last, 1);
    return newest && decode(newest.bytes);
  }

  /** A page of a stream, from one revision towards another (inclusive). What retention hides is left out. */
  page(view: StreamThere, from: number, to: number, limit: number): StreamPage {
    const page: IndexedEvent[] = this.log.ofStream(view.id, from, to, limit);
    const events: StoredEvent[] = [];
    for (const { revision, bytes } of page) {
      if (view.rule.createdAfter === undefined && revision >= view.rule.from) {
        events.push(asStored(bytes));
        continue;
      }
      const event = decode(bytes);
      if (isVisible(view.rule, revision, () => event.createdAt))
        events.push({ position: event.position, stream: event.stream, type: event.type, bytes });
    }
    return { events, reached: page.at(-1)?.revision };
  }

  /** All events of a stream from a revision on, as they are told while they come: retention hides none of them. */
  unhidden(id: number, from: number, limit: number): StoredEvent[] {
    return this.log.ofStream(id, from, Infinity, limit).map(({ bytes }) => asStored(bytes));
  }

  /** The record that ends a stream for good. */
  tombstoneOf(name: string): StoredEvent | undefined {
    const position = this.log.stream(name)?.tombstone;
    const bytes = position === undefined ? undefined : this.log.at(position);
    return bytes && asStored(bytes);
  }

  /** The event that a link points at, if it may still be read; -1 is the newest. */
  follow(revision: number, name: string): Buffer | undefined {
    const view = this.view(name);
    if (view.state !== 'there' || revision > view.last) return undefined;
    const wanted = revision === -1 ? view.last : revision;
    return this.page(view, wanted, wanted, 1).events[0]?.bytes;
  }

  /** Resolves at the next commit, of those streams if any are named, or when `signal` aborts. */
  nextCommit(signal: AbortSignal, ...streams: string[]): Promise<void> {
    return this.tail.next(signal, ...streams);
  }

  /** Finishes what was accepted and closes the files. */
  async close(): Promise<void> {
    this.closing = true;
    await this.working;
    await this.log.close();
  }

  /** Accepts nothing more, and resolves when everything accepted is answered. */
  async drain(): Promise<void> {
    this.closing = true;
    await this.working;
  }
}

export interface StreamThere {
  state: 'there';
  id: number;
  last: number;
  rule: ReturnType<typeof visible>;
}
export type StreamView =
  | StreamThere
  /** `last` is the revision of its last event, -1 if it has none. */
  | { state: 'missing'; id: number | undefined; last: number }
  | { state: 'deleted'; id: number | undefined; last: number };

export interface StreamPage {
  events: StoredEvent[];
  /** The last revision that was looked at; undefined at the end of the stream. */
  reached: number | undefined;
}

function asStored(bytes: Buffer): StoredEvent {
  const { position, stream, type } = decode(bytes);
  return { position, stream, type, bytes };
}

/** Answers an order. An answer that cannot be put into words is no reason to fall: it is answered as failed. */
function tell(order: Append | Delete, outcome: Outcome): void {
  for (let answer = outcome, tries = 0; tries < 2; tries++)
    try {
      return order.done(answer);
    } catch (error) {
      answer = { outcome: 'failed', message: (error as Error).message };
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
