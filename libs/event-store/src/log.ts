import {
  type Decide,
  type Decider,
  type DomainEvent,
  type EventMetadata,
  fold,
  type Origin,
  Refused,
  type Recorded,
} from '@carillon/eventing';
import { appendSeconds, secondsSince } from '@carillon/metrics';
import { sealWith, uuidV5 } from '@carillon/signing';
import { beginSpan, isRecorded, within } from '@carillon/tracing';
import { LRUCache } from 'lru-cache';
import { appendSpan } from './append-span';
import {
  type Appended,
  type EventStore,
  type Expected,
  type NewEvent,
  OutcomeUnknown,
  type RawEvent,
  StoreUnavailable,
  type StoredMetadata,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';
import type { Loaded, Part, Transacted, TransactOptions } from './decision';
import type { AccountKey, Keys } from './keys';
import { defaultPartitions, partitionOf, partitionsOf } from './partition';
import { SharedCalls } from './shared-calls';
import { isSealed, opened, openedMetadata, originContext, originKeyOf, sealedField } from './sealed-fields';
import { StreamTurns } from './stream-turns';

interface Cached {
  readonly decider: unknown;
  readonly loaded: Loaded<unknown>;
}

/**
 * The maximum of attempts. Decisions in one process take turns, so that an attempt conflicts with other replicas only.
 * High, so that no request is refused only because many do the same at once.
 */
export const attempts = 30;
const cachedStates = 5_000;
/** So many events of a stream are read at once where it is read in parts. */
const partSize = 500;

/** The event that records that its account's key was deleted. */
const keyGone = 'AccountForgotten';

/**
 * The event log as services use it: makes decisions, appends events, and encrypts and decrypts personal fields (ADR 1).
 */
export class Log {
  private readonly states = new LRUCache<string, Cached>({ max: cachedStates });
  /** How many times an account was forgotten: a state read before that is not cached afterwards. */
  private forgotten = 0;
  private readonly onForgottenDo = new Set<(accountId: string) => void>();
  /** The number of events that this process can never decrypt. */
  unreadable = 0;
  private readonly noted = new LRUCache<string, true>({ max: 10_000 });
  /** One decision at a time per stream in this process: concurrent ones would only conflict. */
  private readonly turns = new StreamTurns();
  private readonly loads = new Map<unknown, SharedCalls<Loaded<unknown>>>();

  constructor(
    readonly store: EventStore,
    readonly keys: Keys,
    /** Called for each command whose events were stored or may have been, as soon as that is known. */
    private readonly onStored: (metadata: EventMetadata) => void = () => {},
    /** Called once for each event that can never be decrypted. */
    private readonly onUnreadable: (recorded: Recorded) => void = () => {},
    /** The event types that must not be written yet: an append of one throws `Refused('event.withheld')`. */
    private readonly withheld: ReadonlySet<string> = new Set(),
    /** The number of partitions of this installation. */
    readonly partitions = defaultPartitions,
  ) {}

  /**
   * Loads, decides, appends at the expected revision. After a conflict, decides again on the new state; after the
   * maximum of attempts it throws `Refused('stream.concurrent_update')`. States are cached and must not be changed.
   * Throws `StreamDeleted` for events for a stream that was deleted for ever, with `expectNew` for a refusal too.
   */
  async transact<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    id: string,
    decide: Decide<State, Event>,
    metadata: EventMetadata,
    options: TransactOptions = {},
  ): Promise<Transacted<State, Event>> {
    const stream = `${decider.category}-${id}`;
    return this.turns.take(stream, () => this.decideAndAppend(decider, stream, decide, metadata, options));
  }

  /** The state as of now or later: loads of one stream that come at once share a read. */
  async load<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    id: string,
  ): Promise<Loaded<State>> {
    const stream = `${decider.category}-${id}`;
    let loads = this.loads.get(decider);
    if (!loads) this.loads.set(decider, (loads = new SharedCalls()));
    return (await loads.share(stream, () => this.refresh(decider, stream))) as Loaded<State>;
  }

  /** Whether the stream has events, or had some and was deleted for ever. */
  async exists<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    id: string,
  ): Promise<boolean> {
    const { revision, isDeleted } = await this.load(decider, id);
    return revision !== undefined || isDeleted === true;
  }

  /**
   * The cached state if there is one, without reading the log. It may be out of date, so use it only for fields that
   * never change, or where `transact` decides afterwards.
   */
  async known<State, Event extends DomainEvent>(decider: Decider<State, Event>, id: string): Promise<State> {
    const stream = `${decider.category}-${id}`;
    return (this.cached(decider, stream) ?? (await this.refresh(decider, stream))).state;
  }

  /**
   * Calls `drop` when this process reads that the key of an account was deleted, before it reads another event: for
   * caches of text. Returns how to stop that.
   */
  onForgotten(drop: (accountId: string) => void): () => void {
    this.onForgottenDo.add(drop);
    return () => this.onForgottenDo.delete(drop);
  }

  /** Appends without a state. Throws `WrongExpectedRevision`. */
  async appendTo<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    id: string,
    events: readonly Event[],
    expected: Expected,
    metadata: EventMetadata,
  ): Promise<Appended> {
    return this.appendParts(decider, id, [{ events, metadata }], expected);
  }

  /**
   * As `appendTo`, for several commands: all of their events are stored or none. The stream's owner is the account of
   * the first command unless another one is given.
   */
  async appendParts<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    id: string,
    parts: readonly Part<Event>[],
    expected: Expected,
    ownerId = parts[0]?.metadata.accountId ?? '',
  ): Promise<Appended> {
    const stream = `${decider.category}-${id}`;
    const partition = this.partitionOf(ownerId);
    const sealed = await Promise.all(
      parts.map(({ events, metadata }) => this.sealed(decider, stream, events, { ...metadata, partition })),
    );
    return this.append(
      stream,
      sealed.flat(),
      expected,
      parts.map(({ metadata }) => metadata),
    );
  }

  /** The partition of an account or a team. */
  partitionOf(id: string): number {
    return partitionOf(id, this.partitions);
  }

  /** The other partitions whose rows an event changes: those of recipients, or all for the end of an account's key. */
  private alsoIn(event: DomainEvent, partition: number): readonly number[] {
    const all =
      event.type === keyGone ? [...Array(this.partitions).keys()] : partitionsOf(event, this.partitions);
    return all.filter((each) => each !== partition);
  }

  private async append(
    stream: string,
    events: readonly NewEvent[],
    expected: Expected,
    of: readonly EventMetadata[],
  ): Promise<Appended> {
    const stored = (): void => of.forEach((metadata) => this.onStored(metadata));
    const began = performance.now();
    const from = of.find(({ traceparent }) => isRecorded(traceparent))?.traceparent;
    const span = beginSpan(from, () => appendSpan(stream, events.length));
    // The trace of anything that follows from these events continues the span of the append.
    const written = span
      ? events.map((event) =>
          event.metadata.traceparent === from ? { ...event, metadata: within(span, event.metadata) } : event,
        )
      : events;
    let outcome = 'failed';
    try {
      const appended = await this.store.append(stream, written, expected);
      outcome = 'stored';
      stored();
      return appended;
    } catch (error) {
      if (error instanceof OutcomeUnknown) stored();
      outcome = outcomeOf(error);
      throw error;
    } finally {
      appendSeconds.observe({ outcome }, secondsSince(began));
      span?.end({ 'carillon.outcome': outcome }, /^(stored|conflict)$/.test(outcome) ? undefined : outcome);
    }
  }

  /**
   * Decrypts the personal fields of the wanted events, in the same order. Fields whose key is gone are null; so are
   * fields that cannot be decrypted, in events marked `unreadable`. Throws only when a retry may succeed.
   */
  async open(given: readonly RawEvent[], isWanted?: (event: RawEvent) => boolean): Promise<Recorded[]> {
    // Before any event is decrypted: with the key deleted, the account's events must not be read from the cached key.
    for (const { type, metadata } of given) if (type === keyGone) this.forget(metadata.accountId);
    const events = isWanted ? given.filter(isWanted) : given;
    if (events.length === 0) return [];
    const keys = new Map<string, AccountKey>();
    const missing = new Set<string>();
    const need = (account: string): void => {
      if (keys.has(account)) return;
      const key = this.keys.atHand(account);
      if (key) keys.set(account, key);
      else missing.add(account);
    };
    for (const { data, metadata } of events) {
      if (isSealed(data)) need(metadata.accountId);
      if (metadata.origin !== undefined) need(originKeyOf(metadata));
    }
    await Promise.all(
      [...missing].map(async (account) => keys.set(account, await this.keys.toOpen(account))),
    );
    return events.map((raw) => {
      const { id, stream, revision, position, at, type } = raw;
      const { fields, unreadable } = opened(raw, keys);
      const metadata = openedMetadata(raw, keys);
      const recorded = { id, stream, revision, position, at, type, event: { ...fields, type }, metadata };
      if (!unreadable) return recorded;
      this.note({ ...recorded, unreadable });
      return { ...recorded, unreadable };
    });
  }

  /** The readable events of a stream, from its beginning, a part at a time: a reader with enough stops. */
  async *parts<Event extends DomainEvent>(stream: string): AsyncGenerator<readonly Event[]> {
    let from = 0n;
    for (;;) {
      const raw = await this.store.read(stream, from, partSize);
      const last = raw.at(-1);
      if (!last) return;
      yield await this.readable<Event>(raw);
      if (raw.length < partSize) return;
      from = last.revision + 1n;
    }
  }

  /** As `open`, without the events of which nothing can be read. */
  private async readable<Event extends DomainEvent>(raw: readonly RawEvent[]): Promise<Event[]> {
    return (await this.open(raw)).flatMap(({ event, unreadable }) =>
      unreadable === 'all' ? [] : [event as Event],
    );
  }

  /**
   * States hold text of accounts in their streams and in those of others. It is rare enough to read all of them again.
   */
  private forget(accountId: string): void {
    this.keys.forget(accountId);
    this.states.clear();
    this.forgotten += 1;
    for (const drop of this.onForgottenDo) drop(accountId);
  }

  /** Reports each event once, as long as its id is cached. */
  private note(recorded: Recorded): void {
    if (this.noted.get(recorded.id)) return;
    this.noted.set(recorded.id, true);
    this.unreadable += 1;
    this.onUnreadable(recorded);
  }

  private async decideAndAppend<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    stream: string,
    decide: Decide<State, Event>,
    metadata: EventMetadata,
    { expectNew = false }: TransactOptions,
  ): Promise<Transacted<State, Event>> {
    const { forgotten } = this;
    let known = this.cached(decider, stream);
    let fresh = false;
    if (!known && expectNew) known = { state: decider.initial, revision: undefined, position: undefined };
    if (!known) {
      known = await this.refresh(decider, stream);
      fresh = true;
    }
    for (let tries = 0; ;) {
      let events: readonly Event[] = [];
      try {
        events = decide(known.state);
      } catch (error) {
        // Who expects a new stream refuses on the initial state of one that was there.
        if (fresh) throw expectNew && known.isDeleted ? new StreamDeleted(stream) : error;
      }
      if (events.length === 0) {
        if (fresh)
          return {
            state: known.state,
            events,
            position: known.position ?? 0n,
            revision: known.revision ?? -1n,
          };
        // A refusal or an empty decision counts only on the state read from the log.
        known = await this.refresh(decider, stream);
        fresh = true;
        continue;
      }
      try {
        const state = fold(decider, events, known.state);
        // The first event decides: later ones may be sealed with the keys of other accounts.
        const { partition = metadata.partition ?? this.partitionOf(metadata.accountId) } = known;
        const proposed = await this.sealed(decider, stream, events, { ...metadata, partition }, true);
        const { revision, position } = await this.append(stream, proposed, known.revision ?? 'no_stream', [
          metadata,
        ]);
        this.keep(decider, stream, { state, revision, position, partition }, forgotten);
        return { state, events, position, revision };
      } catch (error) {
        // A deleted stream has the initial state, on which most decisions refuse by their own reason.
        const isRetried = error instanceof StreamDeleted ? !fresh : error instanceof WrongExpectedRevision;
        if (!isRetried) throw error;
        tries += 1;
        if (tries === attempts) throw new Refused('stream.concurrent_update', { stream });
        known = await this.refresh(decider, stream);
        fresh = true;
      }
    }
  }

  private cached<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    stream: string,
  ): Loaded<State> | undefined {
    const cached = this.states.get(stream);
    return cached?.decider === decider ? (cached.loaded as Loaded<State>) : undefined;
  }

  private keep<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    stream: string,
    loaded: Loaded<State>,
    since: number,
  ): void {
    if (since !== this.forgotten) return;
    const before = this.cached(decider, stream);
    if ((before?.revision ?? -1n) <= (loaded.revision ?? -1n)) this.states.set(stream, { decider, loaded });
  }

  /** The current state, read from the log after the cached one. */
  private async refresh<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    stream: string,
  ): Promise<Loaded<State>> {
    const { forgotten } = this;
    const cached = this.cached(decider, stream);
    if (cached?.revision !== undefined) {
      // The newest known event is read again: if it is missing, the stream was deleted or truncated.
      const [anchor, ...later] = (await this.eventsOf(stream, cached.revision)) ?? [];
      if (anchor?.revision === cached.revision && anchor.position === cached.position) {
        if (later.length === 0) return cached;
        return this.folded(decider, stream, later, cached.state, forgotten);
      }
      this.states.delete(stream);
    }
    const events = await this.eventsOf(stream);
    if (!events) return { state: decider.initial, revision: undefined, position: undefined, isDeleted: true };
    return this.folded(decider, stream, events, decider.initial, forgotten);
  }

  /** The events of a stream; undefined if it was deleted for ever. */
  private async eventsOf(stream: string, from?: bigint): Promise<RawEvent[] | undefined> {
    try {
      return await this.store.read(stream, from);
    } catch (error) {
      if (error instanceof StreamDeleted) return undefined;
      throw error;
    }
  }

  private async folded<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    stream: string,
    raw: readonly RawEvent[],
    from: State,
    since: number,
  ): Promise<Loaded<State>> {
    const last = raw.at(-1);
    if (!last) return { state: from, revision: undefined, position: undefined };
    const events = await this.readable<Event>(raw);
    const { revision, position, metadata } = last;
    const { partition = 0 } = metadata;
    const loaded = { state: fold(decider, events, from), revision, position, partition };
    this.keep(decider, stream, loaded, since);
    return loaded;
  }

  /**
   * The store recognizes a repeated append by its event ids. The ids of a decision include its content: two replicas
   * with the same command may decide with other times and ids, and the second append must then conflict.
   */
  private async sealed<State, Event extends DomainEvent>(
    decider: Decider<State, Event>,
    stream: string,
    events: readonly Event[],
    metadata: EventMetadata,
    decided = false,
  ): Promise<NewEvent[]> {
    const proposed: NewEvent[] = [];
    const { origin } = metadata;
    const stored = origin
      ? await this.sealedMetadata(stream, metadata, origin)
      : { ...metadata, origin: undefined };
    for (const [index, event] of events.entries()) {
      const { type, ...fields } = event as Event & Record<string, unknown>;
      if (this.withheld.has(type)) throw new Refused('event.withheld', { type });
      const id = uuidV5(
        metadata.commandId,
        `${stream}/${index}${decided ? `/${JSON.stringify(event)}` : ''}`,
      );
      const data = await this.sealedFields(
        fields,
        (decider.personal as Readonly<Record<string, readonly string[]>>)[type] ?? [],
        stream,
        metadata,
      );
      const others = this.alsoIn(event, metadata.partition ?? 0);
      proposed.push({ id, type, data, metadata: others.length > 0 ? { ...stored, alsoIn: others } : stored });
    }
    return proposed;
  }

  private async sealedMetadata(
    stream: string,
    metadata: EventMetadata,
    origin: Origin,
  ): Promise<StoredMetadata> {
    const key = await this.keyToSeal(originKeyOf(metadata));
    return key === 'gone'
      ? { ...metadata, origin: undefined }
      : { ...metadata, origin: sealWith(key, JSON.stringify(origin), originContext(stream)) };
  }

  private async keyToSeal(accountId: string): Promise<Buffer | 'gone'> {
    const kept = this.keys.atHand(accountId);
    return kept === undefined || kept === 'broken' ? await this.keys.toSeal(accountId) : kept;
  }

  private async sealedFields(
    fields: Record<string, unknown>,
    personal: readonly string[],
    stream: string,
    { accountId }: EventMetadata,
  ): Promise<Record<string, unknown>> {
    if (sealedField in fields) throw new Error(`An event cannot have a field named "${sealedField}"`);
    const present = personal.filter((name) => fields[name] !== undefined && fields[name] !== null);
    if (present.length === 0) return fields;
    if (!accountId) throw new Error('Personal fields need an account in the metadata');
    const key = await this.keyToSeal(accountId);
    const open = { ...fields };
    // The names stay, so that the fields read as null when the key is gone.
    for (const name of present) open[name] = null;
    if (key === 'gone') return open;
    const secret = JSON.stringify(Object.fromEntries(present.map((name) => [name, fields[name]])));
    return { ...open, [sealedField]: sealWith(key, secret, stream) };
  }
}

/** The outcome of a failed append. */
function outcomeOf(error: unknown): string {
  if (error instanceof WrongExpectedRevision) return 'conflict';
  if (error instanceof OutcomeUnknown) return 'unknown';
  return error instanceof StoreUnavailable ? 'unavailable' : 'failed';
}
