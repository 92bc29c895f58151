import type { AgentService } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { type Service, serviceView } from './service';
import { Shares } from './shares.service';

/** Services as the API shows them. */
@Injectable()
export class ServiceViews {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Shares) private readonly shares: Shares,
  ) {}

  /** Leaves out a deleted reply webhook and an ended share, also before the service has the event of their removal. */
  async of(service: Service, after?: string): Promise<AgentService> {
    return {
      ...serviceView(service),
      familyId: await this.shares.familyOf(service, after),
      defaultReplyWebhookId: await this.webhookOf(service, after),
    };
  }

  private async webhookOf(
    { accountId, defaultReplyWebhookId }: Service,
    after?: string,
  ): Promise<string | null> {
    if (defaultReplyWebhookId === null) return null;
    await this.projections.reached('deleted_webhooks', after, accountId);
    const [deleted] = await this.database.query(`SELECT FROM deleted_webhooks WHERE webhook_id = $1`, [
      defaultReplyWebhookId,
    ]);
    return deleted ? null : defaultReplyWebhookId;
  }
}
