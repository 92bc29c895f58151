import { setTimeout as sleep } from 'node:timers/promises';
import { publishedStream } from '@carillon/contracts';
import { Database, Feed, Locks, UnknownEvent } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { type Logger, LOGGER } from '@carillon/runtime';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { mayPublish, type Outgoing, publicationOf } from './published';
import { NoJetStream, PublishedClient, type StreamState } from './published.client';

const batchSize = 500;
/** How often a passive replica tries to become the active one. */
const takeoverMs = 1_000;
/**
 * How often the stream is checked and the position stored. After a crash, events since the last check are published
 * again: the stream deduplicates for two minutes.
 */
const checkMs = 5_000;
/** Events within this time are published together, so that a busy log does not cost a round trip for each event. */
const debounceMs = 100;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;
/** Timeout of a running publish when the service stops. */
const lastMs = 1_000;

/** The log position that has been published, and the stream. */
interface Mark {
  readonly incarnation: string;
  readonly position: bigint;
  /** The newest message that the stream has acknowledged; one that knows less has lost some. */
  readonly lastSequence: number;
}

/**
 * Publishes the log's events to JetStream, in one replica at a time. An event counts as published when the stream has
 * acknowledged it and was still the same stream afterwards. A new stream, or one that has lost messages, is filled
 * again from the start of the log, as far back as the stream keeps events (ADR 10).
 */
