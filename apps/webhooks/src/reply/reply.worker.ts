import type {
  InteractionAsked,
  InteractionEnded,
  ReplyEvent,
  ReplyQueued,
  WebhookEvent,
} from '@carillon/contracts';
import {
  type Backlog,
  backlogOf,
  type LeaseClaim,
  type RowLease,
  columns,
  Database,
  releaseLeases,
  renewLeases,
  Log,
  Projections,
  Queue,
  StreamDeleted,
  type LeasedJobs,
} from '@carillon/event-store';
import { type Decide, type EventMetadata, millis, type Recorded } from '@carillon/eventing';
import { webhookAttemptSeconds } from '@carillon/metrics';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { beginSpan, carried } from '@carillon/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { bodyOf, type ReplyMessage, toldOf } from '../payload/payload';
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
import { ReplyProjection } from './reply.projection';
import { ConnectorRemoved, type OutgoingMessage, ReplySender } from './sender.client';

interface LeasedReply extends ReplyRow {
  readonly owner: number;
}

interface ReplyRow {
  delivery_id: string;
  webhook_id: string;
  account_id: string;
  interaction_id: string;
  message_id: string;
  sequence: string;
  cancel: 'disabled' | 'deleted' | null;
  resends: number;
  connector_id: string | null;
  created_at: Date;
  host: string;
}

/**
 * Maximum concurrent requests, so that neither a slow endpoint, nor an account with many, nor a host with many accounts
 * takes the whole capacity. An account gets no further request at a host when it has as many there as the host has
 * left, so that a few accounts cannot fill a host, however slow they are.
 */
const most = { toEndpoint: 4, ofAccount: 16, toHost: 64 };

/** The host of the URL; the endpoint's id while its row is missing. */
const hostOf = (row: string): string =>
  `coalesce(lower(substring(w.url FROM '^https://(\\[[^]]*\\]|[^/:?#]*)')), ${row}.webhook_id)`;

/** Pause before a row that is behind the log is taken again, so that it can catch up. */
const behindSeconds = 1;

