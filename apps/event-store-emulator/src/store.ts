import { randomUUID } from 'node:crypto';
import { decide } from './appends';
import { Log, type Batch, type IndexedEvent, type StreamEntry } from './log';
import {
  isMetastream,
  metastreamOf,
  originalOf,
  parseMetadata,
  withTruncateBefore,
  type StreamMetadata,
} from './metadata';
import { decode, encode, type ProposedEvent, type StoredEvent } from './record';
import { isVisible, visible } from './retention';
import { Tail } from './tail';

export type Outcome =
  /** Revision of the stream's last event after it (-1: still none), and position, if anything was ever written. */
  | { outcome: 'success'; revision: number; position: number | undefined }
  | { outcome: 'wrong-expected-version'; current: number }
  | { outcome: 'stream-deleted' }
  | { outcome: 'deadline-exceeded' }
  | { outcome: 'unavailable' };

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
  tombstoned: boolean;
  /** Read from the metastream when it is first needed; null: there is none. */
  metadata: StreamMetadata | null | undefined;
}

/** Streams kept in memory, and event ids remembered for appends without an exact revision. */
const STREAMS_KEPT = 100_000;
const IDS_KEPT = 100_000;
const IDS_WARMED = 10_000;
const COMMIT_BYTES = 8 * 1024 * 1024;
const METASTREAM: StreamMetadata = { maxCount: 1, softDeleted: false, written: {} };
const NOTHING = Buffer.alloc(0);

/**
 * Decides and writes. Whatever arrives while a commit is on its way to the disk goes into the next one together;
 * nobody hears of an event, writer or reader, before it is on the disk.
 */
export class Store {
  private readonly streams = new Map<string, Stream>();
  private readonly ids = new Map<string, { stream: number; revision: number }>();
  /** Metadata of streams that have no event yet, or that a commit in preparation changes. */
  private readonly metadataCache = new Map<string, StreamMetadata | null>();
  private readonly tail = new Tail();
  private waiting: (Append | Delete)[] = [];
  private working: Promise<void> | undefined;
  private closing = false;
  private batch: Batch = { events: [], index: [], streams: [] };
  private batchBytes = 0;
  private nextPosition: number;
  private committedEnd: number;
  private created = '';

