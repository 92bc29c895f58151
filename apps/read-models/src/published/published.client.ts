import { natsOptions } from '@carillon/bus';
import { cloudEventsMediaType, publishedStream, publishedSubjects } from '@carillon/contracts';
import { eventsLimits } from '@carillon/runtime';
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  PubHeaders,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { connect, headers, millis, nanos, type NatsConnection } from '@nats-io/transport-node';
import { Injectable } from '@nestjs/common';
import type { Outgoing } from './published';

const dayMs = 24 * 3_600_000;
/**
 * Repeats are kept out by expected sequences, not by the server's window, in which it holds every id in memory: for a
 * million events it takes ten times what all else takes.
 */
const duplicateWindowMs = 1_000;
const requestMs = 5_000;
const wrongLastSequence = JetStreamApiCodes.StreamWrongLastSequence;

/** The present state of the stream. */
export interface StreamState {
  /** When the stream was created. A stream that was lost and created again is another one. */
  readonly incarnation: string;
  readonly lastSequence: number;
  /** How long it keeps events, and how many bytes of them. */
  readonly keepsMs: number;
  readonly keepsBytes: number;
}

/** The stream has another last message than the publisher expects. */
export class OtherSequence extends Error {
  override readonly name = 'OtherSequence';
}

export class NoJetStream extends Error {
  override readonly name = 'NoJetStream';
}

class Disturbed extends Error {
  override readonly name = 'Disturbed';
}

/** Writes to the JetStream stream of published events, and creates it when it is missing. */
@Injectable()
export class PublishedClient {
  private connecting: Promise<NatsConnection> | undefined;
  private disturbance = new AbortController();
  private away = false;
  private closed = false;
  private readonly wanted = streamLimits();
  /** Why the server keeps the limits of an existing stream as they are; undefined when it has those of the settings. */
  refusal: Error | undefined;

  /** Aborted when the server went away or came back: then the stream may be another. */
  get disturbed(): AbortSignal {
    if (this.disturbance.signal.aborted && !this.closed) this.disturbance = new AbortController();
    return this.disturbance.signal;
  }

  /** The stream, made when it is missing, with the limits of the settings. */
  open(): Promise<StreamState> {
    return this.atOnce(() => this.findOrAdd());
  }

  /** As `open`, but throws when there is no stream. */
  state(): Promise<StreamState> {
    return this.atOnce(async () => stateOf(await (await this.jetStream()).streams.info(publishedStream)));
  }

  /**
   * Appends the messages to the stream if `after` is its last sequence. Resolves when it has them all; throws when that
   * is not sure of each. The stream then has none after one that it does not have.
   */
  async publish(messages: readonly Outgoing[], after: number): Promise<void> {
    if (messages.length > 0) await this.atOnce(() => this.store(messages, after));
  }

  /** The position in the log of the event in this message; undefined when it is gone or no event of Carillon. */
  positionAt(sequence: number): Promise<bigint | undefined> {
    return this.atOnce(async () => {
      const { streams } = await this.jetStream();
      const message = await streams.getMessage(publishedStream, { seq: sequence });
      return message ? positionIn(message.string()) : undefined;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.disturbance.abort();
    const connection = await this.connecting?.catch(() => undefined);
    await connection?.close();
  }

  private async findOrAdd(): Promise<StreamState> {
    const { streams } = await this.jetStream(true);
    let found: StreamInfo;
    try {
      found = await streams.info(publishedStream);
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound))
        throw error;
      this.refusal = undefined;
      return stateOf(
        await streams.add({
          name: publishedStream,
          description: 'Events of Carillon, refilled from its log when lost',
          subjects: [publishedSubjects],
          storage: StorageType.File,
          retention: RetentionPolicy.Limits,
          ...this.wanted,
        }),
      );
    }
    const { config } = found;
    const differs = (Object.keys(this.wanted) as (keyof typeof this.wanted)[]).some(
      (limit) => config[limit] !== this.wanted[limit],
    );
    try {
      if (differs) found = await streams.update(publishedStream, this.wanted);
      this.refusal = undefined;
    } catch (error) {
      if (!(error instanceof JetStreamApiError)) throw error;
      this.refusal = error;
    }
    return stateOf(found);
  }

