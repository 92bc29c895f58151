import type { Instant } from '@carillon/eventing';

/** Stream `prompt_escalation-<tail of the prompt's id>`: what a prompt that nobody answered in time has become. */
export type PromptEscalationEvent = EscalationBegun | PromptPaged;

/** It was pending still when its time had come: it becomes a page, whatever happens to it from now on. */
export interface EscalationBegun {
  readonly type: 'EscalationBegun';
  readonly interactionId: string;
  readonly begunAt: Instant;
}

/** This is its page. */
export interface PromptPaged {
  readonly type: 'PromptPaged';
  readonly interactionId: string;
  readonly pageId: string;
  readonly pagedAt: Instant;
}
