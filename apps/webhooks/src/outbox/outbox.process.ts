import { Bus } from '@carillon/bus';
import type { InteractionEnded, ReplyQueued, Streams, WebhookEvent } from '@carillon/contracts';
import {
  type Handled,
  ignore,
  inBatch,
  Log,
  Projection,
  type Sql,
  WrongExpectedRevision,
  type On,
} from '@carillon/event-store';
import { type EventMetadata, fold, millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { deriveId, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { endOf } from '../payload/payload';
import { webhook, type WebhookState } from '../webhook/webhook';
import { deliveryIdOf, type OutboxEntry, hears, outbox, queue } from './outbox';

const tries = 5;

type Followed = Streams<'interaction'>;
const on = {
  interaction: {
    InteractionAsked: ignore,
    InteractionAnswered: inBatch,
    InteractionCanceled: inBatch,
    InteractionExpired: inBatch,
  },
} satisfies On<Followed>;

/**
 * Puts the end of each prompt into the outbox of each endpoint that gets it. The process follows the log in order,
 * continues only when an entry is written, and decides by the endpoint's state when the prompt ended. So a repeated run
 * gives the same result, and no number is skipped or used twice (ADR 17).
 */
@Injectable()
export class OutboxProcess extends Projection<Followed, typeof on> {
  readonly name = 'outbox';
  override readonly partitioned = 'subjects';
  readonly tables = [];
  readonly on = on;

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<Handled<Followed, typeof on>>): string {
    return event.accountId;
  }

  /** Most prompts name no endpoint. */
  override concerns({ event }: Recorded<Handled<Followed, typeof on>>): boolean {
    return event.webhookIds.length > 0;
  }

  override async apply(sql: Sql, events: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    if (sql.rebuilding) throw new Error('The outboxes are in the log: there is nothing to rebuild');
    const byEndpoint = new Map<string, Recorded<InteractionEnded>[]>();
    for (const recorded of events)
      for (const webhookId of new Set(recorded.event.webhookIds))
        byEndpoint.set(webhookId, [...(byEndpoint.get(webhookId) ?? []), recorded]);
    await Promise.all(
      [...byEndpoint].map(async ([webhookId, ends]) => {
        for (const recorded of ends) await this.tell(webhookId, recorded);
      }),
    );
  }

  private async tell(webhookId: string, recorded: Recorded<InteractionEnded>): Promise<void> {
    const { event, id, position } = recorded;
    const { type, at } = endOf(event);
    const { accountId, interactionId } = event;
    const about = { webhookId, accountId, replyType: type };
    if (!hears(await this.webhookAt(webhookId, position), about)) return;
    await this.queue(
      {
        ...about,
        deliveryId: deliveryIdOf(webhookId, id, at),
        messageId: deriveId('msg', millis(at), webhookId, id),
        interactionId,
        source: position,
        at: this.clock.now(),
      },
      {
        commandId: uuidV5(id, `webhooks.queue ${webhookId}`),
        causationId: id,
        correlationId: recorded.metadata.correlationId,
        accountId,
        actor: { process: 'webhooks.outbox' },
        ...(recorded.metadata.traceparent && { traceparent: recorded.metadata.traceparent }),
      },
    );
  }

  private async queue(entry: OutboxEntry, metadata: EventMetadata): Promise<void> {
    const tail = streamTail(entry.webhookId);
    for (let tried = 1; ; tried += 1) {
      // The newest entry is the whole state, and an outbox may be long, so only that entry is read.
      const newest = await this.log.store.readLast(`${outbox.category}-${tail}`);
      const known = newest ? (await this.log.open([newest])).map(({ event }) => event as ReplyQueued) : [];
      const entries = queue(entry)(fold(outbox, known));
      if (entries.length === 0) return;
      try {
        await this.log.appendTo(outbox, tail, entries, newest?.revision ?? 'no_stream', metadata);
        this.bus.signal('webhook.queued', entry.webhookId);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || tried === tries) throw error;
      }
    }
  }

  /** The endpoint as it was at this position of the log. */
  private async webhookAt(webhookId: string, position: bigint): Promise<WebhookState> {
    const tail = streamTail(webhookId);
    const { state, position: newest } = await this.log.load(webhook, tail);
    if (newest === undefined || newest <= position) return state;
    const raw = await this.log.store.read(`${webhook.category}-${tail}`);
    const before = await this.log.open(raw.filter((event) => event.position <= position));
    return fold(
      webhook,
      before.map(({ event }) => event as WebhookEvent),
    );
  }
}