  private async store(messages: readonly Outgoing[], after: number): Promise<void> {
    const connection = await this.connection();
    const jetStream = (await this.jetStream()).jetstream();
    const last = messages.length - 1;
    const outcomes = await Promise.allSettled(
      messages.map(async ({ id, subject, about, body }, index) => {
        const said = headers();
        said.set('content-type', cloudEventsMediaType);
        said.set('ce-subject', about);
        said.set(PubHeaders.MsgIdHdr, id);
        said.set(PubHeaders.ExpectedStreamHdr, publishedStream);
        said.set(PubHeaders.ExpectedLastSeqHdr, String(after + index));
        // The last one is stored only when all others were. The first one tells why they were not.
        if (index === 0 || index === last)
          await jetStream.publish(subject, body, { headers: said, timeout: requestMs });
        else connection.publish(subject, body, { headers: said });
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failed) return;
    if (failed.reason instanceof JetStreamApiError && failed.reason.code === wrongLastSequence)
      throw new OtherSequence('The stream has other messages than expected', { cause: failed.reason });
    throw failed.reason;
  }

  /** Does the work, but does not wait for answers that were lost when the server went away. */
  private async atOnce<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.disturbance;
    if (this.away) throw new Disturbed('The NATS server is away');
    let interrupt = (): void => {};
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = () => reject(new Disturbed('The connection to the NATS server was interrupted'));
      signal.addEventListener('abort', interrupt, { once: true });
      if (signal.aborted) interrupt();
    });
    try {
      return await Promise.race([work(), interrupted]);
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  private async jetStream(checkAPI = false): Promise<JetStreamManager> {
    const connection = await this.connection();
    try {
      return await jetstreamManager(connection, { checkAPI, timeout: requestMs });
    } catch (error) {
      if ((error as Error).name === 'JetStreamNotEnabled')
        throw new NoJetStream('The NATS server has no JetStream', { cause: error });
      throw error;
    }
  }

  private connection(): Promise<NatsConnection> {
    if (this.closed) return Promise.reject(new Error('The connection was closed'));
    this.connecting ??= this.connect();
    return this.connecting;
  }

  private async connect(): Promise<NatsConnection> {
    try {
      const connection = await connect(natsOptions('carillon published events'));
      void this.watch(connection);
      return connection;
    } catch (error) {
      this.connecting = undefined;
      throw error;
    }
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.away = type === 'disconnect';
      this.disturbance.abort();
    }
  }
}

/** From the settings. What is full loses its oldest events: a reader that is late finds a gap, the others find none. */
function streamLimits(): Pick<
  StreamConfig,
  'discard' | 'duplicate_window' | 'max_age' | 'max_bytes' | 'num_replicas'
> {
  const { days, mebibytes, replicas } = eventsLimits();
  return {
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(duplicateWindowMs),
    max_age: nanos(days * dayMs),
    max_bytes: mebibytes * 2 ** 20,
    num_replicas: replicas,
  };
}

const stateOf = ({ created, state, config }: StreamInfo): StreamState => ({
  incarnation: created,
  lastSequence: state.last_seq,
  keepsMs: config.max_age > 0 ? millis(config.max_age) : Infinity,
  keepsBytes: config.max_bytes > 0 ? config.max_bytes : Infinity,
});

function positionIn(body: string): bigint | undefined {
  try {
    const { position } = JSON.parse(body) as { position?: unknown };
    return typeof position === 'string' && /^\d{1,20}$/.test(position) ? BigInt(position) : undefined;
  } catch {
    return undefined;
  }
}
