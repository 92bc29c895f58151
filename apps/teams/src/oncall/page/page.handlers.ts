import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { EscalatePage, type Ok, type OncallPage, PageById, Pages, ResolvePage } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { acknowledge } from './acknowledge';
import { existing, page } from './page';
import { PageSteps } from './page-steps.service';
import { Pages as FoundPages } from './pages.service';
import { resolve } from './resolve';
import { PageViews } from './page-views.service';

@Controller()
export class PageHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(FoundPages) private readonly pages: FoundPages,
    @Inject(PageSteps) private readonly steps: PageSteps,
    @Inject(PageViews) private readonly views: PageViews,
  ) {}

  @Handles(Pages.get)
  async get({ id }: PageById, context: Context): Promise<Answer<OncallPage>> {
    return answer(await this.views.one(await this.pages.find(id, context.caller.accountId), context));
  }

  @Handles(Pages.acknowledge)
  async acknowledge({ id }: PageById, context: Context): Promise<Answer<OncallPage>> {
    const by = asPerson(context);
    const { teamId } = await this.pages.find(id, by);
    const { state, position } = await this.log.transact(
      page,
      streamTail(id),
      acknowledge({ by, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    return answer(await this.views.one(existing(state), context), position);
  }

  @Handles(Pages.escalate)
  async escalate({ id, escalationStep: seen }: EscalatePage, context: Context): Promise<Answer<OncallPage>> {
    const found = await this.pages.find(id, asPerson(context));
    const { state, position } = await this.steps.escalate(
      found,
      { asked: found.step, ...(seen !== undefined && { seen }) },
      metadataOf(context, found.teamId),
      context,
    );
    return answer(await this.views.one(existing(state), context), position);
  }

  /** For services only: a service knows when the cause of its own page is over. A page that is gone has ended. */
  @Handles(Pages.recover)
  async recover({ id }: PageById, context: Context): Promise<Answer<Ok>> {
    if (context.caller.accountId !== '' || context.caller.process === undefined)
      throw new Refused('page.unknown');
    const { state } = await this.log.load(page, streamTail(id));
    if (!state) return answer({ ok: true });
    const { teamId } = state;
    const { position } = await this.log.transact(
      page,
      streamTail(id),
      resolve({ by: null, tokenId: null, reason: 'recovery', note: null, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    return answer({ ok: true }, position);
  }

  @Handles(Pages.resolve)
  async resolve({ id, note }: ResolvePage, context: Context): Promise<Answer<OncallPage>> {
    const { accountId: by, tokenId = null } = context.caller;
    const { teamId } = await this.pages.find(id, by);
    const { state, position } = await this.log.transact(
      page,
      streamTail(id),
      resolve({ by, tokenId, reason: 'person', note: note ?? null, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    return answer(await this.views.one(existing(state), context), position);
  }
}

/** Only a person may acknowledge or escalate a page. */
function asPerson({ caller }: Context): string {
  if (caller.sessionId === undefined) throw new Refused('session.required');
  return caller.accountId;
}
