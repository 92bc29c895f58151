import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  InteractionById,
  ownersOf,
  type PromptDelivery,
  type PromptDeliveries,
  RecoverReplies,
  type RecoveredReplies,
  type ReplyEvent,
  ReplyOfWebhook,
  type ReplyWebhookDelivery,
  TestWebhook,
  Webhooks,
} from '@carillon/contracts';
import { Destinations } from '@carillon/destinations';
import { Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { newId, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { Rates } from '../destination/rates.client';
import { deliveryIdOf } from '../outbox/outbox';
import { bodyOf, endOf, sample } from '../payload/payload';
import { readPrompt } from '../payload/told.service';
import { isOwned, visible, type Webhook, webhook } from '../webhook/webhook';
import { Deliveries } from '../delivery/deliveries';
import { reply, resend } from './reply';
import { ReplySender } from './sender.client';

const testsPerMinute = 10;
const maxAtOnce = 1_000;
const appendsAtOnce = 8;

@Controller()
export class ReplyHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Rates) private readonly rates: Rates,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(ReplySender) private readonly sender: ReplySender,
  ) {}

  @Handles(Webhooks.test)
  async test(
    { id, event: replyType = 'interaction.answered' }: TestWebhook,
    context: Context,
  ): Promise<Answer<{ delivery: ReplyWebhookDelivery }>> {
    const to = await this.webhookOf(id, context);
    await this.countTest(id, context);
    await this.destinations.check(to.url);
    const testedAt = this.clock.now();
    const deliveryId = newId('whd', this.clock.ms());
    const messageId = newId('msg', this.clock.ms());
    const told = sample(replyType, newId('int', this.clock.ms()), testedAt);
    const { error, responseCode, latencyMs } = await this.sender.send(to, {
      id: messageId,
      deliveryId,
      body: bodyOf(to.preset, told),
      sequence: null,
    });
    const tested: ReplyEvent = {
      type: 'ReplyTested',
      deliveryId,
      webhookId: id,
      accountId: to.accountId,
      messageId,
      replyType,
      status: error === null ? 'delivered' : 'failed',
      responseCode,
      error,
      latencyMs,
      testedAt,
    };
    const { position } = await this.log.appendTo(
      reply,
      streamTail(deliveryId),
      [tested],
      'no_stream',
      metadataOf(context),
    );
    await this.projections.caughtUp('replies', position);
    const delivery = await this.deliveries.one(id, deliveryId);
    if (!delivery) throw new Refused('projection.behind', { projection: 'replies' });
    return answer({ delivery }, position);
  }

  @Handles(Webhooks.ofPrompt)
  async ofPrompt({ id }: InteractionById, { caller }: Context): Promise<Answer<PromptDeliveries>> {
    const { accountId } = caller;
    const { asked, ended } = await readPrompt(this.log, id);
    if (asked?.event.interactionId !== id || !ownersOf(asked.event).includes(accountId))
      throw new Refused('interaction.not_found');
    // Those whom a sender asks do not see whom the sender tells.
    if (!ended || ended.event.accountId !== accountId) return answer({ deliveries: [] });
    // The rows are complete once the outboxes have the end, and the rows have what the outboxes had then.
    await this.projections.reached('outbox', String(ended.position), accountId);
    await this.projections.abreast('replies', accountId);
    const { at } = endOf(ended.event);
    const ids = ended.event.webhookIds.map((webhookId) => deliveryIdOf(webhookId, ended.id, at));
    const found = await this.deliveries.among(ids, this.clock.now());
    return answer({ deliveries: await Promise.all(found.map((each) => this.named(each, accountId))) });
  }

  private async named(
    delivery: Omit<PromptDelivery, 'webhookName'>,
    accountId: string,
  ): Promise<PromptDelivery> {
    const { state } = await this.log.load(webhook, streamTail(delivery.webhookId));
    const isThere = isOwned(state, { id: delivery.webhookId, accountId });
    return { ...delivery, webhookName: isThere ? state.name : null };
  }

  @Handles(Webhooks.resend)
  async resend(
    { id, deliveryId }: ReplyOfWebhook,
    context: Context,
  ): Promise<Answer<{ delivery: ReplyWebhookDelivery }>> {
    const to = await this.ready(id, context);
    if (!(await this.deliveries.isQueued(id, deliveryId, this.clock.now())))
      throw new Refused('reply.unknown');
    const position = await this.resendOne(to, deliveryId, context);
    await this.projections.caughtUp('replies', position);
    const delivery = await this.deliveries.one(id, deliveryId);
    if (!delivery) throw new Refused('reply.unknown');
    return answer({ delivery }, position);
  }

  @Handles(Webhooks.recover)
  async recover({ id, since }: RecoverReplies, context: Context): Promise<Answer<RecoveredReplies>> {
    const to = await this.ready(id, context);
    const now = this.clock.now();
    const found = await this.deliveries.undelivered(id, since, { limit: maxAtOnce + 1, now });
    const ids = found.slice(0, maxAtOnce);
    let newest = 0n;
    for (let start = 0; start < ids.length; start += appendsAtOnce) {
      const positions = await Promise.all(
        ids.slice(start, start + appendsAtOnce).map((each) => this.resendOne(to, each, context)),
      );
      for (const position of positions) if (position > newest) newest = position;
    }
    await this.projections.caughtUp('replies', newest);
    return answer(
      { recovered: ids.length, more: found.length > ids.length },
      newest > 0n ? newest : undefined,
    );
  }

  private async resendOne(to: Webhook, deliveryId: string, context: Context): Promise<bigint> {
    const named = { deliveryId, webhookId: to.id, accountId: to.accountId };
    const { position } = await this.log.transact(
      reply,
      streamTail(deliveryId),
      resend({ ...named, at: this.clock.now() }),
      // One command may resend several deliveries.
      { ...metadataOf(context, to.accountId), commandId: uuidV5(context.commandId, `resend ${deliveryId}`) },
    );
    return position;
  }

  /** An endpoint that may be sent to, when the rows know what became of it so far. */
  private async ready(id: string, context: Context): Promise<Webhook> {
    const { found, position } = await this.find(id, context);
    if (!found.enabled) throw new Refused('webhook.disabled');
    await this.projections.reached('replies', context.after, found.accountId);
    await this.projections.reached('replies', String(position), found.accountId);
    return found;
  }

  private async webhookOf(id: string, context: Context): Promise<Webhook> {
    return (await this.find(id, context)).found;
  }

  /** The webhook must be the caller's; the operator of the installation may name any. */
  private async find(id: string, { caller }: Context): Promise<{ found: Webhook; position: bigint }> {
    const { state, position = 0n } = await this.log.load(webhook, streamTail(id));
    const isOperator = caller.process === 'operator';
    const accountId = isOperator ? (state?.accountId ?? '') : caller.accountId;
    return { found: visible(state, { id, accountId }), position };
  }

  private countTest(id: string, context: Context): Promise<void> {
    const take = { key: `webhook-test ${id}`, limit: testsPerMinute, windowSeconds: 60 };
    return this.rates.take(take, 'webhook.tested_too_often', context);
  }
}
