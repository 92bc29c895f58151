import { type KeyRing, SealBroken } from '@carillon/signing';
import { LRUCache } from 'lru-cache';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  type EventStore,
  isFields,
  type RawEvent,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';

/** The key of an account; or that it has none any more; or that there is one which the ring does not open. */
export type AccountKey = Buffer | 'gone' | 'broken';

const keyLength = 32;
/** Another process may have deleted a key: none is trusted for longer than this. */
const trustMs = 5 * 60_000;
const created = 'AccountKeyCreated';
const category = 'account_key-';
/** The first key is made with the first account, among the first events. */
const oldestPage = 500;
const oldestPages = 20;

/**
 * The data keys of the accounts, one each, in the log itself: the stream `account_key-<account id>` holds the key,
 * wrapped by the installation's key ring. Without that stream the account's personal fields cannot be read again.
 */
export class Keys {
  private readonly kept: LRUCache<string, AccountKey>;
  private readonly fetching = new Map<string, Promise<AccountKey | undefined>>();
  private readonly making = new Map<string, Promise<AccountKey>>();

  constructor(
    private readonly ring: Pick<KeyRing, 'seal' | 'open'>,
    private readonly store: EventStore,
    limit = 20_000,
  ) {
    this.kept = new LRUCache({ max: limit, ttl: trustMs });
  }

  static fromRing(ring: KeyRing, store: EventStore): Keys {
    return new Keys(ring, store);
  }

  /** The key when it is at hand, without waiting. */
  atHand(accountId: string): AccountKey | undefined {
    return this.kept.get(accountId);
  }

  /** The key to read the account's events with. */
  async toOpen(accountId: string): Promise<AccountKey> {
    return this.atHand(accountId) ?? (await this.stored(accountId)) ?? 'gone';
  }

  /**
   * The key to write the account's events with; made at the first use. An account whose key was deleted gets no other.
   * Throws `SealBroken` when it has one that the ring does not open.
   */
  async toSeal(accountId: string): Promise<Buffer | 'gone'> {
    const key = this.atHand(accountId) ?? (await this.stored(accountId)) ?? (await this.made(accountId));
    if (key === 'broken') throw new SealBroken('The key of an account does not open with CARILLON_KEYS');
    return key;
  }

  /**
   * Whether the ring opens the oldest of the accounts' keys in the log. Where it does not, the log is another
   * installation's, or the ring has lost its oldest key.
   */
  async openOldest(): Promise<boolean> {
    let after: bigint | undefined;
    for (let pages = 0; pages < oldestPages; pages += 1) {
      const { events, last, end } = await this.store.readAll(after, oldestPage);
      const found = events.find(({ type, stream }) => type === created && stream.startsWith(category));
      if (found) return this.unwrapped(found) !== 'broken';
      if (end || last === undefined) return true;
      after = last;
    }
    // So many events without any key: there is nothing to compare.
    return true;
  }

  /** Makes the account's personal fields unreadable for ever, everywhere within minutes. */
  async shred(accountId: string): Promise<void> {
    await this.store.delete(streamOf(accountId));
    this.keep(accountId, 'gone');
  }

  /** The key was deleted, here or elsewhere: it is not taken from memory any more. */
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
      const [first] = await this.store.read(stream, undefined, 1);
      if (!first) return undefined;
      // Not the stream's very first event: one was deleted before it.
      if (first.type !== created || first.revision > 0n) return this.keep(accountId, 'gone');
      return this.keep(accountId, this.unwrapped(first));
    } catch (error) {
      if (error instanceof StreamDeleted) return this.keep(accountId, 'gone');
      throw error;
    }
  }

  private unwrapped({ data, stream }: RawEvent): AccountKey {
    const wrapped = isFields(data) ? data['wrapped'] : undefined;
    if (typeof wrapped !== 'string') return 'broken';
    try {
      return this.ring.open(wrapped, stream);
    } catch (error) {
      if (error instanceof SealBroken) return 'broken';
      throw error;
    }
  }

  private async create(accountId: string): Promise<AccountKey> {
    const stream = streamOf(accountId);
    const key = randomBytes(keyLength);
    // The id is random: with a derived one the store would take the key of a second process for a repetition of ours.
    const id = randomUUID();
    const metadata = { commandId: id, correlationId: id, accountId, actor: { process: 'event-store.keys' } };
    const data = { wrapped: this.ring.seal(key, stream) };
    try {
      const { revision } = await this.store.append(
        stream,
        [{ id, type: created, data, metadata }],
        'no_stream',
      );
      if (revision === 0n) return this.keep(accountId, key);
      await this.shred(accountId);
      return 'gone';
    } catch (error) {
      if (error instanceof StreamDeleted) return this.keep(accountId, 'gone');
      if (!(error instanceof WrongExpectedRevision)) throw error;
      return (await this.stored(accountId)) ?? 'gone';
    }
  }

  private keep(accountId: string, key: AccountKey): AccountKey {
    this.kept.set(accountId, key);
    return key;
  }
}

const streamOf = (accountId: string): string => `${category}${accountId}`;

/** The work that is under way for this account already, or a new one. */
function shared<T>(works: Map<string, Promise<T>>, accountId: string, start: () => Promise<T>): Promise<T> {
  let work = works.get(accountId);
  if (!work) {
    work = start().finally(() => works.delete(accountId));
    works.set(accountId, work);
  }
  return work;
}
