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

/** Makes pages of prompts, and ends those whose prompt has its answer. Each step may be made again. */
@Injectable()
export class Escalations {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Its time has come. */
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
    // It may have been answered while it became a page.
    await this.settle(interactionId, as);
  }

  /** The prompt is over: its page is, unless nobody has answered. */
  async settle(interactionId: string, as: CommandContext): Promise<void> {
    const { state } = await this.log.load(escalation, streamTail(interactionId));
    const asked = await this.find(interactionId);
    if (!state?.pageId || !asked?.end || asked.end.type === 'InteractionExpired') return;
    await this.bus.ask(Pages.recover, { id: state.pageId }, as.context({ withinMs, step: 'settle' }));
  }

  /** The same page however often it is asked for; none when its group is not there for who has asked any more. */
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
