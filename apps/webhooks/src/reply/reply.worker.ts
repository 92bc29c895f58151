import { type InteractionAsked, type InteractionEnded, type ReplyEvent } from '@carillon/contracts';
import { Database, Log, Projections, StoreUnavailable, StreamDeleted } from '@carillon/event-store';
import { type Decide, type EventMetadata, millis, type Recorded } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/service';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, type Told, toldOf } from '../payload/payload';
import { isOwned, type Webhook, webhook } from '../webhook/webhook';
import { keptSince } from './replies';
import { cancel, isWaiting, type Named, recordAttempt, type Reply, reply } from './reply';
import { ReplyProjection } from './reply.projection';
import { ReplySender } from './sender.worker';

interface Row {
  delivery_id: string;
  webhook_id: string;
  account_id: string;
  interaction_id: string;
  message_id: string;
  sequence: string;
  cancel: 'disabled' | 'deleted' | null;
  resends: number;
}

/** Requests under way at once, in all and to one endpoint: a slow one has no more than its own few places. */
const mostInAll = 256;
const mostToOne = 4;
/** Longer than an attempt and its entry in the log can take. Who died leaves his work to others after this. */
const leaseSeconds = 30;
/** So long a row that is behind the log has to catch up. */
const behindSeconds = 1;
const pollMs = 1_000;
const sweepEveryMs = 10 * 60_000;
const stopWithinMs = 5_000;

