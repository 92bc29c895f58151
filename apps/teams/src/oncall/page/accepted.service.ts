import type { Context } from '@carillon/bus';
import { Clock, metadataOf } from '@carillon/runtime';
import { PushOutcomes } from '@carillon/push-client';
import { uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { OncallPageFacts } from './page';
import { PageSteps } from './page-steps.service';

/** How long the answer to who has paged waits for the providers. */
const timeoutMs = 10_000;

/** What the providers say of a page that was just made. */
@Injectable()
export class PageAcceptance {
  constructor(
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
    @Inject(PageSteps) private readonly steps: PageSteps,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * The devices that have accepted it, of the steps too that follow at once where nobody was reached; and how the page
   * stands then.
   */
  async of(
    made: OncallPageFacts,
    context: Context,
  ): Promise<{ readonly page: OncallPageFacts; readonly accepted: number }> {
    const endMs = this.clock.ms() + timeoutMs;
    for (let page = made; ;) {
      const pushes = page.people.filter(({ deviceIds }) => deviceIds.length > 0);
      const statuses = await Promise.all(
        pushes.map(({ pushId, accountId }) =>
          this.outcomes.standing(pushId, asPerson(accountId, context), endMs),
        ),
      );
      const accepted = statuses.reduce((sum, standing) => sum + standing.accepted, 0);
      if (accepted > 0 || !statuses.every(({ final }) => final)) return { page, accepted };
      const { origin: _, ...metadata } = metadataOf(context, page.teamId);
      const { state } = await this.steps.runUnreached(
        page,
        page.step,
        {
          ...metadata,
          commandId: uuidV5(page.pageId, `teams.page unreached ${page.step}`),
          actor: { process: 'teams.pages' },
        },
        context,
      );
      if (!state || state.step === page.step) return { page: state ?? page, accepted };
      page = state;
    }
  }
}

/** Whose devices are pushed to may ask what became of it. */
const asPerson = (accountId: string, context: Context): Context => ({
  ...context,
  caller: { accountId, process: 'teams.pages' },
});
