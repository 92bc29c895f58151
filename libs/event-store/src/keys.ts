import { type KeyRing, SealBroken, sealedBy } from '@carillon/signing';
import { numberSetting } from '@carillon/settings';
import { LRUCache } from 'lru-cache';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  type EventStore,
  isFields,
  type NewEvent,
  type RawEvent,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';

/** The outcome of rewrapping the key of an account. */
export type Rewrapping = 'rewrapped' | 'current' | 'gone' | 'broken';

/** The key of an account; `gone` when it was deleted; `broken` when the key ring does not open it. */
export type AccountKey = Buffer | 'gone' | 'broken';

const keyLength = 32;
/** What a cached key takes, with its account's id and its entry in the cache. */
const entryBytes = 500;
const created = 'AccountKeyCreated';
const rewrapped = 'AccountKeyRewrapped';
/** The last event before the stream is deleted: it makes a concurrent rewrap fail. */
const ended = 'AccountKeyEnded';
const category = 'account_key-';
/** The first key is created with the first account, among the first events. */
const oldestBatch = 500;
const oldestBatches = 20;

/**
 * The data keys of the accounts, one each, in the log itself: the stream `account_key-<account id>` holds the key,
 * wrapped by the installation's key ring. Without that stream the account's personal fields cannot be read again
 * (ADR 3).
 */
export class Keys {
  private readonly kept: LRUCache<string, AccountKey>;
  private readonly fetching = new Map<string, Promise<AccountKey | undefined>>();
  private readonly making = new Map<string, Promise<AccountKey>>();

  constructor(
    private readonly ring: Pick<KeyRing, 'seal' | 'open' | 'newest'>,
    private readonly store: EventStore,
    maxBytes = 1024 * 1024 * numberSetting('CARILLON_KEY_CACHE_MB', 32, { max: 65_536 }),
  ) {
    this.kept = new LRUCache({ max: Math.floor(maxBytes / entryBytes) });
  }

  static fromRing(ring: KeyRing, store: EventStore): Keys {
    return new Keys(ring, store);
  }

  /** The cached key, without waiting. */
  atHand(accountId: string): AccountKey | undefined {
    return this.kept.get(accountId);
  }

  /** The key to decrypt the account's events. */
  async toOpen(accountId: string): Promise<AccountKey> {
    return this.atHand(accountId) ?? (await this.stored(accountId)) ?? 'gone';
  }

  /**
   * The key to encrypt the account's events; created at the first use. An account whose key was deleted gets no new
   * one. Throws `SealBroken` when it has one that the ring does not open.
   */
  async toSeal(accountId: string): Promise<Buffer | 'gone'> {
    const key = this.atHand(accountId) ?? (await this.stored(accountId)) ?? (await this.made(accountId));
    if (key === 'broken') throw new SealBroken('The key of an account does not open with CARILLON_KEYS');
    return key;
  }

  /**
   * Whether the key ring opens the oldest account key in the log. If not, the log belongs to another installation, or
   * the ring has lost its oldest key.
   */
  async openOldest(): Promise<boolean> {
    let after: bigint | undefined;
    for (let batches = 0; batches < oldestBatches; batches += 1) {
      const { events, last, end } = await this.store.readAll(after, oldestBatch);
      for (const { stream } of events) {
        const accountId = ownerOfKey(stream);
        const key = accountId === undefined ? undefined : await this.stored(accountId);
        // A deleted key proves nothing.
        if (key !== undefined && key !== 'gone') return key !== 'broken';
      }
      if (end || last === undefined) return true;
      after = last;
    }
    // No key among the first events: nothing to compare.
    return true;
  }

  /**
   * Makes the account's personal fields unreadable for ever. Another process drops its cached key with the event
   * `AccountForgotten`, which must follow.
   */
  async shred(accountId: string): Promise<void> {
    const stream = streamOf(accountId);
    try {
      await this.store.append(stream, [this.event(accountId, ended, {})], 'any');
      await this.store.delete(stream);
    } catch (error) {
      if (!(error instanceof StreamDeleted)) throw error;
    }
    this.keep(accountId, 'gone');
  }

