import { answer, type Answer, Bus, type Context, Handles } from '@carillon/bus';
import { Apps, type OncallPageCreated, Pages, RaisePage, TriggerPage } from '@carillon/contracts';
import { isPassing, refusedAs } from '@carillon/eventing';
import { type Logger, LOGGER } from '@carillon/runtime';
import { Controller, Inject } from '@nestjs/common';
import type { FoundGroup } from '../group/found-group';
import { OncallGroups } from '../group/oncall-groups.service';
import { PageAcceptance } from './accepted.service';
import { PagingService } from './paging.service';
import { PageViews } from './page-views.service';

/** Timeout of the check whether the caller can open the page's app. */
const appWithinMs = 2_000;

@Controller()
export class PageTriggerHandlers {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(PagingService) private readonly paging: PagingService,
    @Inject(PageAcceptance) private readonly accepted: PageAcceptance,
    @Inject(PageViews) private readonly pages: PageViews,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Handles(Pages.trigger)
  async trigger(input: TriggerPage, context: Context): Promise<Answer<OncallPageCreated>> {
    const found = await this.groups.find(input.groupId, context.caller.accountId);
    const { through, sessionId } = context.caller;
    const source = through ?? (sessionId === undefined ? 'api' : 'console');
    const dedupKey = input.dedupKey ?? context.idempotency?.key;
    return this.page(found, { ...input, source, ...(dedupKey !== undefined && { dedupKey }) }, context);
  }

  @Handles(Pages.raise)
  async raise(input: RaisePage, context: Context): Promise<Answer<OncallPageCreated>> {
    return this.page(await this.named(input.groupId, context), input, context);
  }

  /** Finds a group named in a body. A service that pages by itself has no account, so its membership is not checked. */
  private async named(groupId: string, { caller }: Context): Promise<Pick<FoundGroup, 'team' | 'group'>> {
    const found =
      caller.accountId === '' && caller.process !== undefined
        ? this.groups.findAny(groupId)
        : this.groups.find(groupId, caller.accountId);
    return refusedAs('oncall_group.unknown', 'oncall_group.not_found', found);
  }

  private async page(
    { team, group }: Pick<FoundGroup, 'team' | 'group'>,
    input: RaisePage,
    context: Context,
  ): Promise<Answer<OncallPageCreated>> {
    if (input.appId !== undefined) await this.insistOnVisible(input.appId, context);
    const made = await this.paging.page({ ...input, teamId: team.teamId, group }, context);
    const { page, accepted } = made.created
      ? await this.accepted.of(made.page, context)
      : { page: made.page, accepted: 0 };
    const shown = await this.pages.one(page, context);
    return answer({ page: shown, deduplicated: !made.created, accepted }, made.position);
  }

  /**
   * Refused `app.not_found` for an app that the caller cannot open. If the check itself fails, the page is sent with
   * the app: views hide its name from people who cannot open it.
   */
  private async insistOnVisible(id: string, context: Context): Promise<void> {
    const deadline = Math.min(context.deadline, Date.now() + appWithinMs);
    try {
      await this.bus.ask(Apps.visible, { id }, { ...context, deadline });
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.logger.warn(
        { err: error, traceparent: context.traceparent },
        'Failed to check whether the caller can open the app of a page: the page is sent with the app',
      );
    }
  }
}
