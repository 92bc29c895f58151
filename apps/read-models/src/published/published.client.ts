import { natsOptions } from '@carillon/bus';
import { cloudEventsMediaType, publishedStream, publishedSubjects } from '@carillon/contracts';
import { numberSetting } from '@carillon/runtime';
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import { connect, headers, millis, nanos, type NatsConnection } from '@nats-io/transport-node';
import { Injectable } from '@nestjs/common';
import type { Outgoing } from './published';

const dayMs = 24 * 3_600_000;
const duplicateWindowMs = 2 * 60_000;
const requestMs = 5_000;

/** The present state of the stream. */
export interface StreamState {
  /** When the stream was created. A stream that was lost and created again is another one. */
  readonly incarnation: string;
  readonly lastSequence: number;
  /** How long it keeps events; undefined when for ever. */
  readonly keepsMs: number | undefined;
}

/** The position of a message in the stream; `repeated` when the stream had it already. */
export interface Stored {
  readonly sequence: number;
  readonly repeated: boolean;
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

  /** Aborted when the server went away or came back: then the stream may be another. */
  get disturbed(): AbortSignal {
    if (this.disturbance.signal.aborted && !this.closed) this.disturbance = new AbortController();
    return this.disturbance.signal;
  }

  /** The stream, made when it is missing. One that exists keeps the limits it has. */
  open(): Promise<StreamState> {
    return this.atOnce(() => this.findOrAdd());
  }

  /** As `open`, but throws when there is no stream. */
  state(): Promise<StreamState> {
    return this.atOnce(async () => stateOf(await (await this.jetStream()).streams.info(publishedStream)));
  }

  /** Resolves when the stream has them all; throws when that is not sure of each. */
  async publish(messages: readonly Outgoing[]): Promise<Stored[]> {
    return messages.length === 0 ? [] : this.atOnce(() => this.store(messages));
  }

  async close(): Promise<void> {
    this.closed = true;
    this.disturbance.abort();
    const connection = await this.connecting?.catch(() => undefined);
    await connection?.close();
  }

  private async findOrAdd(): Promise<StreamState> {
    const { streams } = await this.jetStream(true);
    try {
      return stateOf(await streams.info(publishedStream));
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound))
        throw error;
    }
    return stateOf(
      await streams.add({
        name: publishedStream,
        description: 'Events of Carillon, refilled from its log when lost',
        subjects: [publishedSubjects],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        num_replicas: numberSetting('CARILLON_EVENTS_REPLICAS', 1),
        max_age: nanos(numberSetting('CARILLON_EVENTS_DAYS', 30) * dayMs),
        duplicate_window: nanos(duplicateWindowMs),
      }),
    );
  }

  private async store(messages: readonly Outgoing[]): Promise<Stored[]> {
    const jetStream = (await this.jetStream()).jetstream();
    const outcomes = await Promise.allSettled(
      messages.map(async ({ id, subject, about, body }) => {
        const said = headers();
        said.set('content-type', cloudEventsMediaType);
        said.set('ce-subject', about);
        const { seq, duplicate } = await jetStream.publish(subject, body, {
          msgID: id,
          headers: said,
          timeout: requestMs,
          expect: { streamName: publishedStream },
        });
        return { sequence: seq, repeated: duplicate };
      }),
    );
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
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

const stateOf = ({ created, state, config }: StreamInfo): StreamState => ({
  incarnation: created,
  lastSequence: state.last_seq,
  keepsMs: config.max_age > 0 ? millis(config.max_age) : undefined,
});
