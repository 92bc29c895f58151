import { Bus, type Context } from '@carillon/bus';
import { Webhooks } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** What the webhooks service knows of reply webhooks. */
@Injectable()
export class ReplyWebhooks {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Refused `webhook.not_found` unless the one that is named, if any, is the caller's. */
  async insistOn(webhookId: string | null | undefined, context: Context): Promise<void> {
    if (webhookId) await this.bus.ask(Webhooks.targets, { webhookId }, context);
  }
}
