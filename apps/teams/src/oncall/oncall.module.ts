import { PushOutcomes } from '@carillon/push-client';
import type { ServiceOptions } from '@carillon/runtime';
import { WebAppViews, WebAppViewsProjection } from '@carillon/web-app-views';
import { Module } from '@nestjs/common';
import { PersonModule } from '../person/person.module';
import { TeamModule } from '../team/team.module';
import { CalendarHandlers } from './calendar/calendar.handlers';
import { CalendarsProjection } from './calendar/calendars.projection';
import { CalendarFeeds } from './calendar/calendars.service';
import { OncallGroupChangeHandlers } from './group/oncall-group-change.handlers';
import { OncallGroupCreateHandlers } from './group/oncall-group-create.handlers';
import { OncallGroups } from './group/oncall-groups.service';
import { OncallHistory } from './group/oncall-history.service';
import { OncallViews } from './group/oncall-views.service';
import { OncallHandlers } from './group/oncall.handlers';
import { OpenPages } from './group/open-pages.service';
import { OverrideHandlers } from './group/override.handlers';
import { ScheduleHandlers } from './group/schedule.handlers';
import { HandoffNotices } from './handoff/handoff-notices.worker';
import { HandoffsProcess } from './handoff/handoffs.process';
import { PageAcceptance } from './page/accepted.service';
import { OncallMeHandlers } from './page/oncall-me.handlers';
import { PageCommands } from './page/page-commands.worker';
import { PageListHandlers } from './page/page-list.handlers';
import { PageRetention } from './page/page-retention.worker';
import { PageSteps } from './page/page-steps.service';
import { PageTriggerHandlers } from './page/page-trigger.handlers';
import { PageViews } from './page/page-views.service';
import { PageHandlers } from './page/page.handlers';
import { PagesProcess } from './page/pages.process';
import { Pages } from './page/pages.service';
import { PagingService } from './page/paging.service';
import { PageReserve } from './page/reserve.client';
import { Rosters } from './page/rosters.service';
import { PastPages } from './simulation/past-pages.service';
import { SimulationHandlers } from './simulation/simulation.handlers';

/** Runs in the service for on-call groups, their calendars and pages. */
export const oncallParts = {
  projections: [PagesProcess, HandoffsProcess, CalendarsProjection, WebAppViewsProjection],
  queues: [PageCommands, PageRetention, HandoffNotices],
  providers: [Rosters, PageSteps],
} satisfies Partial<ServiceOptions>;

@Module({
  imports: [PersonModule, TeamModule],
  controllers: [
    OncallHandlers,
    OncallGroupCreateHandlers,
    OncallGroupChangeHandlers,
    OverrideHandlers,
    ScheduleHandlers,
    PageTriggerHandlers,
    PageHandlers,
    PageListHandlers,
    CalendarHandlers,
    OncallMeHandlers,
    SimulationHandlers,
  ],
  providers: [
    OncallGroups,
    OncallHistory,
    OpenPages,
    PastPages,
    OncallViews,
    PushOutcomes,
    PagingService,
    PageReserve,
    PageAcceptance,
    Pages,
    PageViews,
    WebAppViews,
    CalendarFeeds,
  ],
})
export class OncallModule {}
