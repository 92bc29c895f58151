import { PushOutcomes } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { WebAppViews, WebAppViews1766016000001, WebAppViewsProjection } from '@carillon/web-app-views';
import { Module } from '@nestjs/common';
import { Makings } from './team/making.service';
import { FamilyQuotas } from './team/family-quotas.service';
import { AudienceHandlers } from './team/group/audience.handlers';
import { DeviceGroupsProcess } from './team/group/device-groups.process';
import { Devices } from './team/group/devices.client';
import { GroupHandlers } from './team/group/group.handlers';
import { GroupCreateHandlers } from './team/group/group-create.handlers';
import { RemovedDevices } from './team/group/removed-devices.worker';
import { GroupViews } from './team/group/group-views.service';
import { AutoJoinsProcess } from './team/auto-join/auto-joins.process';
import { AutoJoins } from './team/auto-join/auto-joins.worker';
import { InviteAcceptHandlers } from './team/invite/invite-accept.handlers';
import { Acceptance } from './team/invite/acceptance.service';
import { Codes } from './team/invite/codes.service';
import { InviteCodesProjection } from './team/invite/invite-codes.projection';
import { InviteHandlers } from './team/invite/invite.handlers';
import { InviteCreateHandlers } from './team/invite/invite-create.handlers';
import { MemberLeaveHandlers } from './team/member/member-leave.handlers';
import { TeamDevicesHandlers } from './team/group/team-devices.handlers';
import { MemberHandlers } from './team/member/member.handlers';
import { MemberRoleHandlers } from './team/member/member-role.handlers';
import { AuditHandlers } from './audit/audit.handlers';
import { AuditProcess } from './audit/audit.process';
import { AuditProjection } from './audit/audit.projection';
import { AuditRows } from './audit/audit-rows.service';
import { Chain } from './audit/chain.service';
import { Checkpoints } from './audit/checkpoints.worker';
import { TeamHistory } from './audit/team-history.service';
import { Challenges } from './team/domain/challenges.client';
import { DomainQuotas } from './team/domain/domain-quotas.service';
import { DomainHandlers } from './team/domain/domain.handlers';
import { Teams1763769600001 } from './migrations/1-teams';
import { Invites1763769600003 } from './migrations/3-invites';
import { Groups1763769600004 } from './migrations/4-groups';
import { Audit1763769600006 } from './migrations/6-audit';
import { Oncall1763769600010 } from './migrations/10-oncall';
import { OncallGroupChangeHandlers } from './oncall/group/oncall-group-change.handlers';
import { OncallGroupCreateHandlers } from './oncall/group/oncall-group-create.handlers';
import { CalendarHandlers } from './oncall/calendar/calendar.handlers';
import { CalendarsProjection } from './oncall/calendar/calendars.projection';
import { CalendarFeeds } from './oncall/calendar/calendars.service';
import { Calendars1763769600012 } from './migrations/12-calendars';
import { OncallGroups } from './oncall/group/oncall-groups.service';
import { OncallHandlers } from './oncall/group/oncall.handlers';
import { OverrideHandlers } from './oncall/group/override.handlers';
import { OpenPages } from './oncall/group/open-pages.service';
import { OncallMeHandlers } from './oncall/page/oncall-me.handlers';
import { TeamApps1763769600040 } from './migrations/40-team-apps';
import { PagesOfGroups1763769600031 } from './migrations/31-pages-of-groups';
import { DeletedOncall1763769600033 } from './migrations/33-deleted-oncall';
import { PastPages } from './oncall/simulation/past-pages.service';
import { SimulationHandlers } from './oncall/simulation/simulation.handlers';
import { OncallHistory } from './oncall/group/oncall-history.service';
import { ScheduleHandlers } from './oncall/group/schedule.handlers';
import { OncallViews } from './oncall/group/oncall-views.service';
import { RoomHolders1763769600002 } from './migrations/2-slot-holders';
import { EmailVerified1763769600020 } from './migrations/20-email-verified';
import { AutoJoin1763769600031 } from './migrations/31-auto-join';
import { Addresses } from './person/addresses.client';
import { Pages1763769600030 } from './migrations/30-pages';
import { PageAcceptance } from './oncall/page/accepted.service';
import { PageListHandlers } from './oncall/page/page-list.handlers';
import { PageCommands } from './oncall/page/page-commands.worker';
import { PageSteps } from './oncall/page/page-steps.service';
import { PageHandlers } from './oncall/page/page.handlers';
import { PageRetention } from './oncall/page/page-retention.worker';
import { PagesProcess } from './oncall/page/pages.process';
import { Pages } from './oncall/page/pages.service';
import { PageTriggerHandlers } from './oncall/page/page-trigger.handlers';
import { PagingService } from './oncall/page/paging.service';
import { PageReserve } from './oncall/page/reserve.client';
import { Rosters } from './oncall/page/rosters.service';
import { PageViews } from './oncall/page/page-views.service';
import { PeopleProjection } from './person/people.projection';
import { People } from './person/people.service';
import { OwnedTeamQuotas } from './team/owned-team-quotas.service';
import { SlotReleasesProcess } from './team/slot-releases.process';
import { SlotReleases } from './team/slot-releases.service';
import { SlotReleaseCommands } from './team/slot-releases.worker';
import { TeamCreateHandlers } from './team/team-create.handlers';
import { TeamViews } from './team/team-views.service';
import { TeamAppsProjection } from './team/team-apps.projection';
import { TeamHandlers } from './team/team.handlers';
import { TeamRates } from './team/team-rates.client';
import { TeamsProjection } from './team/teams.projection';