/** Makes the attempts that are due, many at once, and writes down what came of each. */
@Injectable()
export class ReplyWorker implements OnModuleInit, OnModuleDestroy {
  private readonly lease = randomUUID();
  private readonly underway = new Map<Promise<void>, string>();
  private stopped = true;
  /** What was under way has ended, or nobody waits for it any more. */
  private closed = false;
  private taking: Promise<number> = Promise.resolve(0);
  private next: Promise<number> | undefined;
  private newest = 0n;
  private sweptAt = 0;
  private poll: NodeJS.Timeout | undefined;
  private stopListening: () => void = () => {};

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(ReplyProjection) private readonly projection: ReplyProjection,
    @Inject(ReplySender) private readonly sender: ReplySender,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.stopped = false;
    this.projection.onDue = () => this.kick();
    this.stopListening = this.clock.onAdvance(() => this.run());
    this.poll = setInterval(() => this.tick(), pollMs);
    this.tick();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearInterval(this.poll);
    this.stopListening();
    await this.taking.catch(() => {});
    await Promise.race([this.all(), sleep(stopWithinMs, undefined, { ref: false })]);
    this.closed = true;
    await this.database.query(`UPDATE replies SET lease = NULL, leased_until = NULL WHERE lease = $1`, [
      this.lease,
    ]);
  }

  /** Does all that is due now; resolves when it is done and can be read. */
  async run(): Promise<void> {
    for (;;) {
      if (this.stopped) return;
      const taken = await this.take();
      if (taken === 0 && this.underway.size === 0) break;
      await this.all();
    }
    await this.projections.caughtUp('replies', this.newest);
    await this.sweep();
  }

  private async all(): Promise<void> {
    await Promise.all(this.underway.keys());
  }

  private kick(): void {
    if (this.stopped) return;
    this.take().catch((error: unknown) => {
      if (!this.closed) this.logger.error({ err: error }, 'Replies that are due cannot be taken');
    });
  }

  private tick(): void {
    this.kick();
    if (Date.now() - this.sweptAt < sweepEveryMs) return;
    this.sweep().catch((error: unknown) =>
      this.logger.warn({ err: error }, 'Old deliveries were not thrown away'),
    );
  }

  /** One at a time; who asks while one is under way gets the one after it, which sees all that is due by now. */
  private take(): Promise<number> {
    this.next ??= this.taking
      .catch(() => {})
      .then(() => {
        this.next = undefined;
        return this.takeDue();
      });
    this.taking = this.next;
    return this.next;
  }

  /** From each endpoint as many as it has places left, however much waits for another. */
  private async takeDue(): Promise<number> {
    const room = mostInAll - this.underway.size;
    if (this.stopped || room <= 0) return 0;
    const busy = this.busy();
    const rows = await this.database.query<Row>(
      `WITH RECURSIVE endpoints AS (
         (SELECT webhook_id FROM replies WHERE due_at IS NOT NULL ORDER BY webhook_id LIMIT 1)
         UNION ALL
         SELECT (SELECT r.webhook_id FROM replies r WHERE r.due_at IS NOT NULL AND r.webhook_id > e.webhook_id
           ORDER BY r.webhook_id LIMIT 1)
         FROM endpoints e WHERE e.webhook_id IS NOT NULL),
       due AS (
         SELECT d.delivery_id FROM endpoints e
         LEFT JOIN unnest($2::text[], $3::integer[]) AS busy (webhook_id, places) ON busy.webhook_id = e.webhook_id
         CROSS JOIN LATERAL (
           SELECT r.delivery_id, r.due_at FROM replies r
           WHERE r.webhook_id = e.webhook_id AND r.due_at <= $1
             AND (r.leased_until IS NULL OR r.leased_until < now())
           ORDER BY r.due_at LIMIT greatest(0, $4 - coalesce(busy.places, 0)) FOR UPDATE SKIP LOCKED) d
         ORDER BY d.due_at LIMIT $5)
       UPDATE replies u SET lease = $6, leased_until = now() + make_interval(secs => $7)
       FROM due WHERE u.delivery_id = due.delivery_id
       RETURNING u.delivery_id, u.webhook_id, u.account_id, u.interaction_id, u.message_id, u.sequence, u.cancel,
         u.resends`,
      [this.clock.now(), [...busy.keys()], [...busy.values()], mostToOne, room, this.lease, leaseSeconds],
    );
    for (const row of rows) this.start(row);
    return rows.length;
  }

  private busy(): Map<string, number> {
    const busy = new Map<string, number>();
    for (const webhookId of this.underway.values()) busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1);
    return busy;
  }

  private start(row: Row): void {
    const working = this.work(row)
      .then((isWritten) => (isWritten ? undefined : this.letGo(row)))
      .catch((error: unknown) => {
        // Its lease ends, and then somebody tries again.
        if (this.closed) return;
        const fields = { err: error, deliveryId: row.delivery_id, webhookId: row.webhook_id };
        if (error instanceof StoreUnavailable) this.logger.warn(fields, 'A reply was not written down');
        else this.logger.error(fields, 'A reply could not be worked on');
      })
      .finally(() => {
        const wasFull =
          this.underway.size >= mostInAll || (this.busy().get(row.webhook_id) ?? 0) >= mostToOne;
        this.underway.delete(working);
        if (wasFull) this.kick();
      });
    this.underway.set(working, row.webhook_id);
  }

  /** What was written down frees the row. Where the row was only behind the log, it is looked at again soon. */
  private async letGo(row: Row): Promise<void> {
    if (this.closed) return;
    await this.database.query(
      `UPDATE replies SET leased_until = now() + make_interval(secs => $3) WHERE delivery_id = $1 AND lease = $2`,
      [row.delivery_id, this.lease, behindSeconds],
    );
  }

  /** Whether something was written down. */
  private async work(row: Row): Promise<boolean> {
    const named = { deliveryId: row.delivery_id, webhookId: row.webhook_id, accountId: row.account_id };
    const { state } = await this.log.load(reply, streamTail(named.deliveryId));
    // The row is behind the log, which has the last word.
    if (!isWaiting(state)) return false;
    if (row.cancel) return this.giveUp(named, row.cancel, row.resends);
    if (state.nextAttemptAt !== null && millis(state.nextAttemptAt) > this.clock.ms()) return false;

    const { state: to } = await this.log.load(webhook, streamTail(named.webhookId));
    if (!isOwned(to, { id: named.webhookId, accountId: named.accountId }) || !isReadable(to))
      return this.giveUp(named, 'deleted', state.resends);
    if (!to.enabled) return this.giveUp(named, 'disabled', state.resends);
    const told = await this.toldOf(row.interaction_id);
    if (!told) return this.giveUp(named, 'deleted', state.resends);
    return this.attempt(row, named, state, to, told);
  }

  private async attempt(row: Row, named: Named, state: Reply, to: Webhook, told: Told): Promise<boolean> {
    const at = this.clock.now();
    const outcome = await this.sender.send(to, {
      id: row.message_id,
      body: bodyOf(to.preset, told),
      sequence: Number(row.sequence),
    });
    if (this.closed) return false;
    return this.write(
      named,
      recordAttempt({ ...named, attempt: state.attempts + 1, outcome, at, chance: Math.random() }),
    );
  }

  private giveUp(named: Named, reason: 'disabled' | 'deleted', resends: number): Promise<boolean> {
    return this.write(named, cancel({ ...named, reason, resends, at: this.clock.now() }));
  }

  private async write(named: Named, decide: Decide<Reply, ReplyEvent>): Promise<boolean> {
    // Never a derived id: of two workers that made the same attempt, the second would take its own outcome for written.
    const metadata: EventMetadata = {
      commandId: randomUUID(),
      correlationId: named.deliveryId,
      accountId: named.accountId,
      actor: { process: 'webhooks.replies' },
    };
    const { events, position } = await this.log.transact(
      reply,
      streamTail(named.deliveryId),
      decide,
      metadata,
    );
    if (position > this.newest) this.newest = position;
    return events.length > 0;
  }

  /** How the prompt ended; undefined when its text is gone with the account's key. */
  private async toldOf(interactionId: string): Promise<Told | undefined> {
    const events = await this.eventsOf(interactionId);
    const asked = events.find(is<InteractionAsked>('InteractionAsked'))?.event;
    const ended = events.find(
      (recorded): recorded is Recorded<InteractionEnded> =>
        recorded.type !== 'InteractionAsked' && endings.has(recorded.type),
    )?.event;
    if (!asked || !ended || (asked.title as string | null) === null) return undefined;
    return toldOf(asked, ended);
  }

  private async eventsOf(interactionId: string): Promise<Recorded[]> {
    try {
      return await this.log.open(await this.log.store.read(`interaction-${streamTail(interactionId)}`));
    } catch (error) {
      if (error instanceof StreamDeleted) return [];
      throw error;
    }
  }

  private async sweep(): Promise<void> {
    this.sweptAt = Date.now();
    await this.database.query(`DELETE FROM replies WHERE due_at IS NULL AND created_at < $1`, [
      keptSince(this.clock.now()),
    ]);
  }
}

const endings: ReadonlySet<string> = new Set([
  'InteractionAnswered',
  'InteractionCanceled',
  'InteractionExpired',
]);

const is =
  <Event extends { type: string }>(type: Event['type']) =>
  (recorded: Recorded): recorded is Recorded<Event> =>
    recorded.type === type;

/** Its fields are gone when the account's key is. */
const isReadable = ({ url, sealedSecret }: Webhook): boolean =>
  (url as string | null) !== null && (sealedSecret as string | null) !== null;
