import { setTimeout as sleep } from 'node:timers/promises';
import { publishedEvents, publishedStream } from '@carillon/contracts';
import { Database, Feed, type Lease, Leases, UnknownEvent } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { atEachLook, publishedLagSeconds } from '@carillon/metrics';
import { type Logger, LOGGER } from '@carillon/runtime';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { isKnown, mayPublish, type Outgoing, publicationOf } from './published';
import { NoJetStream, OtherSequence, PublishedClient, type StreamState } from './published.client';

const leaseName = 'published events';
const batchSize = 500;
/** How often a passive replica tries to become the active one. */
const takeoverMs = 1_000;
/** How often the stream is checked and the position stored. */
const checkMs = 5_000;
/** Events within this time are published together, so that a busy log does not cost a round trip for each event. */
const debounceMs = 100;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;
/** Timeout of a running publish when the service stops. */
const lastMs = 1_000;

/** Fewer bytes than any message takes in the stream. */
const leastBytes = 400;

/** The log position that has been published, and the stream. */
interface Mark {
  readonly incarnation: string;
  readonly position: bigint;
  /** The newest message that the stream has acknowledged; one that knows less has lost some. */
  readonly lastSequence: number;
}

/**
 * Publishes the log's events to JetStream in their order, in one replica at a time: each message names the sequence
 * that it follows, so that the newest message of the stream says which events it has. A stream that is new is filled
 * from the log, as far back as it keeps events; one that has lost messages, from the newest that it still has (ADR 10).
 */
