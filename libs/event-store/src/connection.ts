import { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from './event-store';
import { failureOf, Unreached } from './failures';
import { TookTooLong, within } from './within';

/**
 * The client has a queue of its own behind 16 unwritten messages. When the connection dies while something stands in
 * it, an unhandled rejection ends the process: we never let it fill.
 */
const appendsInFlight = 15;
/** An append that the client never settles gives its place back after this; its connection is long gone by then. */
const lostMs = 60_000;

interface Registry {
  connection?: Connection | undefined;
  /** The end of the last client; the next one starts after it. */
  closing: Promise<void>;
}

function processRegistry(): Registry {
  const key = Symbol.for('carillon.event-store.client');
  const holder = globalThis as { [key]?: Registry };
  return (holder[key] ??= { closing: Promise.resolve() });
}

/** Parts of the client that are not in its types. */
interface ClientInternals {
  readonly capabilities: Promise<unknown>;
  getChannel(): Promise<{ close(): void }>;
  dispose(): Promise<void>;
}

/** A client, and which of all it is. */
export interface Current {
  readonly client: EventStoreDBClient;
  readonly generation: number;
}

/** What is known of one append while it is tried. */
export interface Sending {
  /** How long it may still take. */
  readonly leftMs: number;
  /** Nobody waits for it any more. */
  readonly over: boolean;
  /** The client that it was begun with. */
  generation: number;
  /** Something of it may have reached the store. */
  sent: boolean;
}

/** The client of this process, and a new one after it lost its server. */
export class Connection {
  private users = 0;
  /** Counts the clients: what began with one and ended with another was interrupted. */
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
   * One client per process: the client keeps the pending appends of all its instances in one table, and an answer after
   * a second one lost its server ends the process. A second taker of the same url shares the first.
   */
  static take(url: string): Connection {
    const registry = processRegistry();
    if (registry.connection && registry.connection.url !== url)
      throw new Error('This process already has another event store open: one appending client per process');
    const connection = (registry.connection ??= new Connection(url, registry.closing));
    connection.users += 1;
    return connection;
  }

  /** Both at one moment: it may be replaced before whoever asked goes on, and is not its successor then. */
  async current(): Promise<Current> {
    for (let seen; seen !== this.changing;) await (seen = this.changing);
    if (this.closed) throw new StoreUnavailable('The event store was closed');
    this.client ??= EventStoreDBClient.connectionString(this.url);
    return { client: this.client, generation: this.generation };
  }

  /**
   * Starts over with a new client, once the old one has ended completely. A client that only reconnects may keep an old
   * stream of appends beside the new one, and the end of one breaks the other.
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
   * Sends an append when there is capacity for it and the server is there. One that is not wanted any more by then is never
   * sent. Its place is taken until the client lets go of it.
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
    // The client asks this by itself before its first append. Asked here, so that who meets no server has sent nothing.
    await (client as unknown as ClientInternals).capabilities.catch((error: unknown) => {
      // The client keeps a failed answer for ever.
      throw failureOf(error) === 'refused' ? error : new Unreached(error);
    });
    if (sending.over) throw new TookTooLong();
    sending.sent = true;
    return append(client);
  }

  /** Takes a place among the appends in flight; gives what lets go of it. */
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
