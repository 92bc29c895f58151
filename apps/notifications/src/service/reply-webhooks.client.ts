import { Bus, type Context } from '@carillon/bus';
import { Webhooks } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** Reads reply webhooks from the webhooks service. */
@Injectable()
export class ReplyWebhooks {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Refused `webhook.not_found` when a webhook is named that is not the caller's. */
  async insistOn(webhookId: string | null | undefined, context: Context): Promise<void> {
    if (webhookId) await this.bus.ask(Webhooks.targets, { webhookId }, context);
  }
}