@Injectable()
export class PublishedProcess implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly leases: Leases;
  private running: Promise<void> | undefined;
  private unwant = (): void => {};
  private backoffMs = firstBackoffMs;
  /** The newest message that a stream has acknowledged to this process. */
  private acknowledged = { incarnation: '', sequence: 0 };
  private troubled = false;
  private isActive = false;
  private failed = false;
  private refusal = '';
  /** Published up to here by this process; undefined while another one publishes. */
  private published: bigint | undefined;
  private stopMeasuring = (): void => {};

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Feed) private readonly feed: Feed,
    @Inject(PublishedClient) private readonly stream: PublishedClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.leases = Leases.of(database);
  }

  onApplicationBootstrap(): void {
    if (this.running) return;
    this.unwant = this.feed.want((_category, type) => mayPublish(type), { reads: () => this.isActive });
    this.running = this.run();
    this.stopMeasuring = atEachLook(async () =>
      publishedLagSeconds.inc({ service: 'read-models' }, await this.lagSeconds()),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.stopMeasuring();
    await Promise.race([this.running, sleep(lastMs, undefined, { ref: false })]);
    await this.stream.close();
    await this.running;
    this.unwant();
  }

  private async run(): Promise<void> {
    const stopping = this.stopping.signal;
    while (!stopping.aborted && !this.failed) {
      try {
        const lease = await this.leases.take(leaseName, () => this.feed.hears);
        if (lease) {
          this.isActive = true;
          this.feed.reread();
          await this.work(lease, AbortSignal.any([lease.signal, stopping]));
        }
      } catch (error) {
        if (!stopping.aborted) this.complain(error);
      }
      this.isActive = false;
      this.published = undefined;
      await this.leases.release(leaseName).catch(() => {});
      await this.pause(takeoverMs, stopping);
    }
  }

  /** Publishes until the lease is over. */
  private async work(lease: Lease, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.failed) {
      try {
        await this.follow(lease, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof UnknownEvent) {
          this.failed = true;
          this.logger.error(
            { type: error.event.type, stream: error.event.stream },
            'An event type is unknown: publishing stops before it until a release that knows it starts',
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
  private async follow(lease: Lease, signal: AbortSignal): Promise<void> {
    const { disturbed } = this.stream;
    const undisturbed = AbortSignal.any([signal, disturbed]);
    const found = await this.stream.open();
    this.tellRefusal();
    let mark = await this.markFor(found, undisturbed);
    let { position, lastSequence } = mark;
    let lookedAt = performance.now();
    /** False when the stream is no longer the same. */
    const look = async (): Promise<boolean> => {
      const now = await this.stream.state();
      // The acks came before this check: when the stream is the same, it has all their messages.
      if (now.incarnation !== mark.incarnation || now.lastSequence < lastSequence) return false;
      mark = await this.move(mark, { incarnation: mark.incarnation, position, lastSequence });
      lookedAt = performance.now();
      return true;
    };
    while (!undisturbed.aborted) {
      this.published = position;
      const waitMs = Math.max(0, lookedAt + checkMs - performance.now());
      const page = await this.feed.next(position, batchSize, { signal: undisturbed, waitMs });
      if (this.feed.closed) return void (await this.pause(takeoverMs, signal));
      if (lease.isOver || undisturbed.aborted) break;
      const unknown = page.events.findIndex(({ type }) => !isKnown(type));
      const events = unknown < 0 ? page.events : page.events.slice(0, unknown);
      const messages = this.outgoing(events, found.keepsMs);
      await this.stream.publish(messages, lastSequence);
      if (unknown >= 0) throw new UnknownEvent('published', page.events[unknown]!);
      position = page.position;
      lastSequence += messages.length;
      this.acknowledged = { incarnation: mark.incarnation, sequence: lastSequence };
      if (performance.now() - lookedAt >= checkMs && !(await look())) return;
      this.relax();
      if (messages.length > 0 && messages.length < batchSize) await this.pause(debounceMs, undisturbed);
    }
    // Stored so that the next active replica knows what was published of events that have no message.
    if (!disturbed.aborted && position > mark.position) await look();
  }

  /** The messages for these events, without events that the stream would drop for their age. */
  private outgoing(events: readonly Recorded[], keepsMs: number): Outgoing[] {
    const oldest = Date.now() - keepsMs;
    return events.flatMap((recorded) => {
      const { id, type, stream, at } = recorded;
      const publication = publicationOf(recorded);
      if (!('publish' in publication)) {
        if ('skip' in publication && publication.skip === 'unaddressable')
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

  /** The position to continue from in this stream: that of its newest message, or the stored one where it has none. */
  private async markFor(stream: StreamState, signal: AbortSignal): Promise<Mark> {
    const { incarnation, lastSequence } = stream;
    const stored = await this.stored();
    const isSame = stored?.incarnation === incarnation;
    const acknowledged = this.acknowledged.incarnation === incarnation ? this.acknowledged.sequence : 0;
    const isWhole = isSame && lastSequence >= Math.max(stored.lastSequence, acknowledged);
    if (stored && !isSame) this.warn('The stream of published events is a new one');
    else if (stored && !isWhole) this.warn('The stream of published events has lost messages');

    let position: bigint | undefined;
    // The stored position is beyond the newest message by events that have none.
    if (isWhole && lastSequence === stored.lastSequence) position = stored.position;
    else if (lastSequence > 0)
      position = (await this.stream.positionAt(lastSequence)) ?? (isWhole ? stored.position : undefined);
    if (position !== undefined && !(await this.isOfThisLog(position))) {
      this.warn('The log does not have the event that was published last');
      position = undefined;
    }
    position ??= await this.feed.extent.beforeNewest({
      sinceMs: Date.now() - stream.keepsMs,
      most: stream.keepsBytes / leastBytes,
      counts: ({ type }) => Object.hasOwn(publishedEvents, type),
      signal,
    });
    return this.move(stored, { incarnation, position, lastSequence });
  }

  private async isOfThisLog(position: bigint): Promise<boolean> {
    const { extent } = this.feed;
    return position === 0n || ((await extent.end(position)) >= position && (await extent.has(position)));
  }

  private async stored(): Promise<Mark | undefined> {
    const [row] = await this.database.query<{
      incarnation: string;
      position: string;
      last_sequence: string;
    }>(`SELECT incarnation, position, last_sequence FROM published_streams WHERE name = $1`, [
      publishedStream,
    ]);
    return (
      row && {
        incarnation: row.incarnation,
        position: BigInt(row.position),
        lastSequence: Number(row.last_sequence),
      }
    );
  }

  private async move(from: Mark | undefined, to: Mark): Promise<Mark> {
    if (from?.incarnation === to.incarnation && from.position === to.position) return to;
    const values = [publishedStream, to.incarnation, String(to.position), to.lastSequence];
    const moved = from
      ? await this.database.query(
          `UPDATE published_streams SET incarnation = $2, position = $3, last_sequence = $4, updated_at = now()
           WHERE name = $1 AND incarnation = $5 AND position = $6 AND last_sequence = $7 RETURNING name`,
          [...values, from.incarnation, String(from.position), from.lastSequence],
        )
      : await this.database.query(
          `INSERT INTO published_streams (name, incarnation, position, last_sequence) VALUES ($1, $2, $3, $4)
           ON CONFLICT (name) DO NOTHING RETURNING name`,
          values,
        );
    if (moved.length === 0) throw new Error('Another replica publishes the events');
    return to;
  }

  /** The age of the oldest event that was not published; 0 when there is none. */
  private async lagSeconds(): Promise<number> {
    let position = this.published ?? (await this.stored())?.position ?? 0n;
    while (position < this.feed.position) {
      const near = this.feed.countAfter(position);
      if (near) return ageSeconds(near.first);
      const page = await this.feed.next(position, batchSize, { waitMs: 0 });
      if (page.events[0] || page.position <= position) return ageSeconds(page.events[0]);
      position = page.position;
    }
    return 0;
  }

  private warn(what: string): void {
    this.logger.warn({}, `${what}: filling it from the log`);
  }

  /** Logs once that a changed setting cannot be applied. */
  private tellRefusal(): void {
    const { refusal } = this.stream;
    if (refusal && refusal.message !== this.refusal)
      this.logger.warn(
        { err: refusal },
        'NATS refused the limits of the settings: the stream of published events keeps those that it has',
      );
    this.refusal = refusal?.message ?? '';
  }

  /** Logs once for all failures until publishing works again. */
  private complain(error: unknown): void {
    if (this.troubled) return;
    this.troubled = true;
    this.logger.warn(
      { err: error },
      error instanceof NoJetStream
        ? 'NATS has no JetStream: publishing waits for it'
        : error instanceof OtherSequence
          ? 'The stream of published events has changed: publishing goes on behind its newest message'
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

const ageSeconds = (event: Recorded | undefined): number =>
  event ? Math.max(0, (Date.now() - millis(event.at)) / 1_000) : 0;
