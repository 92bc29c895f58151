import type { PromptEscalationEvent } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';

/** The escalation of a prompt that was not answered in time; null before it begins. */
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
  personal: { EscalationBegun: [], PromptPaged: [] },
};

interface Beginning {
  readonly interactionId: string;
  readonly isPending: boolean;
  readonly at: Instant;
}

/** Begins the escalation, unless the prompt has already ended. Once begun, it always continues to the page. */
export const begin: Decision<Escalation, PromptEscalationEvent, Beginning> =
  ({ interactionId, isPending, at }) =>
  (state) =>
    state || !isPending ? [] : [{ type: 'EscalationBegun', interactionId, begunAt: at }];

interface Paging {
  readonly interactionId: string;
  readonly pageId: string;
  readonly at: Instant;
}

/** Records the page of the escalation; only the first one counts. */
export const paged: Decision<Escalation, PromptEscalationEvent, Paging> =
  ({ interactionId, pageId, at }) =>
  (state) =>
    !state || state.pageId !== null ? [] : [{ type: 'PromptPaged', interactionId, pageId, pagedAt: at }];
