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
    await Promise.all([...byEndpoint].map(([webhookId, ends]) => this.tell(webhookId, ends)));
  }

  private async tell(webhookId: string, ends: readonly Recorded<InteractionEnded>[]): Promise<void> {
    const webhookAt = await this.webhookAt(webhookId, ends[0]!.position);
    const told = ends.flatMap(({ event, id, position, metadata }): QueuedEnd[] => {
      const { type, at } = endOf(event);
      const { accountId, interactionId } = event;
      const about = { webhookId, accountId, replyType: type };
      if (!hears(webhookAt(position), about)) return [];
      const entry = {
        ...about,
        deliveryId: deliveryIdOf(webhookId, id, at),
        messageId: deriveId('msg', millis(at), webhookId, id),
        interactionId,
        source: position,
        at: this.clock.now(),
      };
      return [
        {
          entry,
          metadata: {
            commandId: uuidV5(id, `webhooks.queue ${webhookId}`),
            causationId: id,
            correlationId: metadata.correlationId,
            accountId,
            actor: { process: 'webhooks.outbox' },
            ...(metadata.traceparent && { traceparent: metadata.traceparent }),
          },
        },
      ];
    });
    if (told.length > 0) await this.queue(webhookId, told);
  }

  /** All of them in one append: a transaction waits for it, which may not be idle for long. */
  private async queue(webhookId: string, told: readonly QueuedEnd[]): Promise<void> {
    const tail = streamTail(webhookId);
    for (let tried = 1; ; tried += 1) {
      // The newest entry is the whole state, and an outbox may be long, so only that entry is read.
      const newest = await this.log.store.readLast(`${outbox.category}-${tail}`);
      const known = newest ? (await this.log.open([newest])).map(({ event }) => event as ReplyQueued) : [];
      let state = fold(outbox, known);
      const parts = told.flatMap(({ entry, metadata }) => {
        const events = queue(entry)(state);
        state = fold(outbox, events, state);
        return events.length > 0 ? [{ events, metadata }] : [];
      });
      if (parts.length === 0) return;
      try {
        await this.log.appendParts(outbox, tail, parts, newest?.revision ?? 'no_stream');
        this.bus.signal('webhook.queued', webhookId);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || tried === tries) throw error;
      }
    }
  }

  /** The endpoint as it was at a position of the log, none before the first one: all of them are known by now. */
  private async webhookAt(webhookId: string, first: bigint): Promise<(position: bigint) => WebhookState> {
    const tail = streamTail(webhookId);
    const { state, position: newest } = await this.log.load(webhook, tail);
    if (newest === undefined || newest <= first) return () => state;
    const changes = await this.log.open(await this.log.store.read(`${webhook.category}-${tail}`));
    return (position) =>
      fold(
        webhook,
        changes.filter((change) => change.position <= position).map(({ event }) => event as WebhookEvent),
      );
  }
}

/** What an outbox is told, and the metadata of its entry. */
interface QueuedEnd {
  readonly entry: OutboxEntry;
  readonly metadata: EventMetadata;
}