@Module({
  imports: [
    ServiceModule.for({
      name: 'teams',
      migrations: [
        Teams1763769600001,
        RoomHolders1763769600002,
        Invites1763769600003,
        Groups1763769600004,
        Audit1763769600006,
        Oncall1763769600010,
        Calendars1763769600012,
        EmailVerified1763769600020,
        Pages1763769600030,
        AutoJoin1763769600031,
        PagesOfGroups1763769600031,
        TeamApps1763769600040,
        WebAppViews1766016000001,
        DeletedOncall1763769600033,
      ],
      projections: [
        TeamsProjection,
        TeamAppsProjection,
        PeopleProjection,
        SlotReleasesProcess,
        AutoJoinsProcess,
        InviteCodesProjection,
        DeviceGroupsProcess,
        AuditProcess,
        AuditProjection,
        PagesProcess,
        CalendarsProjection,
        WebAppViewsProjection,
      ],
      queues: [SlotReleaseCommands, RemovedDevices, AutoJoins, Checkpoints, PageCommands, PageRetention],
      providers: [
        Addresses,
        FamilyQuotas,
        OwnedTeamQuotas,
        SlotReleases,
        AuditRows,
        Chain,
        TeamHistory,
        Rosters,
        PageSteps,
      ],
    }),
  ],
  controllers: [
    TeamHandlers,
    TeamCreateHandlers,
    MemberHandlers,
    MemberRoleHandlers,
    MemberLeaveHandlers,
    InviteHandlers,
    InviteCreateHandlers,
    InviteAcceptHandlers,
    GroupCreateHandlers,
    GroupHandlers,
    AudienceHandlers,
    AuditHandlers,
    TeamDevicesHandlers,
    OncallHandlers,
    OncallGroupCreateHandlers,
    OncallGroupChangeHandlers,
    OverrideHandlers,
    ScheduleHandlers,
    PageTriggerHandlers,
    PageHandlers,
    PageListHandlers,
    DomainHandlers,
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
    People,
    TeamRates,
    Codes,
    Acceptance,
    Devices,
    Makings,
    GroupViews,
    TeamViews,
    PushOutcomes,
    PagingService,
    PageReserve,
    PageAcceptance,
    Pages,
    PageViews,
    WebAppViews,
    Challenges,
    DomainQuotas,
    CalendarFeeds,
  ],
})
export class TeamsModule {}
