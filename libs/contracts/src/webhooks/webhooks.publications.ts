import { count, flag, id, instant, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type { AccountWebhooksEvent, ReplyEvent, ReplyQueued, WebhookEvent } from './webhooks.events';

export const webhookPublications: Publications<
  WebhookEvent | AccountWebhooksEvent | ReplyQueued | ReplyEvent
> = {
  WebhookCreated: {
    name: 'webhooks.webhook.created',
    id: 'webhookId',
    time: 'createdAt',
    summary: 'A reply webhook was saved.',
    data: { webhookId: id, accountId: id, enabled: flag, createdAt: instant },
  },
  WebhookChanged: {
    name: 'webhooks.webhook.changed',
    id: 'webhookId',
    time: 'changedAt',
    summary: 'A reply webhook was changed.',
    data: { webhookId: id, accountId: id, changedAt: instant },
  },
  WebhookSecretRotated: {
    name: 'webhooks.webhook.rotated',
    id: 'webhookId',
    time: 'rotatedAt',
    summary: 'A reply webhook signs with another secret.',
    data: { webhookId: id, accountId: id, formerUntil: nullable(instant), rotatedAt: instant },
  },
  WebhookDisabled: {
    name: 'webhooks.webhook.disabled',
    id: 'webhookId',
    time: 'disabledAt',
    summary: 'A reply webhook was switched off, because its receiver is gone or fails all the time.',
    data: { webhookId: id, accountId: id, reason: oneOf('gone', 'failing'), disabledAt: instant },
  },
  WebhookDeleted: {
    name: 'webhooks.webhook.deleted',
    id: 'webhookId',
    time: 'deletedAt',
    summary: 'A reply webhook was deleted.',
    data: { webhookId: id, accountId: id, deletedAt: instant },
  },
  DefaultWebhookChosen: {
    name: 'webhooks.default.chosen',
    id: 'accountId',
    time: 'chosenAt',
    summary: 'The account has another default reply webhook, or none.',
    data: { accountId: id, webhookId: nullable(id), chosenAt: instant },
  },
  ReplyQueued: {
    name: 'webhooks.reply.queued',
    id: 'deliveryId',
    time: 'queuedAt',
    summary: 'An endpoint is to hear how a prompt ended.',
    data: {
      deliveryId: id,
      webhookId: id,
      accountId: id,
      interactionId: id,
      replyType: oneOf('interaction.answered', 'interaction.expired', 'interaction.canceled'),
      sequence: count,
      queuedAt: instant,
    },
  },
  ReplyAttempted: {
    name: 'webhooks.reply.attempted',
    id: 'deliveryId',
    time: 'attemptedAt',
    summary: 'An endpoint was called, and this came of it.',
    data: {
      deliveryId: id,
      webhookId: id,
      accountId: id,
      attempt: count,
      status: oneOf('delivered', 'retrying', 'failed'),
      nextAttemptAt: nullable(instant),
      attemptedAt: instant,
    },
  },
  ReplyResent: {
    name: 'webhooks.reply.resent',
    id: 'deliveryId',
    time: 'resentAt',
    summary: 'A delivery is to be made once more.',
    data: { deliveryId: id, webhookId: id, accountId: id, resentAt: instant },
  },
  ReplyCanceled: {
    name: 'webhooks.reply.canceled',
    id: 'deliveryId',
    time: 'canceledAt',
    summary: 'A delivery was given up, because its endpoint was disabled or deleted.',
    data: {
      deliveryId: id,
      webhookId: id,
      accountId: id,
      reason: oneOf('disabled', 'deleted'),
      canceledAt: instant,
    },
  },
  WebhookAdmitted: unpublished,
  WebhookReleased: unpublished,
  ReplyTested: unpublished,
};
