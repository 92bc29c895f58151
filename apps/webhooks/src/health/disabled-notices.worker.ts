import { Bus } from '@carillon/bus';
import { Notifications, type WebhookDisabled } from '@carillon/contracts';
import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { webhook } from '../webhook/webhook';
import { noticeOf } from './health';

interface Order {
  readonly eventId: string;
  readonly webhookId: string;
  readonly accountId: string;
  readonly reason: WebhookDisabled['reason'];
  readonly disabledAt: string;
}

/** The idempotency key of a notification holds for this long; an older notice is not sent. */
const newsMs = 24 * 60 * 60 * 1000;
const timeoutMs = 20_000;

/** Notifies the owner of an endpoint once that the service has switched it off. */
@Injectable()
export class DisabledNotices extends Timers {
  readonly name = 'disabled_notices';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  /** Enqueues the notice to the owner in the transaction of the projection. */
  async order(sql: Sql, { id, event }: Recorded<WebhookDisabled>): Promise<void> {
    const { webhookId, accountId, reason, disabledAt } = event;
    const order: Order = { eventId: id, webhookId, accountId, reason, disabledAt };
    await this.set(sql, `disabled ${id}`, disabledAt, order);
  }

  protected async issue({ command }: Timer): Promise<void> {
    const { eventId, webhookId, accountId, reason, disabledAt } = command as Order;
    if (this.clock.ms() - millis(disabledAt) >= newsMs) return;
    const { state } = await this.log.load(webhook, streamTail(webhookId));
    if (!state || (state.name as string | null) === null) return;
    await this.bus.ask(Notifications.send, noticeOf(reason, state.name), {
      commandId: eventId,
      correlationId: eventId,
      caller: { accountId, tokenName: 'Carillon', process: 'webhooks.health' },
      deadline: Date.now() + timeoutMs,
      idempotency: { key: `webhook disabled ${eventId}`, fingerprint: eventId },
    });
  }
}
