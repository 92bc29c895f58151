import type { Instant } from '@carillon/eventing';
import type { AnsweredStatus, InteractionEnded } from './interactions.events';

export type EndedStatus = AnsweredStatus | 'canceled' | 'expired';

/** The final status of a prompt, and the time of its end. */
export function endOf(event: InteractionEnded): { readonly status: EndedStatus; readonly at: Instant } {
  switch (event.type) {
    case 'InteractionAnswered':
      return { status: event.status, at: event.answeredAt };
    case 'InteractionCanceled':
      return { status: 'canceled', at: event.canceledAt };
    case 'InteractionExpired':
      return { status: 'expired', at: event.expiredAt };
  }
}
