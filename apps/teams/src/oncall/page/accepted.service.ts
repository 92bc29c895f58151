import type { Context } from '@carillon/bus';
import { Clock, metadataOf } from '@carillon/runtime';
import { PushOutcomes } from '@carillon/push-client';
import { uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { OncallPageFacts } from './page';
import { PageSteps } from './page-steps.service';

/** Timeout of the wait for push providers before the caller gets the answer. */
const timeoutMs = 10_000;

/** Waits for the push providers' outcome of a new page. */
@Injectable()
export class PageAcceptance {
  constructor(
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
    @Inject(PageSteps) private readonly steps: PageSteps,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * The number of devices whose push of the page was accepted, and the page after that. A step that reaches no device
   * is followed by the next step at once.
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
          this.outcomes.progress(pushId, asPerson(accountId, context), endMs),
        ),
      );
      const accepted = statuses.reduce((sum, { accepted }) => sum + accepted, 0);
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

/** A context for the notified account, which may read the outcome of its push. */
const asPerson = (accountId: string, context: Context): Context => ({
  ...context,
  caller: { accountId, process: 'teams.pages' },
});
