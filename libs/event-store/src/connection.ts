import { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from './event-store';
import { failureOf, Unreached } from './failures';
import { TookTooLong, within } from './within';

/**
 * The client queues appends behind 16 unwritten messages. When the connection dies while this queue is not empty, an
 * unhandled rejection ends the process, so the queue must never fill.
 */
const appendsInFlight = 15;
/** An append that the client never settles releases its slot after this time; its connection is long gone by then. */
const lostMs = 60_000;

interface Registry {
  connection?: Connection | undefined;
  /** Resolves when the last client has ended; the next one starts after it. */
  closing: Promise<void>;
}

function processRegistry(): Registry {
  const key = Symbol.for('carillon.event-store.client');
  const holder = globalThis as { [key]?: Registry };
  return (holder[key] ??= { closing: Promise.resolve() });
}

/** Members of the client that are not in its types. */
interface ClientInternals {
  readonly capabilities: Promise<unknown>;
  getChannel(): Promise<{ close(): void }>;
  dispose(): Promise<void>;
}

/** A client and its number. */
export interface Current {
  readonly client: EventStoreDBClient;
  readonly generation: number;
}

/** The state of one append during its attempts. */
export interface Sending {
  /** The time left until its timeout. */
  readonly leftMs: number;
  /** The caller no longer waits for it. */
  readonly over: boolean;
  /** The number of the client that the attempt began with. */
  generation: number;
  /** The request may have reached the store. */
  sent: boolean;
}

/** The client of this process; replaced after it lost its server. */
export class Connection {
  private users = 0;
  /** Counts the clients: a call that began with one and ended with another was interrupted. */
  generation = 0;
  private closed = false;
  private client: EventStoreDBClient | undefined;
  private inFlight = 0;
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly url: string,
    private changing: Promise<void>,
  ) {}

  /**
   * One client per process: the client library keeps the pending appends of all instances in one table, and an answer
   * after a second instance lost its server ends the process. Further calls with the same URL share the first client.
   */
  static take(url: string): Connection {
    const registry = processRegistry();
    if (registry.connection && registry.connection.url !== url)
      throw new Error('This process already has another event store open: one appending client per process');
    const connection = (registry.connection ??= new Connection(url, registry.closing));
    connection.users += 1;
    return connection;
  }

  /** The client and its number, read together: the client may be replaced before the caller continues. */
  async current(): Promise<Current> {
    for (let seen; seen !== this.changing;) await (seen = this.changing);
    if (this.closed) throw new StoreUnavailable('The event store was closed');
    this.client ??= EventStoreDBClient.connectionString(this.url);
    return { client: this.client, generation: this.generation };
  }

  /**
   * Replaces the client once the old one has ended completely. A client that only reconnects may keep an old append
   * stream beside the new one, and the end of one breaks the other.
   */
  replace(generation: number): void {
    if (generation !== this.generation) return;
    this.generation += 1;
    const old = this.client;
    this.client = undefined;
    if (old) this.changing = this.changing.then(() => end(old));
  }

  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    this.closed = true;
    this.replace(this.generation);
    const registry = processRegistry();
    if (registry.connection === this) {
      registry.connection = undefined;
      registry.closing = this.changing;
    }
    await this.changing;
  }

  /**
   * Sends an append when a slot is free and the server is reachable. An append that timed out before that is never
   * sent. The append holds its slot until the client settles it.
   */
  async send<T>(sending: Sending, append: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    const leave = await this.enter(sending.leftMs);
    const lost = setTimeout(leave, lostMs);
    lost.unref();
    const working = this.sendNow(sending, append).finally(() => {
      clearTimeout(lost);
      leave();
    });
    return within(sending.leftMs, working);
  }

  private async sendNow<T>(sending: Sending, append: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    const { client, generation } = await this.current();
    sending.generation = generation;
    // The client does this before its first append. Done here, so that without a server nothing counts as sent.
    await (client as unknown as ClientInternals).capabilities.catch((error: unknown) => {
      // The client caches a failed answer for ever.
      throw failureOf(error) === 'refused' ? error : new Unreached(error);
    });
    if (sending.over) throw new TookTooLong();
    sending.sent = true;
    return append(client);
  }

  /** Takes a slot for an append in flight; returns the function that releases it. */
  private async enter(ms: number): Promise<() => void> {
    if (this.inFlight < appendsInFlight) this.inFlight += 1;
    else
      await new Promise<void>((resolve, reject) => {
        const turn = (): void => {
          clearTimeout(timer);
          this.waiting.delete(turn);
          resolve();
        };
        const timer = setTimeout(() => {
          this.waiting.delete(turn);
          reject(new TookTooLong());
        }, ms);
        this.waiting.add(turn);
      });
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = this.waiting;
      if (next) next();
      else this.inFlight -= 1;
    };
  }
}

async function end(client: EventStoreDBClient): Promise<void> {
  const internals = client as unknown as ClientInternals;
  await within(2_000, internals.dispose()).catch(() => {});
  await internals.getChannel().then(
    (channel) => channel.close(),
    () => {},
  );
}
