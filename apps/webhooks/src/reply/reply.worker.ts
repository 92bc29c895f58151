import type { ReplyEvent, ReplyQueued, WebhookEvent } from '@carillon/contracts';
import {
  type Backlog,
  backlogOf,
  type LeaseClaim,
  type RowLease,
  Database,
  releaseLeases,
  renewLeases,
  Log,
  Projections,
  Queue,
  type Sql,
  type LeasedJobs,
} from '@carillon/event-store';
import { type Decide, type EventMetadata, millis, type Recorded } from '@carillon/eventing';
import { webhookAttemptSeconds } from '@carillon/metrics';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { beginSpan, carried } from '@carillon/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { bodyOf } from '../payload/payload';
import { readTold, type Traced } from '../payload/told.service';
import { isOwned, type Webhook, webhook } from '../webhook/webhook';
import { outbox } from '../outbox/outbox';
import {
  cancel,
  isWaiting,
  type Named,
  type AttemptOutcome,
  recordAttempt,
  type Reply,
  reply,
} from './reply';
import { leasingDue, lookAround, type ReplyRow } from './due.entity';
import { Busy, Places, placesOf } from './places';
import { type HandedOver, notHandedOver, ReplyProjection } from './reply.projection';
import { ConnectorRemoved, type OutgoingMessage, ReplySender } from './sender.client';

interface LeasedReply extends ReplyRow {
  readonly owner: number;
  /** Queued a moment ago, and its row written with the lease: nobody has made an attempt. */
  readonly isFresh?: true;
}

/** A delivery that was queued longer ago may have been sent before its row was lost: it is looked for as any other. */
const freshMs = 30_000;

/** Pause before a row that is behind the log is taken again, so that it can catch up. */
const behindSeconds = 1;

