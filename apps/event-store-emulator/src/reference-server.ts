/**
 * The rules by which EventStoreDB 23.10.7 writes and reads streams, as its source states them (`IndexWriter`,
 * `StorageWriterService`, `IndexReader`): without a disk, without speed, and without a line of the emulator. Tests hold
 * the emulator against it where nothing is recorded.
 */
export const ANY = -2n;
export const NO_STREAM = -1n;
export const STREAM_EXISTS = -4n;
const DELETED = 2n ** 63n - 1n;
const PAGE = 32;

export interface Proposed {
  id: string;
  json: boolean;
  data: string;
}

export interface Recorded extends Proposed {
  stream: string;
  revision: bigint;
  type: string;
}

export type Written =
  | { is: 'success'; revision: bigint; record: Recorded | 'blank' | undefined }
  | { is: 'wrong'; current: bigint }
  | { is: 'deleted' }
  /** The server stumbles over its own answer. */
  | { is: 'unanswered' };

export type ReferenceRead = { is: 'read'; events: Recorded[] } | { is: 'not found' } | { is: 'deleted' };

/** What the server does not survive: no program goes on from there. */
export class Fallen extends Error {}

interface Metadata {
  maxCount?: bigint;
  truncateBefore?: bigint;
}
type Members = Record<string, unknown>;
type ReferenceDecision =
  | { decision: 'ok'; isSoftDeleted: boolean }
  | { decision: 'wrong' }
  | { decision: 'deleted' }
  | { decision: 'idempotent'; start: bigint; end: bigint };

const EMPTY: Metadata = {};
const METASTREAM: Metadata = { maxCount: 1n };
const metastreamOf = (stream: string) => `$$${stream}`;
const isMetastream = (stream: string) => stream.startsWith('$$');
const originalOf = (metastream: string) => metastream.substring(2);
const signed = (number: bigint) => BigInt.asIntN(64, number);

/**
 * An object with its whole numbers as texts with a mark, for JavaScript would round them; undefined: no JSON object.
 */
function membersOf(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/(:)(-?\d+)(?=[,}])/g, '$1"#$2"'));
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (members: Members) => JSON.stringify(members).replace(/"#(-?\d+)"/g, '$1');

function metadataOf(text: string): Metadata {
  const members = membersOf(text);
  if (!members) return EMPTY;
  const numbers = [members['$maxCount'], members['$tb']];
  const isNumber = (value: unknown): value is string => typeof value === 'string' && value.startsWith('#');
  if (numbers.some((value) => value !== undefined && !isNumber(value))) return EMPTY;
  const [maxCount, truncateBefore] = numbers.map((value) =>
    isNumber(value) ? BigInt(value.slice(1)) : undefined,
  );
  return {
    ...(maxCount !== undefined && maxCount > 0n && { maxCount }),
    ...(truncateBefore !== undefined && truncateBefore >= 0n && { truncateBefore }),
  };
}

/** The writer's raw metadata: kept until it is processed, then evicted by the metadata of another stream. */
class RawMetas {
  private items: { stream: string; raw: string; stickiness: number }[] = [];
  private unprocessed: string[] = [];

  get(stream: string): string | undefined {
    const item = this.items.find((each) => each.stream === stream);
    if (item) this.items = [...this.items.filter((each) => each !== item), item];
    return item?.raw;
  }

  put(stream: string, raw: string): void {
    const item = this.items.find((each) => each.stream === stream);
    while (!item) {
      const [first, ...others] = this.items;
      if (!first) break;
      this.items = first.stickiness === 0 ? others : [...others, first];
      if (first.stickiness > 0) break;
    }
    const stickiness = (item?.stickiness ?? 0) + 1;
    this.items = [...this.items.filter((each) => each !== item), { stream, raw, stickiness }];
    this.unprocessed.push(stream);
  }

  /** What there is to purge at the end of a message: what earlier messages wrote. */
  begin(): () => void {
    const written = this.unprocessed.splice(0);
    return () => {
      for (const stream of written) this.items.find((each) => each.stream === stream)!.stickiness--;
    };
  }
}

export class ReferenceServer {
  readonly log: Recorded[] = [];
  private readonly index = new Map<string, Recorded[]>();
  private readonly streamVersions = new Map<string, bigint>();
  private readonly committedEvents = new Map<string, Recorded>();
  private readonly rawMetas = new RawMetas();
  private readonly cachedMetadata = new Map<string, Metadata>();
  private made = 0;

  // ---- StorageWriterService

