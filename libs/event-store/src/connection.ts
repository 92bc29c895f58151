import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import type { Acknowledged, AppendRequest } from './batch-append';
import { StoreUnavailable } from './event-store';
import { failureOf, Interrupted, Unreached } from './failures';
import { StoreSession } from './session';
import { Slots } from './slots';
import { TookTooLong, within } from './within';
import { type Awaited, Writer } from './writer';

/** What sends the appends: our writer, or the official client, a call for each. */
export type WriterKind = 'own' | 'official';

/** How many appends may be under way. Servers let a connection have 100 calls at once. */
const appendsInFlight: Readonly<Record<WriterKind, number>> = { own: 500, official: 64 };

/** How many streams may be read at once: with thousands Node ends the connection. */
const readsInFlight = 64;

const utf8 = new TextEncoder();

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
  getChannel(): Promise<{ close(): void; getTarget(): string }>;
  dispose(): Promise<void>;
}

/** A client and its number. */
export interface Current {
  readonly client: EventStoreDBClient;
  readonly generation: number;
}

/** The state of one append during its attempts. */
export interface Sending extends Awaited {
  /** The time left until its timeout. */
  readonly leftMs: number;
  /** The number of the client that the attempt began with. */
  generation: number;
}

/** The client of this process, its writer and its reader; replaced together after one of them lost its server. */
export class Connection {
  private users = 0;
  /** Counts the clients: a call that began with one and ended with another was interrupted. */
  generation = 0;
  private closed = false;
  private client: EventStoreDBClient | undefined;
  private writer: Writer | undefined;
  private reading: StoreSession | undefined;
  private readonly appending: Slots;
  private readonly streamReads = new Slots(readsInFlight);

  private constructor(
    private readonly url: string,
    private readonly kind: WriterKind,
    private changing: Promise<void>,
  ) {
    this.appending = new Slots(appendsInFlight[kind]);
  }

  /** One client and one writer per process: further calls with the same URL share them. */
  static take(url: string, kind: WriterKind): Connection {
    const registry = processRegistry();
    const { connection: taken } = registry;
    if (taken && (taken.url !== url || taken.kind !== kind))
      throw new Error('This process already has another event store open: one appending client per process');
    const connection = (registry.connection ??= new Connection(url, kind, registry.closing));
    connection.users += 1;
    return connection;
  }

  /** The client and its number, read together: the client may be replaced before the caller continues. */
  async current(): Promise<Current> {
    for (let seen; seen !== this.changing;) await (seen = this.changing);
    if (this.closed) throw new StoreUnavailable('The event store was closed');
    this.client ??= this.connect();
    return { client: this.client, generation: this.generation };
  }

  /** A client for a subscription alone, at a node that follows the leader, if there is one. Its user ends it. */
  follower(): EventStoreDBClient {
    return EventStoreDBClient.connectionString(atFollower(this.url));
  }

  /** Reads a stream when a slot is free. */
  async whenReadable<T>(withinMs: number, read: () => Promise<T>): Promise<T> {
    const leave = await this.streamReads.enter(withinMs);
    try {
      return await read();
    } finally {
      leave();
    }
  }

  /** Our connection to the node of the client of this process, which its subscriptions and reads share. */
  async readerSession(client: EventStoreDBClient): Promise<StoreSession> {
    if (client === this.client && this.reading?.isOpen) return this.reading;
    const node = await nodeOf(client);
    if (client !== this.client) throw new Interrupted();
    if (!this.reading?.isOpen) this.reading = new StoreSession(this.url, node);
    return this.reading;
  }

  /** A connection to the node of another client. Its user closes it. */
  async sessionAt(client: EventStoreDBClient): Promise<StoreSession> {
    return new StoreSession(this.url, await nodeOf(client));
  }

  private connect(): EventStoreDBClient {
    const client = EventStoreDBClient.connectionString(this.url);
    // Its BatchAppend keeps the appends of all clients in one table, and may end the process when a connection is lost.
    return Object.assign(client, { supports: async () => false });
  }

  /** Replaces the client, the writer and the reader, once the old client has ended completely. */
  replace(generation: number): void {
    if (generation !== this.generation) return;
    this.generation += 1;
    const old = this.client;
    this.client = undefined;
    this.writer?.close();
    this.writer = undefined;
    this.reading?.close();
    this.reading = undefined;
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
   * sent. The append holds its slot until it is settled.
   */
  async send(sending: Sending, request: AppendRequest): Promise<Acknowledged> {
    const leave = await this.appending.enter(sending.leftMs);
    return within(sending.leftMs, this.sendNow(sending, request).finally(leave));
  }

  private async sendNow(sending: Sending, request: AppendRequest): Promise<Acknowledged> {
    const { client, generation } = await this.current();
    sending.generation = generation;
    const writer = this.kind === 'own' && (this.writer?.isOpen ? this.writer : await this.openWriter(client));
    if (writer) return writer.append(request, sending);
    await reached(client);
    if (sending.over) throw new TookTooLong();
    sending.sent = true;
    return appendWith(client, request, sending.leftMs);
  }

  /** A writer to the node that the client found, which in a cluster is the leader. */
  private async openWriter(client: EventStoreDBClient): Promise<Writer> {
    await reached(client);
    const node = await nodeOf(client);
    if (client !== this.client) throw new Interrupted();
    if (!this.writer?.isOpen) this.writer = new Writer(this.url, node);
    return this.writer;
  }
}

const internalsOf = (client: EventStoreDBClient): ClientInternals => client as unknown as ClientInternals;

/** The host and port of the node that a client has found. */
async function nodeOf(client: EventStoreDBClient): Promise<string> {
  const channel = await internalsOf(client).getChannel();
  const [, host, port] = channel.getTarget().split(':');
  return `${host}:${port}`;
}

/** Asks the server once for what it supports, so that without a server nothing counts as sent. */
async function reached(client: EventStoreDBClient): Promise<void> {
  await internalsOf(client).capabilities.catch((error: unknown) => {
    // The client caches a failed answer for ever.
    throw failureOf(error) === 'refused' ? error : new Unreached(error);
  });
}

async function appendWith(
  client: EventStoreDBClient,
  { stream, events, expected }: AppendRequest,
  deadline: number,
): Promise<Acknowledged> {
  const proposed = events.map(({ id, type, data, metadata }) =>
    jsonEvent({
      id,
      type,
      data: data as Record<string, unknown>,
      // As bytes: the client would convert a text to base64 and back.
      metadata: utf8.encode(JSON.stringify(metadata)),
    }),
  );
  const answer = await client.appendToStream(stream, proposed, { expectedRevision: expected, deadline });
  return { revision: answer.nextExpectedRevision, position: answer.position?.commit };
}

/** The connection string for a node that follows the leader. */
export const atFollower = (url: string): string => {
  const path = /^esdb(\+discover)?:\/\/[^/?]*\/?/.exec(url)?.[0] ?? url;
  const query = url.slice(path.length + 1);
  const kept = query.split('&').filter((pair) => pair !== '' && !/^nodePreference=/i.test(pair));
  return `${path}?${[...kept, 'nodePreference=follower'].join('&')}`;
};

/** Ends a client and its connections. */
export async function end(client: EventStoreDBClient): Promise<void> {
  const internals = internalsOf(client);
  await within(2_000, internals.dispose()).catch(() => {});
  await internals.getChannel().then(
    (channel) => channel.close(),
    () => {},
  );
}
