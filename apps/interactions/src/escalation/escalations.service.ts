import { Bus } from '@carillon/bus';
import { Pages } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { unless } from '@carillon/eventing';
import { Clock, type CommandContext } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type AskedPrompt, prompt, statusAt } from '../prompt/prompt';
import { begin, escalation, paged } from './escalation';

const withinMs = 20_000;

/** Escalates prompts to pages, and ends the pages of answered prompts. Each step is repeatable. */
@Injectable()
export class Escalations {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Escalates a prompt that is due. */
  async escalate(interactionId: string, as: CommandContext): Promise<void> {
    const asked = await this.find(interactionId);
    if (!asked) return;
    const tail = streamTail(interactionId);
    const at = this.clock.now();
    const isPending = statusAt(asked, at) === 'pending';
    const begun = begin({ interactionId, isPending, at });
    const { state } = await this.log.transact(escalation, tail, begun, as.metadata(asked.accountId, 'begin'));
    if (!state) return;
    const pageId = state.pageId ?? (await this.pageFor(asked, as));
    if (pageId === undefined) return;
    await this.log.transact(
      escalation,
      tail,
      paged({ interactionId, pageId, at: this.clock.now() }),
      as.metadata(asked.accountId, 'paged'),
    );
    // The prompt may have been answered during the escalation.
    await this.settle(interactionId, as);
  }

  /** Ends the page of an ended prompt, unless the prompt was not answered. */
  async settle(interactionId: string, as: CommandContext): Promise<void> {
    const { state } = await this.log.load(escalation, streamTail(interactionId));
    const asked = await this.find(interactionId);
    if (!state?.pageId || !asked?.end || asked.end.type === 'InteractionExpired') return;
    await this.bus.ask(Pages.recover, { id: state.pageId }, as.context({ withinMs, step: 'settle' }));
  }

  /**
   * The page of the prompt, the same on every call; undefined when the group no longer exists for the prompt's sender.
   */
  private async pageFor(asked: AskedPrompt, as: CommandContext): Promise<string | undefined> {
    const { escalatesTo, title, prompt: body, url, interactionId } = asked;
    if (!escalatesTo || title === null) return undefined;
    const { groupId } = escalatesTo;
    const raised = this.bus.ask(
      Pages.raise,
      { groupId, title, body, url, dedupKey: `interaction:${interactionId}`, source: 'api' },
      as.context({ accountId: asked.accountId, withinMs, step: 'page' }),
    );
    return (await unless('oncall_group.not_found', raised))?.value.page.id;
  }

  private async find(interactionId: string): Promise<AskedPrompt | null> {
    return (await this.log.load(prompt, streamTail(interactionId))).state;
  }
}
