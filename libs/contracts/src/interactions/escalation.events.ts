import type { Instant } from '@carillon/eventing';

/** Stream `prompt_escalation-<tail of the prompt's id>`: the escalation of a prompt that nobody answered in time. */
export type PromptEscalationEvent = EscalationBegun | PromptPaged;

/** The prompt was still pending at its escalation time. It becomes a page, whatever happens to it after this. */
export interface EscalationBegun {
  readonly type: 'EscalationBegun';
  readonly interactionId: string;
  readonly begunAt: Instant;
}

/** The prompt's page was created. */
export interface PromptPaged {
  readonly type: 'PromptPaged';
  readonly interactionId: string;
  readonly pageId: string;
  readonly pagedAt: Instant;
}