  append(stream: string, expected: bigint, events: readonly Proposed[]): Written {
    return this.handle(() => {
      const current = this.versionOf(stream);
      const check = this.checkCommit(
        stream,
        expected,
        events.map((event) => event.id),
      );
      if (check.decision !== 'ok') return this.failure(stream, current, check);
      const type = isMetastream(stream) ? '$metadata' : 'Happened';
      const undeletesMetastream = isMetastream(stream) && this.isSoftDeleted(originalOf(stream));
      let record: Recorded | 'blank' = 'blank';
      let revision = current;
      const records = events.map((event) => ({ ...event, stream, revision: ++revision, type }));
      for (const each of records) record = this.commit(each);
      if (record !== 'blank') this.preCommit(record);
      if (check.isSoftDeleted) this.undelete(stream, current + 1n);
      if (undeletesMetastream)
        this.undelete(originalOf(stream), signed(this.versionOf(originalOf(stream)) + 1n));
      return { is: 'success', revision, record };
    });
  }

  delete(stream: string, expected: bigint, hard: boolean): Written {
    return this.handle(() => {
      const current = this.versionOf(stream);
      const id = this.freshId();
      const check = this.checkCommit(stream, expected, [id]);
      if (check.decision !== 'ok') return this.failure(stream, current, check);
      let record: Recorded;
      if (hard) {
        const tombstone = { stream, id, json: false, data: '', revision: DELETED, type: '$streamDeleted' };
        this.preCommit((record = this.commit(tombstone)));
      } else {
        const metastream = metastreamOf(stream);
        if (this.versionOf(stream) < 0n && this.versionOf(metastream) < 0n)
          return { is: 'wrong', current: -1n };
        record = this.writeMetadata(stream, `{"$tb":${DELETED}}`);
      }
      return { is: 'success', revision: current, record };
    });
  }

  private handle(message: () => Written): Written {
    const purge = this.rawMetas.begin();
    try {
      return message();
    } finally {
      purge();
    }
  }

  private failure(
    stream: string,
    current: bigint,
    check: Exclude<ReferenceDecision, { decision: 'ok' }>,
  ): Written {
    switch (check.decision) {
      case 'wrong':
        return { is: 'wrong', current };
      case 'deleted':
        return { is: 'deleted' };
      case 'idempotent':
        if (check.start > check.end) return { is: 'unanswered' };
        return { is: 'success', revision: check.end, record: this.event(stream, check.end) };
    }
  }

  private undelete(stream: string, from: bigint): void {
    const metastream = metastreamOf(stream);
    const raw = this.rawMetas.get(stream) ?? this.prepare(metastream, this.versionOf(metastream))!.data;
    const members = membersOf(raw);
    if (members) this.writeMetadata(stream, textOf({ ...members, $tb: `#${from}` }));
  }

  private writeMetadata(stream: string, data: string): Recorded {
    const metastream = metastreamOf(stream);
    const revision = signed(this.versionOf(metastream) + 1n);
    const id = this.freshId();
    const record = this.commit({ stream: metastream, id, json: true, data, revision, type: '$metadata' });
    this.preCommit(record);
    return record;
  }

  private freshId = () => `of the server ${++this.made}`;

  // ---- IndexWriter

  private checkCommit(stream: string, expected: bigint, ids: readonly string[]): ReferenceDecision {
    const current = this.versionOf(stream);
    if (current === DELETED) return { decision: 'deleted' };
    if (expected === STREAM_EXISTS) {
      if (this.isSoftDeleted(stream)) return { decision: 'deleted' };
      if (current < 0n && this.versionOf(metastreamOf(stream)) < 0n) return { decision: 'wrong' };
    }
    if (expected === ANY || expected === STREAM_EXISTS) {
      let known: [start: bigint, end: bigint] | undefined;
      for (const id of ids) {
        const committed = this.committedEvents.get(id);
        if (committed?.stream !== stream)
          return known
            ? { decision: 'wrong' }
            : { decision: 'ok', isSoftDeleted: this.isSoftDeleted(stream) };
        known = [known?.[0] ?? committed.revision, committed.revision];
      }
      if (!known) return { decision: 'ok', isSoftDeleted: this.isSoftDeleted(stream) };
      return { decision: 'idempotent', start: known[0], end: known[1] };
    }
    if (expected < current) {
      let revision = expected;
      for (const id of ids) {
        revision++;
        const committed = this.committedEvents.get(id);
        if (committed?.stream === stream && committed.revision === revision) continue;
        if (this.prepare(stream, revision)?.id === id) continue;
        if (revision !== expected + 1n) return { decision: 'wrong' };
        if (expected === NO_STREAM && this.isSoftDeleted(stream))
          return { decision: 'ok', isSoftDeleted: true };
        return { decision: 'wrong' };
      }
      if (revision === expected) return { decision: 'wrong' };
      return { decision: 'idempotent', start: expected + 1n, end: revision };
    }
    if (expected > current) return { decision: 'wrong' };
    return { decision: 'ok', isSoftDeleted: this.isSoftDeleted(stream) };
  }

