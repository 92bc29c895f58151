import { mkdirSync } from 'node:fs';
import { open, type Database, type RootDatabase } from 'lmdb';
import { stored, type StoredEvent } from './record';

/** A stream in the index: its number, and where it ended for good. */
export interface StreamEntry {
  /** The position of its first record; unique, so no counter is needed. */
  id: number;
  /** The position of its tombstone, if it has one. */
  tombstone: number | undefined;
}

/** What one commit adds. */
export interface Batch {
  events: StoredEvent[];
  index: Indexed[];
  streams: { name: string; entry: StreamEntry }[];
  /** Positions of records without an event: what an append of no events leaves in the log. */
  blanks: number[];
}

export const emptyBatch = (): Batch => ({ events: [], index: [], streams: [], blanks: [] });

/** A record and its place in its stream. */
export interface Indexed {
  stream: number;
  revision: number;
  position: number;
}

export interface IndexedEvent {
  revision: number;
  bytes: Buffer;
}

const PAGE_BYTES = 1024 * 1024;
const MAX_KEY_BYTES = 1978;
/** A record without an event: no event's bytes begin like this. */
const BLANK = Buffer.alloc(64);
export const BLANK_SIZE = BLANK.length;
const isBlank = (bytes: Buffer) => bytes[0] === 0;
/** Not zero: clients like to say zero for "nothing yet", and positions are given exclusively to subscriptions. */
const FIRST_POSITION = 128;
const SCAVENGED = 'scavenged';

/**
 * The events on disk: LMDB with the records by position, an index by stream and revision, and the streams by name.
 * LMDB never overwrites a page that the last commit refers to, so a crash leaves the last commit as it was.
 */
export class Log {
  private readonly events: Database<Buffer, number>;
  private readonly index: Database<number, [number, number]>;
  private readonly streams: Database<[number, number], Buffer>;
  /** How far the log was scavenged. */
  private readonly marks: Database<number, string>;

  private constructor(private readonly root: RootDatabase) {
    this.events = root.openDB({ name: 'events', encoding: 'binary' });
    this.index = root.openDB({ name: 'index', encoding: 'ordered-binary' });
    this.streams = root.openDB({ name: 'streams', encoding: 'ordered-binary', keyEncoding: 'binary' });
    this.marks = root.openDB({ name: 'marks', encoding: 'ordered-binary' });
  }

  static open(folder: string): Log {
    mkdirSync(folder, { recursive: true });
    return new Log(
      // Without overlappingSync a commit is over when it is on the disk, and the acknowledgement can follow it.
      // The path is a folder, also when its name has a dot.
      open({ path: folder, noSubdir: false, overlappingSync: false, compression: false, maxDbs: 4 }),
    );
  }

  isEmpty(): boolean {
    return this.end() === FIRST_POSITION;
  }

  /** The position for the next event. */
  end(): number {
    for (const { key, value } of this.events.getRange({ reverse: true, limit: 1 })) return key + value.length;
    return FIRST_POSITION;
  }

  /** The position of the last record; -1 when there is none. */
  last(): number {
    for (const position of this.events.getKeys({ reverse: true, limit: 1 })) return position;
    return -1;
  }

  /** Whether a record begins at this position, or may have begun there before a scavenge. */
  has(position: number): boolean {
    return this.events.doesExist(position) || (position >= FIRST_POSITION && position < this.scavengedTo());
  }

  private scavengedTo(): number {
    return this.marks.get(SCAVENGED) ?? 0;
  }

  /** The names of streams after another name, in the order of their bytes. */
  streamsAfter(name: string, limit: number): string[] {
    const names: string[] = [];
    for (const key of this.streams.getKeys({ ...(name && { start: Buffer.from(name) }), limit: limit + 1 }))
      if (key.toString() !== name) names.push(key.toString());
    return names.slice(0, limit);
  }

  /** The oldest events of a stream up to a revision (inclusive). */
  oldestOf(stream: number, to: number, limit: number): Indexed[] {
    const range = this.index.getRange({ start: [stream, 0], end: [stream, to + 1], limit });
    return [...range].map(({ key: [, revision], value }) => ({ stream, revision, position: value }));
  }

  /** Removes records from the log and from their streams. */
  remove(records: readonly Indexed[]): void {
    const end = Math.max(this.scavengedTo(), ...records.map(({ position }) => position + 1));
    this.root.transactionSync(() => {
      for (const { stream, revision, position } of records) {
        this.events.removeSync(position);
        this.index.removeSync([stream, revision]);
      }
      this.marks.putSync(SCAVENGED, end);
    });
    this.root.resetReadTxn();
  }

  stream(name: string): StreamEntry | undefined {
    const key = Buffer.from(name);
    // LMDB throws on a key that it could never hold; nothing was ever written under it.
    if (key.length === 0 || key.length > MAX_KEY_BYTES) return undefined;
    const entry = this.streams.get(key);
    return entry && { id: entry[0], tombstone: entry[1] || undefined };
  }

  lastRevision(stream: number): number {
    const range = this.index.getKeys({
      start: [stream, Infinity],
      end: [stream, -1],
      reverse: true,
      limit: 1,
    });
    for (const [, revision] of range) return revision;
    return -1;
  }

  positionOf(stream: number, revision: number): number | undefined {
    return this.index.get([stream, revision]);
  }

  at(position: number): Buffer | undefined {
    return this.events.get(position);
  }

  /** Events from a position on (inclusive), up to a page. */
  forwards(from: number, limit: number): StoredEvent[] {
    return this.page(this.events.getRange({ start: from }), limit);
  }

  /** Events before a position (exclusive), newest first, up to a page. */
  backwards(before: number, limit: number): StoredEvent[] {
    // A reverse range starts inclusive; positions are whole numbers.
    return this.page(this.events.getRange({ start: before - 1, reverse: true }), limit);
  }

  private page(range: Iterable<{ key: number; value: Buffer }>, limit: number): StoredEvent[] {
    const page: StoredEvent[] = [];
    let bytes = 0;
    for (const { key, value } of range) {
      if (isBlank(value)) continue;
      page.push(stored(key, value));
      if (page.length >= limit || (bytes += value.length) >= PAGE_BYTES) break;
    }
    return page;
  }

  /** Events of a stream between two revisions (inclusive), from the first towards the second, up to a page. */
  ofStream(stream: number, from: number, to: number, limit: number): IndexedEvent[] {
    const reverse = from > to;
    const page: IndexedEvent[] = [];
    let bytes = 0;
    const end = reverse ? to - 1 : to + 1;
    for (const { key, value } of this.index.getRange({
      start: [stream, from],
      end: [stream, end],
      reverse,
      limit,
    })) {
      const event = this.events.get(value);
      if (!event) continue;
      page.push({ revision: key[1], bytes: event });
      if ((bytes += event.length) >= PAGE_BYTES) break;
    }
    return page;
  }

  /**
   * Writes a batch in one transaction. Returns when it is on the disk: nothing else is done meanwhile. To hand it to
   * another thread and to hear from that costs more than most disks take, and nobody could be told anything new.
   */
  commit(batch: Batch): void {
    this.root.transactionSync(() => {
      for (const { position, bytes } of batch.events) this.events.putSync(position, bytes);
      for (const position of batch.blanks) this.events.putSync(position, BLANK);
      for (const { stream, revision, position } of batch.index)
        this.index.putSync([stream, revision], position);
      for (const { name, entry } of batch.streams)
        this.streams.putSync(Buffer.from(name), [entry.id, entry.tombstone ?? 0]);
    });
    // A read snapshot may be older than this turn; the client that is told of the commit must see it.
    this.root.resetReadTxn();
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}