  /**
   * Wraps the key of an account with the newest key of the ring, and truncates the earlier wrapped key. Idempotent: a
   * repeat completes an interrupted call. Every process that reads the log must already have that key of the ring.
   */
  async rewrap(accountId: string): Promise<Rewrapping> {
    const stream = streamOf(accountId);
    const events = await this.store.read(stream);
    const last = usableOf(events);
    if (last === undefined || last === 'gone') return 'gone';
    const key = this.unwrapped(last);
    if (!Buffer.isBuffer(key)) return 'broken';
    const isCurrent = sealedBy(wrappedIn(last) ?? '') === this.ring.newest;
    let { revision } = last;
    if (!isCurrent) {
      const next = this.event(accountId, rewrapped, { wrapped: this.ring.seal(key, stream) });
      try {
        ({ revision } = await this.store.append(stream, [next], last.revision));
      } catch (error) {
        // Another process has rewrapped or ended the key first.
        if (error instanceof WrongExpectedRevision) return this.rewrap(accountId);
        throw error;
      }
    }
    if (events[0]!.revision < revision) await this.store.truncateBefore(stream, revision);
    return isCurrent ? 'current' : 'rewrapped';
  }

  /** Removes a deleted key from the cache; it may have been deleted by another process. */
  forget(accountId: string): void {
    this.keep(accountId, 'gone');
  }

  private stored(accountId: string): Promise<AccountKey | undefined> {
    return shared(this.fetching, accountId, () => this.fetch(accountId));
  }

  private made(accountId: string): Promise<AccountKey> {
    return shared(this.making, accountId, () => this.create(accountId));
  }

  private async fetch(accountId: string): Promise<AccountKey | undefined> {
    const stream = streamOf(accountId);
    try {
      const usable = usableOf(await this.store.read(stream));
      if (usable === undefined) return undefined;
      return this.keep(accountId, usable === 'gone' ? 'gone' : this.unwrapped(usable));
    } catch (error) {
      if (error instanceof StreamDeleted) return this.keep(accountId, 'gone');
      throw error;
    }
  }

  private unwrapped(event: RawEvent): AccountKey {
    const wrapped = wrappedIn(event);
    if (wrapped === undefined) return 'broken';
    try {
      return this.ring.open(wrapped, event.stream);
    } catch (error) {
      if (error instanceof SealBroken) return 'broken';
      throw error;
    }
  }

  private async create(accountId: string): Promise<AccountKey> {
    const stream = streamOf(accountId);
    const key = randomBytes(keyLength);
    const first = this.event(accountId, created, { wrapped: this.ring.seal(key, stream) });
    try {
      const { revision } = await this.store.append(stream, [first], 'no_stream');
      if (revision === 0n) return this.keep(accountId, key);
      await this.shred(accountId);
      return 'gone';
    } catch (error) {
      if (error instanceof StreamDeleted) return this.keep(accountId, 'gone');
      if (!(error instanceof WrongExpectedRevision)) throw error;
      return (await this.stored(accountId)) ?? 'gone';
    }
  }

  /** The id is random: with a derived id the store would take the key of a second process for a repeat of this one. */
  private event(accountId: string, type: string, data: object): NewEvent {
    const id = randomUUID();
    const metadata = { commandId: id, correlationId: id, accountId, actor: { process: 'event-store.keys' } };
    return { id, type, data, metadata };
  }

  private keep(accountId: string, key: AccountKey): AccountKey {
    this.kept.set(accountId, key);
    return key;
  }
}

/** The account whose key a stream holds; undefined for other streams. */
export const ownerOfKey = (stream: string): string | undefined =>
  stream.startsWith(category) ? stream.slice(category.length) : undefined;

const wrappedIn = ({ data }: RawEvent): string | undefined => {
  const wrapped = isFields(data) ? data['wrapped'] : undefined;
  return typeof wrapped === 'string' ? wrapped : undefined;
};

/** The event with the key as currently wrapped. A key created after a deleted one does not count. */
function usableOf(events: readonly RawEvent[]): RawEvent | 'gone' | undefined {
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last) return undefined;
  const isWhole = first.type === rewrapped || (first.type === created && first.revision === 0n);
  return isWhole && last.type !== ended ? last : 'gone';
}

const streamOf = (accountId: string): string => `${category}${accountId}`;

/** The work that is under way for this account already, or a new one. */
function shared<T>(pending: Map<string, Promise<T>>, accountId: string, start: () => Promise<T>): Promise<T> {
  let work = pending.get(accountId);
  if (!work) {
    work = start().finally(() => pending.delete(accountId));
    pending.set(accountId, work);
  }
  return work;
}
