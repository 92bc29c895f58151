import { id, instant, listOf, nullable, oneOf } from '../published/fields';
import { type Publications, unpublished } from '../published/publication';
import type { PromptEscalationEvent } from './escalation.events';
import type { InteractionEvent } from './interactions.events';

/** The events of the page itself are published instead. */
export const promptEscalationPublications: Publications<PromptEscalationEvent> = {
  EscalationBegun: unpublished,
  PromptPaged: unpublished,
};

export const interactionPublications: Publications<InteractionEvent> = {
  InteractionAsked: {
    name: 'interactions.interaction.asked',
    id: 'interactionId',
    time: 'askedAt',
    summary: 'A prompt exists, and is on its way to these devices.',
    data: {
      interactionId: id,
      accountId: id,
      tokenId: id,
      kind: oneOf('approval', 'yes_no', 'reply'),
      presentation: oneOf('notification', 'live_activity'),
      serviceId: nullable(id),
      liveActivityId: nullable(id),
      webhookIds: listOf(id),
      deviceIds: listOf(id),
      recipients: nullable(listOf(id)),
      askedAt: instant,
      expiresAt: instant,
    },
  },
  InteractionAnswered: {
    name: 'interactions.interaction.answered',
    id: 'interactionId',
    time: 'answeredAt',
    summary: 'A person answered a prompt. What they wrote is asked for by id.',
    data: {
      interactionId: id,
      accountId: id,
      status: oneOf('approved', 'denied', 'yes', 'no', 'replied'),
      respondingUserId: id,
      respondingDeviceId: nullable(id),
      answeredAt: instant,
    },
  },
  InteractionCanceled: {
    name: 'interactions.interaction.canceled',
    id: 'interactionId',
    time: 'canceledAt',
    summary: 'A prompt was taken back.',
    data: { interactionId: id, accountId: id, canceledAt: instant },
  },
  InteractionExpired: {
    name: 'interactions.interaction.expired',
    id: 'interactionId',
    time: 'expiredAt',
    summary: 'Nobody answered a prompt in time.',
    data: { interactionId: id, accountId: id, expiredAt: instant },
  },
};
