import type { ReplyAttempted, WebhookChanged, WebhookDeleted, WebhookDisabled } from '@carillon/contracts';
import { Log, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { disable, webhook } from '../webhook/webhook';
import { verdict } from './health';
import { DisabledNotices } from './disabled-notices.worker';

type Followed = ReplyAttempted | WebhookChanged | WebhookDisabled | WebhookDeleted;

/** Switches endpoints off that are gone or take nothing for days, and has their owners told. */
@Injectable()
export class HealthProcess extends Projection {
  readonly name = 'health';
  readonly tables = ['failing_webhooks'];
  readonly categories = ['reply', 'webhook'];
  readonly handles = ['ReplyAttempted', 'WebhookChanged', 'WebhookDisabled', 'WebhookDeleted'];
  readonly ignores = [
    'ReplyResent',
    'ReplyCanceled',
    'ReplyTested',
    'WebhookCreated',
    'WebhookSecretRotated',
  ];

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(DisabledNotices) private readonly notice: DisabledNotices,
  ) {
    super();
  }

  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    for (const recorded of events as readonly Recorded<Followed>[]) await this.applyOne(sql, recorded);
  }

  private async applyOne(sql: Sql, recorded: Recorded<Followed>): Promise<void> {
    const { event } = recorded;
    switch (event.type) {
      case 'ReplyAttempted':
        if (event.status === 'delivered') await this.forget(sql, event.webhookId);
        else await this.judge(sql, recorded as Recorded<ReplyAttempted>);
        break;
      case 'WebhookChanged':
        if (event.enabled || event.url !== undefined) await this.forget(sql, event.webhookId);
        break;
      case 'WebhookDisabled':
        await this.forget(sql, event.webhookId);
        await this.notice.order(sql, recorded as Recorded<WebhookDisabled>);
        break;
      case 'WebhookDeleted':
        await this.forget(sql, event.webhookId);
        break;
    }
  }

  private async forget(sql: Sql, webhookId: string): Promise<void> {
    await sql.query(`DELETE FROM failing_webhooks WHERE webhook_id = $1`, [webhookId]);
  }

  private async judge(sql: Sql, { id, event, metadata }: Recorded<ReplyAttempted>): Promise<void> {
    const { webhookId, responseCode, attemptedAt } = event;
    const [row] = await sql.query<{ since: Date }>(
      `INSERT INTO failing_webhooks AS f (webhook_id, since) VALUES ($1, $2)
       ON CONFLICT (webhook_id) DO UPDATE SET since = f.since RETURNING since`,
      [webhookId, attemptedAt],
    );
    const reason = verdict({ responseCode, attemptedAt, failingSince: row!.since.toISOString() });
    if (!reason || sql.rebuilding) return;
    const decide = disable({ id: webhookId, reason, at: attemptedAt });
    await this.log.transact(
      webhook,
      streamTail(webhookId),
      // Whoever has changed it since may have mended it, or switched it on again after this very failure.
      (state) => (state && state.updatedAt > attemptedAt ? [] : decide(state)),
      {
        commandId: uuidV5(id, 'webhooks.disable'),
        causationId: id,
        correlationId: metadata.correlationId,
        accountId: event.accountId,
        actor: { process: 'webhooks.health' },
      },
    );
  }
}