  private constructor(
    private readonly log: Log,
    private readonly now: () => number,
    private readonly onFatal: (error: Error) => void,
  ) {
    this.nextPosition = this.committedEnd = log.end();
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
      if (known) this.ids.set(id, { stream: known.id, revision });
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
      try {
        this.decideWaiting(answers);
        if (batch.events.length > 0) await this.log.commit(batch);
      } catch (error) {
        // What is in memory may be ahead of the disk now, and nobody can tell by how much.
        this.closing = true;
        for (const order of [...answers.map((answer) => answer.order), ...this.waiting.splice(0)])
          order.done({ outcome: 'unavailable' });
        this.onFatal(error as Error);
        break;
      }
      if (batch.events.length > 0) {
        this.batch = { events: [], index: [], streams: [] };
        this.batchBytes = 0;
        this.committedEnd = this.nextPosition;
        this.tail.add(batch.events);
      }
      for (const { order, outcome } of answers) order.done(outcome);
      if (batch.events.length > 0) this.tail.ring(batch.events);
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
      const outcome: Outcome = order.deadline <= at ? { outcome: 'deadline-exceeded' } : this.decide(order);
      answers.push({ order, outcome });
    }
    this.waiting = answers.length === this.waiting.length ? [] : this.waiting.slice(answers.length);
  }

  private decide(order: Append | Delete): Outcome {
    const stream = this.stream(order.stream);
    const metadata = this.metadataOf(order.stream, stream);
    // A deletion has no event of its own that could be there already.
    const ids = order.kind === 'append' ? order.events.map((event) => event.id) : [''];
    const verdict = decide(
      order.expected,
      ids,
      {
        last: stream?.last ?? -1,
        tombstoned: stream?.tombstoned ?? false,
        softDeleted: metadata?.softDeleted ?? false,
        hasMetadata: metadata !== undefined,
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
          position: this.positionOf(stream!, verdict.revision),
        };
      case 'append':
        switch (order.kind) {
          case 'append':
            return this.append(order, verdict.recreates);
          case 'delete':
            return this.softDelete(order.stream, metadata);
          case 'tombstone':
            return this.tombstone(order.stream);
        }
    }
  }

  private append({ stream: name, events }: Append, recreates: boolean): Outcome {
    const before = this.stream(name)?.last ?? -1;
    if (events.length === 0) return { outcome: 'success', revision: before, position: undefined };
    let position = 0;
    for (const event of events) position = this.write(name, event);
    if (recreates) this.writeTruncateBefore(name, before + 1);
    if (isMetastream(name)) this.undeleteByMetadata(originalOf(name), events.at(-1)!);
    return { outcome: 'success', revision: before + events.length, position };
  }

  /** New metadata for a soft-deleted stream brings it back, but not the events from before the deletion. */
  private undeleteByMetadata(name: string, written: ProposedEvent): void {
    const stream = this.stream(name);
    const wasDeleted = this.metadataOf(name, stream)?.softDeleted ?? false;
    this.keepMetadata(name, parseMetadata(Buffer.from(written.data).toString()));
    if (wasDeleted) this.writeTruncateBefore(name, (stream?.last ?? -1) + 1);
  }

  private softDelete(name: string, metadata: StreamMetadata | undefined): Outcome {
    const position = this.writeMetadata(name, withTruncateBefore(metadata, 'deleted'));
    return { outcome: 'success', revision: this.stream(name)?.last ?? -1, position };
  }

  private writeTruncateBefore(name: string, revision: number): void {
    this.writeMetadata(
      name,
      withTruncateBefore(this.metadataOf(name, this.stream(name)) ?? undefined, revision),
    );
  }

  private writeMetadata(name: string, json: string): number {
    const position = this.write(metastreamOf(name), {
      id: randomUUID(),
      type: '$metadata',
      json: true,
      data: Buffer.from(json),
      metadata: NOTHING,
    });
    this.keepMetadata(name, parseMetadata(json));
    return position;
  }

  private keepMetadata(name: string, metadata: StreamMetadata | undefined): void {
    this.metadataCache.set(name, metadata ?? null);
    const stream = this.streams.get(name);
    if (stream) stream.metadata = metadata ?? null;
  }

  private tombstone(name: string): Outcome {
    const position = this.write(
      name,
      { id: randomUUID(), type: '$streamDeleted', json: true, data: NOTHING, metadata: NOTHING },
      true,
    );
    return { outcome: 'success', revision: -1, position };
  }

  private write(name: string, event: ProposedEvent, isTombstone = false): number {
    const position = this.nextPosition;
    const known = this.stream(name);
    const stream: Stream = known ?? {
      id: position,
      last: -1,
      tombstoned: false,
      metadata: this.metadataCache.get(name),
    };
    if (!known) this.streams.set(name, stream);
    const revision = stream.last + 1;
    const bytes = encode(event, {
      stream: Buffer.from(name),
      revision: isTombstone ? 'deleted' : revision,
      position,
      created: this.created,
    });
    this.nextPosition += bytes.length;
    this.batchBytes += bytes.length;
    this.batch.events.push({ position, stream: name, type: event.type, bytes });
    if (isTombstone) stream.tombstoned = true;
    else {
      stream.last = revision;
      this.ids.set(event.id, { stream: stream.id, revision });
      this.batch.index.push({ stream: stream.id, revision, position });
    }
    if (!known || isTombstone)
      this.batch.streams.push({ name, entry: { id: stream.id, tombstoned: stream.tombstoned } });
    return position;
  }

  private isAt(stream: Stream | undefined, id: string, revision: number): boolean {
    if (!stream) return false;
    const known = this.ids.get(id);
    if (known?.stream === stream.id && known.revision === revision) return true;
    const position = this.log.positionOf(stream.id, revision);
    const bytes = position === undefined ? undefined : this.log.at(position);
    return bytes !== undefined && decode(bytes).id === id;
  }

  private positionOf(stream: Stream, revision: number): number | undefined {
    const inPreparation = this.batch.index.find(
      (entry) => entry.stream === stream.id && entry.revision === revision,
    );
    return inPreparation?.position ?? this.log.positionOf(stream.id, revision);
  }

  private stream(name: string): Stream | undefined {
    const known = this.streams.get(name);
    if (known) return known;
    const entry: StreamEntry | undefined = this.log.stream(name);
    if (!entry) return undefined;
    const stream: Stream = {
      ...entry,
      last: this.log.lastRevision(entry.id),
      metadata: this.metadataCache.get(name),
    };
    this.streams.set(name, stream);
    return stream;
  }

  private metadataOf(name: string, stream: Stream | undefined): StreamMetadata | undefined {
    const cached = stream?.metadata === undefined ? this.metadataCache.get(name) : stream.metadata;
    if (cached !== undefined) return cached ?? undefined;
    const metastream = this.stream(metastreamOf(name));
    const [newest] =
      metastream && metastream.last >= 0
        ? this.log.ofStream(metastream.id, metastream.last, metastream.last, 1)
        : [];
    const metadata = newest && parseMetadata(decode(newest.bytes).data.toString());
    if (stream) stream.metadata = metadata ?? null;
    return metadata;
  }

  /** Bounds what is kept in memory; only between commits, for what a commit prepares is nowhere else. */
  private forget(): void {
    this.metadataCache.clear();
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

  /** How a stream stands for readers. */
  view(name: string): StreamView {
    const entry = this.log.stream(name);
    if (entry?.tombstoned) return { state: 'deleted' };
    const metadata = isMetastream(name) ? METASTREAM : this.committedMetadata(name);
    const last = entry ? this.log.lastRevision(entry.id) : -1;
    if (!entry || last < 0 || metadata?.softDeleted) return { state: 'missing', last };
    return { state: 'there', id: entry.id, last, rule: visible(metadata, last, this.now()) };
  }

  private committedMetadata(name: string): StreamMetadata | undefined {
    const entry = this.log.stream(metastreamOf(name));
    if (!entry) return undefined;
    const last = this.log.lastRevision(entry.id);
    const [newest] = last < 0 ? [] : this.log.ofStream(entry.id, last, last, 1);
    return newest && parseMetadata(decode(newest.bytes).data.toString());
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

  /** The event that a link points at, if it may still be read. */
  follow(link: StoredEvent): Buffer | undefined {
    const [revision, name] = splitLink(decode(link.bytes).data.toString());
    if (revision === undefined) return undefined;
    const view = this.view(name);
    if (view.state !== 'there' || revision > view.last) return undefined;
    return this.page(view, revision, revision, 1).events[0]?.bytes;
  }

  /** Resolves at the next commit, of that stream if one is named, or when `signal` aborts. */
  nextCommit(signal: AbortSignal, stream?: string): Promise<void> {
    return this.tail.next(signal, stream);
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
export type StreamView = StreamThere | { state: 'missing'; last: number } | { state: 'deleted' };

export interface StreamPage {
  events: StoredEvent[];
  /** The last revision that was looked at; undefined at the end of the stream. */
  reached: number | undefined;
}

function asStored(bytes: Buffer): StoredEvent {
  const { position, stream, type } = decode(bytes);
  return { position, stream, type, bytes };
}

function splitLink(data: string): [revision: number | undefined, stream: string] {
  const at = data.indexOf('@');
  const revision = at < 1 ? NaN : Number(data.slice(0, at));
  return [Number.isSafeInteger(revision) && revision >= 0 ? revision : undefined, data.slice(at + 1)];
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