/** Makes due attempts concurrently and records the outcome of each. */
@Injectable()
export class ReplyWorker extends Queue<LeasedReply> {
  readonly name = 'replies';
  override readonly capacity: number = 256;
  private newest = 0n;

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
  }

  /**
   * Leases from each endpoint, account and host as many deliveries as its maximum over all replicas still allows,
   * however many wait for others. The account with the fewest running requests comes first.
   */
  async take(
    { owner, ownedSeconds, available, fullAccounts }: LeaseClaim,
    leased: readonly LeasedReply[],
  ): Promise<LeasedJobs<LeasedReply>> {
    const mine = columns(
      { webhook_id: 'text', account_id: 'text', host: 'text' },
      leased,
      ({ webhook_id, account_id, host }) => ({ webhook_id, account_id, host }),
      { from: 2, as: 'mine' },
    );
    const rows = await this.database.query<ReplyRow>(
      `WITH RECURSIVE endpoints AS (
         (SELECT webhook_id FROM replies WHERE due_at IS NOT NULL ORDER BY webhook_id LIMIT 1)
         UNION ALL
         SELECT (SELECT r.webhook_id FROM replies r WHERE r.due_at IS NOT NULL AND r.webhook_id > e.webhook_id
           ORDER BY r.webhook_id LIMIT 1)
         FROM endpoints e WHERE e.webhook_id IS NOT NULL),
       busy AS (
         SELECT * FROM ${mine.rows}
         UNION ALL
         SELECT r.webhook_id, r.account_id, ${hostOf('r')}
         FROM replies r LEFT JOIN webhooks w USING (webhook_id) WHERE r.owner IS NOT NULL AND r.owner <> $5),
       by_endpoint AS (
         SELECT d.*, ${hostOf('d')} AS host FROM endpoints e
         CROSS JOIN LATERAL (
           SELECT r.delivery_id, r.webhook_id, r.account_id, r.due_at FROM replies r
           WHERE r.webhook_id = e.webhook_id AND r.due_at <= $1 AND r.owner IS NULL
             AND r.account_id <> ALL($11::text[])
             AND (r.retry_at IS NULL OR r.retry_at <= now())
           ORDER BY r.due_at
           LIMIT greatest(0, $7 - (SELECT count(*) FROM busy b WHERE b.webhook_id = e.webhook_id))
           FOR UPDATE SKIP LOCKED) d
         LEFT JOIN webhooks w ON w.webhook_id = d.webhook_id),
       by_account AS (
         SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY due_at)
           + (SELECT count(*) FROM busy b WHERE b.account_id = c.account_id) AS account_rank,
           row_number() OVER (PARTITION BY account_id, host ORDER BY due_at)
           + (SELECT count(*) FROM busy b WHERE b.account_id = c.account_id AND b.host = c.host) AS share
         FROM by_endpoint c),
       by_host AS (
         SELECT *, row_number() OVER (PARTITION BY host ORDER BY share, account_rank, due_at)
           + (SELECT count(*) FROM busy b WHERE b.host = c.host) AS host_rank
         FROM by_account c WHERE account_rank <= $8),
       due AS (
         SELECT delivery_id, host FROM by_host WHERE host_rank <= $9 AND share + host_rank <= $9 + 1
         ORDER BY account_rank, due_at LIMIT $10)
       UPDATE replies u SET owner = $5, owned_until = now() + make_interval(secs => $6)
       FROM due WHERE u.delivery_id = due.delivery_id
       RETURNING u.delivery_id, u.webhook_id, u.account_id, u.interaction_id, u.message_id, u.sequence, u.cancel,
         u.resends, u.connector_id, u.created_at, due.host`,
      [
        this.clock.now(),
        ...mine.values,
        owner,
        ownedSeconds,
        most.toEndpoint,
        most.ofAccount,
        most.toHost,
        available,
        // The rows of an account that is set aside do not show what its attempts came to.
        [...fullAccounts, ...this.projections.accountsAside('replies')],
      ],
    );
    const jobs = rows.map((row) => ({ ...row, owner }));
    const all = [...leased, ...jobs];
    const isFull = (keyOf: (job: LeasedReply) => string, limit: number): boolean =>
      [...countBy(all, keyOf).values()].some((count) => count >= limit);
    const more =
      rows.length === available ||
      isFull((job) => job.webhook_id, most.toEndpoint) ||
      isFull((job) => job.account_id, most.ofAccount) ||
      hasFullShare(all);
    return { jobs, more };
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
  private async work(row: ReplyRow, isOurs: () => boolean): Promise<boolean> {
    const named = { deliveryId: row.delivery_id, webhookId: row.webhook_id, accountId: row.account_id };
    const { state } = await this.log.load(reply, streamTail(named.deliveryId));
    // The row is behind the log, and the log decides.
    if (!isWaiting(state)) return false;
    if (row.cancel) return this.giveUp(named, row.cancel, row.resends);
    if (state.nextAttemptAt !== null && millis(state.nextAttemptAt) > this.clock.ms()) return false;

    const { state: to } = await this.log.load(webhook, streamTail(named.webhookId));
    if (!isOwned(to, { id: named.webhookId, accountId: named.accountId }))
      return this.giveUp(named, 'deleted', state.resends);
    if (!to.enabled || (to.wasOff && (await this.wasGivenUp(row, named))))
      return this.giveUp(named, 'disabled', state.resends);
    const told = await this.toldOf(row.interaction_id);
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
    );
    if (position > this.newest) this.newest = position;
    return events.length > 0;
  }

  /** The message about the prompt's end; undefined when its text is unreadable since the account's key was deleted. */
  private async toldOf(interactionId: string): Promise<Traced | undefined> {
    const events = await this.eventsOf(interactionId);
    const asked = events.find(is<InteractionAsked>('InteractionAsked'));
    const ended = events.find(
      (recorded): recorded is Recorded<InteractionEnded> =>
        recorded.type !== 'InteractionAsked' && endings.has(recorded.type),
    );
    const told = asked && ended && toldOf(asked.event, ended.event);
    return told && { told, traceparent: ended.metadata.traceparent, asked: asked.metadata.traceparent };
  }

  private async eventsOf(interactionId: string): Promise<Recorded[]> {
    try {
      return await this.log.open(await this.log.store.read(`interaction-${streamTail(interactionId)}`));
    } catch (error) {
      if (error instanceof StreamDeleted) return [];
      throw error;
    }
  }
}

/** Whether an account has as many running requests at a host as the host has left. */
function hasFullShare(jobs: readonly LeasedReply[]): boolean {
  const shareOf = ({ account_id, host }: LeasedReply): string => `${account_id} ${host}`;
  const [shares, hosts] = [countBy(jobs, shareOf), countBy(jobs, ({ host }) => host)];
  return jobs.some((job) => shares.get(shareOf(job))! >= most.toHost - hosts.get(job.host)!);
}

/** The message to an endpoint, with the traces of the requests that ended and that created the prompt. */
interface Traced {
  readonly told: ReplyMessage;
  readonly traceparent: string | undefined;
  readonly asked: string | undefined;
}

/** The span of one attempt. It does not name the receiver. */
const attempting = {
  name: 'reply webhook',
  kind: 'client',
  attributes: { 'http.request.method': 'POST' },
} as const;

const endings: ReadonlySet<string> = new Set([
  'InteractionAnswered',
  'InteractionCanceled',
  'InteractionExpired',
]);

const is =
  <Event extends { type: string }>(type: Event['type']) =>
  (recorded: Recorded): recorded is Recorded<Event> =>
    recorded.type === type;

function countBy<Item>(items: Iterable<Item>, key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}