@Injectable()
export class PublishedProcess implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly locks: Locks;
  private running: Promise<void> | undefined;
  private unwant = (): void => {};
  private backoffMs = firstBackoffMs;
  /** The newest message that a stream has acknowledged to this process. */
  private acknowledged = { incarnation: '', sequence: 0 };
  private troubled = false;
  private failed = false;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Feed) private readonly feed: Feed,
    @Inject(PublishedClient) private readonly stream: PublishedClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.locks = new Locks(database);
  }

  onApplicationBootstrap(): void {
    if (this.running) return;
    this.unwant = this.feed.want((_category, type) => mayPublish(type));
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.race([this.running, sleep(lastMs, undefined, { ref: false })]);
    await this.stream.close();
    await this.running;
    this.unwant();
    await this.locks.close();
  }

  private async run(): Promise<void> {
    const lock = `published events ${this.database.schema}`;
    const stopping = this.stopping.signal;
    while (!stopping.aborted && !this.failed) {
      try {
        const held = await this.locks.take(lock);
        if (held) await this.work(AbortSignal.any([held.signal, stopping]));
      } catch (error) {
        if (!stopping.aborted) this.complain(error);
      }
      await this.locks.release(lock).catch(() => {});
      await this.pause(takeoverMs, stopping);
    }
  }

  /** Publishes until the lock is lost. */
  private async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.failed) {
      try {
        await this.follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof UnknownEvent) {
          this.failed = true;
          this.logger.error(
            { type: error.event.type, stream: error.event.stream },
            'An event type is neither published nor listed as unpublished: publishing stopped',
          );
          return;
        }
        this.complain(error);
        await this.pause(this.backoffMs, signal);
        this.backoffMs = Math.min(this.backoffMs * 2, maxBackoffMs);
      }
    }
  }

  /** Publishes until the stream may have been replaced. */
  private async follow(signal: AbortSignal): Promise<void> {
    const { disturbed } = this.stream;
    const undisturbed = AbortSignal.any([signal, disturbed]);
    const found = await this.stream.open();
    let mark = await this.markFor(found);
    let { position, lastSequence } = mark;
    let lookedAt = performance.now();
    /** False when the stream is no longer the same. */
    const look = async (isOdd: boolean): Promise<boolean> => {
      const now = await this.stream.state();
      // The acks came before this check: when the stream is the same, it has all their messages.
      if (now.incarnation !== mark.incarnation) return false;
      if (isOdd || now.lastSequence < lastSequence) {
        await this.startOver(mark, now, 'The stream of published events has lost messages');
        return false;
      }
      mark = await this.move(mark, { incarnation: mark.incarnation, position, lastSequence });
      lookedAt = performance.now();
      return true;
    };
    while (!undisturbed.aborted) {
      const waitMs = Math.max(0, lookedAt + checkMs - performance.now());
      const page = await this.feed.next(position, batchSize, { signal: undisturbed, waitMs });
      if (this.feed.closed) return void (await this.pause(takeoverMs, signal));
      if (undisturbed.aborted) break;
      const messages = this.outgoing(page.events, found.keepsMs);
      const stored = await this.stream.publish(messages);
      position = page.position;
      const fresh = stored.filter(({ repeated }) => !repeated).map(({ sequence }) => sequence);
      // Sequence numbers only grow: a stream that reuses one is another, or has lost messages.
      const isOdd = Math.min(...fresh) <= lastSequence;
      if (!isOdd) lastSequence = Math.max(lastSequence, ...stored.map(({ sequence }) => sequence));
      this.acknowledged = { incarnation: mark.incarnation, sequence: lastSequence };
      if ((isOdd || performance.now() - lookedAt >= checkMs) && !(await look(isOdd))) return;
      this.relax();
      if (messages.length > 0 && messages.length < batchSize) await this.pause(debounceMs, undisturbed);
    }
    // Stored so that the next active replica repeats nothing.
    if (!disturbed.aborted && position > mark.position) await look(false);
  }

  /** The messages for these events, without events that the stream would drop for their age. */
  private outgoing(events: readonly Recorded[], keepsMs: number | undefined): Outgoing[] {
    const oldest = keepsMs === undefined ? -Infinity : Date.now() - keepsMs;
    return events.flatMap((recorded) => {
      const { id, type, stream, at } = recorded;
      const publication = publicationOf(recorded);
      if ('unknown' in publication) throw new UnknownEvent('published', recorded);
      if ('skip' in publication) {
        if (publication.skip === 'unaddressable')
          this.logger.error({ event: id, type, stream }, 'An event has no id to publish it under: skipped');
        return [];
      }
      const { publish, unfit } = publication;
      if (unfit.length > 0)
        this.logger.error(
          { event: id, type, stream, unfit },
          'Published an event without fields that are too large or not valid',
        );
      return millis(at) < oldest ? [] : [publish];
    });
  }

  /** The position to continue from in this stream. */
  private async markFor(stream: StreamState): Promise<Mark> {
    await this.database.query(
      `INSERT INTO published_streams (name, incarnation, position, last_sequence) VALUES ($1, $2, 0, 0)
       ON CONFLICT (name) DO NOTHING`,
      [publishedStream, stream.incarnation],
    );
    const [row] = await this.database.query<{
      incarnation: string;
      position: string;
      last_sequence: string;
    }>(`SELECT incarnation, position, last_sequence FROM published_streams WHERE name = $1`, [
      publishedStream,
    ]);
    const mark: Mark = {
      incarnation: row!.incarnation,
      position: BigInt(row!.position),
      lastSequence: Number(row!.last_sequence),
    };
    if (mark.incarnation !== stream.incarnation)
      return this.startOver(mark, stream, 'The stream of published events is a new one');
    const { incarnation, sequence } = this.acknowledged;
    const acknowledged = incarnation === mark.incarnation ? sequence : 0;
    if (stream.lastSequence < Math.max(mark.lastSequence, acknowledged))
      return this.startOver(mark, stream, 'The stream of published events has lost messages');
    return mark;
  }

  private async startOver(mark: Mark, { incarnation }: StreamState, why: string): Promise<Mark> {
    const begin = await this.move(mark, { incarnation, position: 0n, lastSequence: 0 });
    this.acknowledged = { incarnation, sequence: 0 };
    this.logger.warn({ incarnation }, `${why}: filling it from the log`);
    return begin;
  }

  private async move(from: Mark, to: Mark): Promise<Mark> {
    if (from.incarnation === to.incarnation && from.position === to.position) return to;
    const moved = await this.database.query(
      `UPDATE published_streams SET incarnation = $5, position = $6, last_sequence = $7, updated_at = now()
       WHERE name = $1 AND incarnation = $2 AND position = $3 AND last_sequence = $4 RETURNING name`,
      [
        publishedStream,
        from.incarnation,
        String(from.position),
        from.lastSequence,
        to.incarnation,
        String(to.position),
        to.lastSequence,
      ],
    );
    if (moved.length === 0) throw new Error('Another replica publishes the events');
    return to;
  }

  /** Logs once for all failures until publishing works again. */
  private complain(error: unknown): void {
    if (this.troubled) return;
    this.troubled = true;
    this.logger.warn(
      { err: error },
      error instanceof NoJetStream
        ? 'NATS has no JetStream: publishing waits for it'
        : 'Failed to publish events: trying again',
    );
  }

  private relax(): void {
    this.backoffMs = firstBackoffMs;
    if (!this.troubled) return;
    this.troubled = false;
    this.logger.info({}, 'Publishing events resumed');
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
