import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { Duty, Nothing, type OncallOwnShift, type OncallPage, type OwnDuty } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { OncallGroups } from '../group/oncall-groups.service';
import { OpenPages } from '../group/open-pages.service';
import { ownShifts } from '../group/own-shifts';
import { OncallViews } from '../group/oncall-views.service';
import { isOpen, page } from './page';
import { PageViews } from './page-views.service';

/** The caller's open pages and shifts. */
@Controller()
export class OncallMeHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(OpenPages) private readonly open: OpenPages,
    @Inject(OncallViews) private readonly oncall: OncallViews,
    @Inject(PageViews) private readonly pages: PageViews,
  ) {}

  @Handles(Duty.read)
  async read(_: Nothing, context: Context): Promise<Answer<OwnDuty>> {
    const [shifts, pages] = await Promise.all([this.shiftsOf(context), this.pagesOf(context)]);
    return answer({ shifts, pages });
  }

  private async shiftsOf({ caller: { accountId }, after }: Context): Promise<OncallOwnShift[]> {
    const shifts = ownShifts(accountId, await this.groups.of(accountId, after), this.clock.now());
    return this.oncall.ownShifts(shifts, after);
  }

  private async pagesOf(context: Context): Promise<OncallPage[]> {
    const pageIds = await this.open.of(context.caller.accountId, context.after);
    const found = await Promise.all(
      pageIds.map(async (pageId) => (await this.log.load(page, streamTail(pageId))).state),
    );
    return this.pages.all(found.filter(isOpen), context);
  }
}
