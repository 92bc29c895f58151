import type { PromptEscalationEvent } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';

/** What a prompt has become that nobody answered in time; null while it has become nothing. */
export type Escalation = { readonly pageId: string | null } | null;

export const escalation: Decider<Escalation, PromptEscalationEvent> = {
  category: 'prompt_escalation',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'EscalationBegun':
        return { pageId: null };
      case 'PromptPaged':
        return state && { pageId: event.pageId };
    }
  },
};

interface Beginning {
  readonly interactionId: string;
  readonly isPending: boolean;
  readonly at: Instant;
}

/** Once it has begun it goes on to the page; what is over before does not begin. */
export const begin: Decision<Escalation, PromptEscalationEvent, Beginning> =
  ({ interactionId, isPending, at }) =>
  (state) =>
    state || !isPending ? [] : [{ type: 'EscalationBegun', interactionId, begunAt: at }];

interface Paging {
  readonly interactionId: string;
  readonly pageId: string;
  readonly at: Instant;
}

/** Notes its page, the first that it is given. */
export const paged: Decision<Escalation, PromptEscalationEvent, Paging> =
  ({ interactionId, pageId, at }) =>
  (state) =>
    !state || state.pageId !== null ? [] : [{ type: 'PromptPaged', interactionId, pageId, pagedAt: at }];
