import type { Batch, Indexed, IndexedEvent, Log } from './log';
import { isMetastream, metastreamOf, originalOf } from './metastream';
import { METASTREAM_METADATA, NO_METADATA, parseMetadata, type StreamMetadata } from './metadata';
import { decode, type RecordedEvent, type StoredEvent } from './record';
import { isVisible, visible } from './retention';
import { Tail } from './tail';

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

/** What readers see: only what is on the disk. */
export class Reader {
  private readonly tail = new Tail();
  private committedEnd: number;
  private committedLast: number;

  constructor(
    private readonly log: Log,
    private readonly now: () => number,
  ) {
    this.committedEnd = log.end();
    this.committedLast = log.last();
  }

  /** Takes what a commit has brought to the disk. */
  take(batch: Batch, end: number): void {
    this.committedLast = Math.max(batch.events.at(-1)?.position ?? -1, batch.blanks.at(-1) ?? -1);
    this.committedEnd = end;
    this.tail.add(batch.events);
  }

  /** Wakes the subscriptions that wait for new events. */
  ring(batch: Batch): void {
    this.tail.ring(batch.events);
  }

  /** Resolves at the next commit, of those streams if any are named, or when `signal` aborts. */
  nextCommit(signal: AbortSignal, ...streams: string[]): Promise<void> {
    return this.tail.next(signal, ...streams);
  }

  /** The end of the log as readers may know it. */
  get end(): number {
    return this.committedEnd;
  }

  /** The position of the last record. */
  get last(): number {
    return this.committedLast;
  }

  /** Whether a record begins there: readers may start at no other position. */
  hasRecordAt(position: number): boolean {
    return this.log.has(position);
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
    const last = entry ? this.log.lastRevision(entry.id) : -1;
    if (this.isEnded(name)) return { state: 'deleted', id: entry?.id, last };
    const metadata = isMetastream(name) ? METASTREAM_METADATA : this.metadataOf(name);
    if (!entry || last < 0 || metadata.softDeleted) return { state: 'missing', id: entry?.id, last };
    return { state: 'there', id: entry.id, last, rule: visible(metadata, last, this.now()) };
  }

  /** Whether a stream ended for good; metadata ends with the stream that it describes. */
  isEnded(name: string): boolean {
    for (let of = name; ; of = originalOf(of)) {
      if (this.log.stream(of)?.tombstone !== undefined) return true;
      if (!isMetastream(of)) return false;
    }
  }

  /** The newest metadata of a stream that is no metastream, as the server acts on it. */
  metadataOf(name: string): StreamMetadata {
    const metastream = this.log.stream(metastreamOf(name));
    if (!metastream || metastream.tombstone !== undefined) return NO_METADATA;
    const newest = this.newestOf(metastream.id);
    return newest?.json ? parseMetadata(newest.data.toString()) : NO_METADATA;
  }

  /** The newest metadata of a stream as it was written. */
  metadataText(name: string): string | undefined {
    const metastream = this.log.stream(metastreamOf(name));
    return metastream && this.newestOf(metastream.id)?.data.toString();
  }

  private newestOf(id: number): RecordedEvent | undefined {
    const last = this.log.lastRevision(id);
    const [newest] = last < 0 ? [] : this.log.ofStream(id, last, last, 1);
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

  /** An event of a stream by its revision, if it may still be read; -1 is the newest. */
  event(name: string, revision: number): StoredEvent | undefined {
    const view = this.view(name);
    if (view.state !== 'there' || revision > view.last) return undefined;
    const wanted = revision === -1 ? view.last : revision;
    return this.page(view, wanted, wanted, 1).events[0];
  }

  /** All events of a stream from a revision on, as they are told while they come: retention hides none of them. */
  unhidden(id: number, from: number, limit: number): StoredEvent[] {
    return this.log.ofStream(id, from, Infinity, limit).map(({ bytes }) => asStored(bytes));
  }

  /**
   * The oldest events of a stream that a scavenge removes: those that its readers cannot see, but for its newest one.
   * Of a stream that ended for good, and of its metadata, all.
   */
  unreadable(name: string, limit: number): Indexed[] {
    const entry = this.log.stream(name);
    if (!entry) return [];
    const last = this.log.lastRevision(entry.id);
    const ended = this.isEnded(name);
    const events = this.log.oldestOf(entry.id, ended ? last : last - 1, limit);
    // The end of the log is where its last record ends.
    const removed = events.filter(({ position }) => position !== this.committedLast);
    if (ended) return removed;
    const rule = visible(isMetastream(name) ? METASTREAM_METADATA : this.metadataOf(name), last, this.now());
    const kept = removed.findIndex(({ revision, position }) =>
      isVisible(rule, revision, () => decode(this.log.at(position)!).createdAt),
    );
    return kept < 0 ? removed : removed.slice(0, kept);
  }

  /** Forgets the events in memory: a scavenge removed some. */
  forget(): void {
    this.tail.clear();
  }

  /** The record that ends a stream for good. */
  tombstoneOf(name: string): StoredEvent | undefined {
    const position = this.log.stream(name)?.tombstone;
    const bytes = position === undefined ? undefined : this.log.at(position);
    return bytes && asStored(bytes);
  }
}

function asStored(bytes: Buffer): StoredEvent {
  const { position, stream, type } = decode(bytes);
  return { position, stream, type, bytes };
}