  private preCommit(last: Recorded): void {
    this.streamVersions.set(last.stream, last.revision);
    if (isMetastream(last.stream)) this.rawMetas.put(originalOf(last.stream), last.data);
  }

  private isSoftDeleted(stream: string): boolean {
    const raw = this.rawMetas.get(stream);
    const metadata = raw === undefined ? this.metadataRead(stream) : metadataOf(raw);
    return metadata.truncateBefore === DELETED;
  }

  /** The revision of a stream's last event as the writer knows it. */
  versionOf(stream: string): bigint {
    return this.streamVersions.get(stream) ?? this.lastRead(stream);
  }

  // ---- IndexCommitter

  private commit(record: Recorded): Recorded {
    if (record.revision < 0n) throw new Fallen();
    if (!this.committedEvents.has(record.id)) this.committedEvents.set(record.id, record);
    this.log.push(record);
    this.index.set(record.stream, [...(this.index.get(record.stream) ?? []), record]);
    if (isMetastream(record.stream)) this.cachedMetadata.delete(originalOf(record.stream));
    return record;
  }

  // ---- IndexReader

  private lastRead(stream: string): bigint {
    if (isMetastream(stream) && this.lastRead(originalOf(stream)) === DELETED) return DELETED;
    return (this.index.get(stream) ?? []).reduce(
      (last, { revision }) => (revision > last ? revision : last),
      -1n,
    );
  }

  private metadataRead(stream: string): Metadata {
    if (isMetastream(stream)) return METASTREAM;
    let metadata = this.cachedMetadata.get(stream);
    if (!metadata) {
      const metastream = metastreamOf(stream);
      const last = this.lastRead(metastream);
      const newest = last === DELETED ? undefined : this.prepare(metastream, last);
      metadata = newest?.json && newest.data !== '' ? metadataOf(newest.data) : EMPTY;
      this.cachedMetadata.set(stream, metadata);
    }
    return metadata;
  }

  private prepare(stream: string, revision: bigint): Recorded | undefined {
    return this.index.get(stream)?.find((each) => each.revision === revision);
  }

  private range(stream: string, from: bigint, to: bigint): Recorded[] {
    return (this.index.get(stream) ?? []).filter(({ revision }) => revision >= from && revision <= to);
  }

  private leastRead(stream: string): bigint {
    const { maxCount, truncateBefore = 0n } = this.metadataRead(stream);
    const byCount = maxCount === undefined ? 0n : this.lastRead(stream) - maxCount + 1n;
    return [byCount, truncateBefore].reduce((least, each) => (each > least ? each : least), 0n);
  }

  private state(stream: string): 'there' | 'not found' | 'deleted' {
    const last = this.lastRead(stream);
    const metadata = this.metadataRead(stream);
    if (last === DELETED) return 'deleted';
    return last < 0n || metadata.truncateBefore === DELETED ? 'not found' : 'there';
  }

  private event(stream: string, revision: bigint): Recorded | undefined {
    if (this.state(stream) !== 'there') return undefined;
    if (revision < this.leastRead(stream) || revision > this.lastRead(stream)) return undefined;
    return this.prepare(stream, revision);
  }

  // ---- The enumerators, page by page

  readForwards(stream: string, from: bigint, max: number): ReferenceRead {
    const events: Recorded[] = [];
    for (let next = from; ;) {
      const state = this.state(stream);
      if (state !== 'there') return { is: state };
      const [last, least] = [this.lastRead(stream), this.leastRead(stream)];
      const end = next + BigInt(Math.min(PAGE, max)) - 1n;
      const start = next > least ? next : least;
      if (end < least) {
        next = least;
        continue;
      }
      if (start > last) return { is: 'read', events };
      for (const each of this.range(stream, start, end)) if (events.length < max) events.push(each);
      if (end >= last || events.length >= max) return { is: 'read', events };
      next = end + 1n;
    }
  }

  readBackwards(stream: string, from: bigint | 'end', max: number): ReferenceRead {
    const events: Recorded[] = [];
    for (let next = from; ;) {
      const state = this.state(stream);
      if (state !== 'there') return { is: state };
      const [last, least] = [this.lastRead(stream), this.leastRead(stream)];
      const end: bigint = next === 'end' ? last : next;
      if (end < least) return { is: 'read', events };
      const asked = end - BigInt(Math.min(PAGE, max)) + 1n;
      const start = asked > least ? asked : least;
      for (const each of this.range(stream, start, end).reverse()) if (events.length < max) events.push(each);
      if (start === least || start === 0n || events.length >= max) return { is: 'read', events };
      next = start - 1n < last ? start - 1n : last;
    }
  }
}