/** Makes due attempts concurrently and records the outcome of each. */
@Injectable()
export class ReplyWorker extends Queue<LeasedReply> {
  readonly name = 'replies';
  override readonly capacity: number = 256;
  private newest = 0n;
  private readonly places = new Places();
  /** Handed over, and not begun yet since their rows are not committed; they never are if the transaction fails. */
  private handing: { readonly claim: LeaseClaim; readonly jobs: readonly LeasedReply[] } | undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(ReplyProjection) projection: ReplyProjection,
    @Inject(ReplySender) private readonly sender: ReplySender,
  ) {
    super();
    projection.onDue = () => this.kick();
    projection.handOver = (sql, queued) => this.leaseFresh(sql, queued);
  }

  /**
   * Which of the deliveries that have just been queued this process may have leased when their rows are written, and
   * the function that begins them after the commit. None for which others may wait: those come first.
   */
  private async leaseFresh(sql: Sql, queued: readonly Recorded<ReplyQueued>[]): Promise<HandedOver> {
    // The transaction before this one has begun its jobs, or has failed.
    this.handing = undefined;
    const claim = this.claim();
    const fresh = queued.filter(({ at }) => Date.now() - millis(at) < freshMs);
    if (!claim || this.mayHaveMore || fresh.length === 0) return notHandedOver;
    const { busy, hosts } = await lookAround(
      sql,
      claim.owner,
      fresh.map(({ event }) => event.webhookId),
    );
    // A look that began meanwhile does not count these jobs, nor they what it leases.
    if (this.mayHaveMore) return notHandedOver;
    const all = new Busy(this.places, [...this.inHand, ...busy]);
    const full = new Set(claim.fullAccounts);
    const jobs = new Map<string, LeasedReply>();
    for (const { event } of fresh) {
      const job: LeasedReply = {
        ...freshRow(event, hosts.get(event.webhookId)),
        owner: claim.owner,
        isFresh: true,
      };
      if (jobs.size >= claim.available / 2 || full.has(job.account_id)) continue;
      if (this.waitsFor(job) || !all.hasPlaceFor(job)) continue;
      all.add(job);
      jobs.set(job.delivery_id, job);
    }
    this.handing = { claim, jobs: [...jobs.values()] };
    return {
      claim,
      has: (deliveryId) => jobs.has(deliveryId),
      begin: (deliveryIds) => {
        this.handing = undefined;
        for (const id of deliveryIds) {
          const job = jobs.get(id);
          if (job) this.takeOver(job, claim);
        }
      },
    };
  }

  async take(claim: LeaseClaim, leased: readonly LeasedReply[]): Promise<LeasedJobs<LeasedReply>> {
    const { handing } = this;
    const mine = handing && this.canTakeOver(handing.claim) ? [...leased, ...handing.jobs] : leased;
    const rows = await this.database.query<ReplyRow>(
      ...leasingDue({
        claim,
        leased: mine,
        places: this.places,
        now: this.clock.now(),
        // The rows of an account that is set aside do not show what its attempts came to.
        without: [...claim.fullAccounts, ...this.projections.accountsAside('replies')],
      }),
    );
    const jobs = rows.map((row) => ({ ...row, owner: claim.owner }));
    const all = [...mine, ...jobs];
    const busy = new Busy(this.places, all);
    if (rows.length === claim.available) return { jobs, more: true };
    const full = new Set(all.flatMap((job) => busy.lacking(job)));
    return { jobs, more: full.size > 0 && ((ended) => placesOf(ended).some((place) => full.has(place))) };
  }

  async renew(jobs: readonly LeasedReply[], lease: RowLease): Promise<void> {
    await this.database.query(...renewLeases('replies', ['delivery_id'], jobs, lease));
  }

  /** A written event releases the row's lease. A row that was only behind the log is taken again soon. */
  async do(job: LeasedReply, isOurs: () => boolean): Promise<void> {
    const isWritten = await this.work(job, isOurs);
    if (!isWritten && isOurs()) await this.postpone(job);
  }

  override accountOf({ account_id }: LeasedReply): string {
    return account_id;
  }

  async postpone({ delivery_id, owner }: LeasedReply): Promise<void> {
    await this.database.query(
      `UPDATE replies SET owner = NULL, owned_until = NULL, retry_at = now() + make_interval(secs => $3)
       WHERE delivery_id = $1 AND owner = $2`,
      [delivery_id, owner, behindSeconds],
    );
  }

  async release(which: string): Promise<number> {
    const rows = await this.database.query(releaseLeases('replies', ['delivery_id'], which));
    return rows.length;
  }

  backlog(): Promise<Backlog> {
    return backlogOf(this.database, 'replies WHERE due_at <= $1 AND owner IS NULL', [this.clock.now()]);
  }

  about({ delivery_id: deliveryId, webhook_id: webhookId }: LeasedReply): object {
    return { deliveryId, webhookId };
  }

  override settled(): Promise<void> {
    return this.projections.caughtUp('replies', this.newest);
  }

  /** Whether an event was written. */
  private async work(row: LeasedReply, isOurs: () => boolean): Promise<boolean> {
    const named = { deliveryId: row.delivery_id, webhookId: row.webhook_id, accountId: row.account_id };
    // Read together, since a delivery is nearly always to be made.
    const [{ state }, { state: to }, told] = await Promise.all([
      row.isFresh ? { state: reply.initial } : this.log.load(reply, streamTail(named.deliveryId)),
      this.log.load(webhook, streamTail(named.webhookId)),
      readTold(this.log, row.interaction_id),
    ]);
    // The row is behind the log, and the log decides.
    if (!isWaiting(state)) return false;
    if (row.cancel) return this.giveUp(named, row.cancel, row.resends);
    if (state.nextAttemptAt !== null && millis(state.nextAttemptAt) > this.clock.ms()) return false;

    if (!isOwned(to, { id: named.webhookId, accountId: named.accountId }))
      return this.giveUp(named, 'deleted', state.resends);
    if (!to.enabled || (to.wasOff && (await this.wasGivenUp(row, named))))
      return this.giveUp(named, 'disabled', state.resends);
    if (!told) return this.giveUp(named, 'deleted', state.resends);
    return this.attempt(row, named, state, to, told, isOurs);
  }

  /**
   * Whether the endpoint was switched off after the delivery was queued or last resent. The log decides: the row may
   * have been leased or inserted before it had the change.
   */
  private async wasGivenUp({ sequence }: ReplyRow, { webhookId, deliveryId }: Named): Promise<boolean> {
    const tail = streamTail(webhookId);
    const [changes, attempts, [queued]] = await Promise.all([
      this.recorded<WebhookEvent>(`${webhook.category}-${tail}`),
      this.recorded<ReplyEvent>(`${reply.category}-${streamTail(deliveryId)}`),
      this.recorded<ReplyQueued>(`${outbox.category}-${tail}`, BigInt(sequence) - 1n, 1),
    ]);
    const off = changes.findLast(
      ({ event }) =>
        event.type === 'WebhookDisabled' || (event.type === 'WebhookChanged' && event.enabled === false),
    );
    const resent = attempts.findLast(({ type }) => type === 'ReplyResent');
    const wanted = resent?.position ?? (queued && BigInt(queued.event.source));
    return off !== undefined && wanted !== undefined && wanted < off.position;
  }

  private async recorded<Event extends { type: string }>(
    stream: string,
    from?: bigint,
    count?: number,
  ): Promise<Recorded<Event>[]> {
    return (await this.log.open(await this.log.store.read(stream, from, count))) as Recorded<Event>[];
  }

  private async attempt(
    row: ReplyRow,
    named: Named,
    state: Reply,
    to: Webhook,
    { told, traceparent, asked }: Traced,
    isOurs: () => boolean,
  ): Promise<boolean> {
    // The lease may have ended since the row was leased, as after a freeze of this process.
    if (!isOurs()) return false;
    const at = this.clock.now();
    const span = beginSpan(traceparent, () => ({ ...attempting, links: [asked] }));
    const outcome = await this.outcomeOf(to, {
      id: row.message_id,
      deliveryId: named.deliveryId,
      body: bodyOf(to.preset, told),
      sequence: Number(row.sequence),
      traceparent: span?.traceparent ?? traceparent,
      ...(this.waitsForConnector(row, state) && { waitsSince: row.created_at.toISOString() }),
    });
    if (outcome === 'removed') {
      span?.end({ 'carillon.outcome': 'canceled' });
      return this.giveUp(named, 'deleted', state.resends);
    }
    span?.end(
      {
        'carillon.outcome': outcome.error ?? 'delivered',
        ...(outcome.responseCode !== null && { 'http.response.status_code': outcome.responseCode }),
      },
      outcome.error ?? undefined,
    );
    this.places.record(row, outcome.error === null ? outcome.latencyMs : undefined);
    webhookAttemptSeconds.observe({ outcome: outcome.error ?? 'delivered' }, outcome.latencyMs / 1_000);
    if (!isOurs()) return false;
    return this.write(
      named,
      recordAttempt({ ...named, attempt: state.attempts + 1, outcome, at, chance: Math.random() }),
      span?.traceparent,
    );
  }

  /**
   * Whether the delivery is lost when the connector of its host was removed since it was queued. After an attempt
   * through a connector the row is cancelled with the connector, unless the removal came first.
   */
  private waitsForConnector(
    { connector_id: connectorId }: ReplyRow,
    { attempts, resends, tries }: Reply,
  ): boolean {
    return (attempts === 0 && resends === 0) || (connectorId !== null && tries > 0);
  }

  private async outcomeOf(to: Webhook, message: OutgoingMessage): Promise<AttemptOutcome | 'removed'> {
    try {
      return await this.sender.send(to, message);
    } catch (error) {
      if (error instanceof ConnectorRemoved) return 'removed';
      throw error;
    }
  }

  private giveUp(named: Named, reason: 'disabled' | 'deleted', resends: number): Promise<boolean> {
    return this.write(named, cancel({ ...named, reason, resends, at: this.clock.now() }));
  }

  private async write(
    named: Named,
    decide: Decide<Reply, ReplyEvent>,
    traceparent?: string,
  ): Promise<boolean> {
    // Not a derived id: of two workers with the same attempt, the second would take the first's event for its own.
    const metadata: EventMetadata = {
      commandId: randomUUID(),
      correlationId: named.deliveryId,
      accountId: named.accountId,
      actor: { process: 'webhooks.replies' },
      ...carried(traceparent),
    };
    const { events, position } = await this.log.transact(
      reply,
      streamTail(named.deliveryId),
      decide,
      metadata,
      // Most have no event yet, and the state of the others was loaded a moment ago.
      { expectNew: true },
    );
    if (position > this.newest) this.newest = position;
    return events.length > 0;
  }
}

/** The row of a delivery as it is written when it is queued. */
const freshRow = (event: ReplyQueued, host = event.webhookId): ReplyRow => ({
  delivery_id: event.deliveryId,
  webhook_id: event.webhookId,
  account_id: event.accountId,
  interaction_id: event.interactionId,
  message_id: event.messageId,
  sequence: String(event.sequence),
  cancel: null,
  resends: 0,
  connector_id: null,
  created_at: new Date(event.queuedAt),
  host,
});

/** The span of one attempt. It does not name the receiver. */
const attempting = {
  name: 'reply webhook',
  kind: 'client',
  attributes: { 'http.request.method': 'POST' },
} as const;
