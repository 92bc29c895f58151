import { PushOutcomes } from '@carillon/push-client';
import { ServiceModule } from '@carillon/runtime';
import { ShownApps, ShownApps1766016000001, ShownAppsProjection } from '@carillon/shown-apps';
import { Module } from '@nestjs/common';
import { Makings } from './team/making.service';
import { FamilyRooms } from './team/family-rooms.service';
import { AudienceHandlers } from './group/audience.handlers';
import { DeviceGroupsProcess } from './group/device-groups.process';
import { Devices } from './group/devices.client';
import { GroupHandlers } from './group/group.handlers';
import { MakingHandlers } from './group/making.handlers';
import { RemovedDevices } from './group/removed-devices.worker';
import { ShownGroups } from './group/shown-groups.service';
import { AutoJoinsProcess } from './auto-join/auto-joins.process';
import { AutoJoins } from './auto-join/auto-joins.worker';
import { AcceptanceHandlers } from './invite/acceptance.handlers';
import { Acceptance } from './invite/acceptance.service';
import { Codes } from './invite/codes.service';
import { InviteCodesProjection } from './invite/invite-codes.projection';
import { InviteHandlers } from './invite/invite.handlers';
import { InvitingHandlers } from './invite/inviting.handlers';
import { DepartureHandlers } from './member/departure.handlers';
import { TeamDevicesHandlers } from './group/team-devices.handlers';
import { MemberHandlers } from './member/member.handlers';
import { RoleHandlers } from './member/role.handlers';
import { AuditHandlers } from './audit/audit.handlers';
import { AuditProcess } from './audit/audit.process';
import { AuditProjection } from './audit/audit.projection';
import { AuditRows } from './audit/audit-rows.service';
import { Chain } from './audit/chain.service';
import { Checkpoints } from './audit/checkpoints.worker';
import { TeamHistory } from './audit/team-history.service';
import { Challenges } from './domain/challenges.client';
import { DomainRooms } from './domain/domain-rooms.service';
import { DomainHandlers } from './domain/domain.handlers';
import { Teams1763769600001 } from './migrations/1-teams';
import { Invites1763769600003 } from './migrations/3-invites';
import { Groups1763769600004 } from './migrations/4-groups';
import { Audit1763769600006 } from './migrations/6-audit';
import { Oncall1763769600010 } from './migrations/10-oncall';
import { OncallChangingHandlers } from './oncall/changing.handlers';
import { OncallMakingHandlers } from './oncall/making.handlers';
import { CalendarHandlers } from './calendar/calendar.handlers';
import { CalendarsProjection } from './calendar/calendars.projection';
import { CalendarFeeds } from './calendar/calendars.service';
import { Calendars1763769600012 } from './migrations/12-calendars';
import { OncallGroups } from './oncall/oncall-groups.service';
import { OncallHandlers } from './oncall/oncall.handlers';
import { OverrideHandlers } from './oncall/override.handlers';
import { OpenPages } from './oncall/open-pages.service';
import { DutyHandlers } from './page/duty.handlers';
import { TeamApps1763769600040 } from './migrations/40-team-apps';
import { PagesOfGroups1763769600031 } from './migrations/31-pages-of-groups';
import { DeletedOncall1763769600033 } from './migrations/33-deleted-oncall';
import { PastPages } from './simulation/past-pages.service';
import { SimulationHandlers } from './simulation/simulation.handlers';
import { OncallHistory } from './oncall/oncall-history.service';
import { ScheduleHandlers } from './oncall/schedule.handlers';
import { ShownOncall } from './oncall/shown-oncall.service';
import { RoomHolders1763769600002 } from './migrations/2-room-holders';
import { EmailVerified1763769600020 } from './migrations/20-email-verified';
import { AutoJoin1763769600031 } from './migrations/31-auto-join';
import { Addresses } from './person/addresses.client';
import { Pages1763769600030 } from './migrations/30-pages';
import { Accepted } from './page/accepted.service';
import { PageListHandlers } from './page/page-list.handlers';
import { PageOrders } from './page/page-orders.worker';
import { PageSteps } from './page/page-steps.service';
import { PageHandlers } from './page/page.handlers';
import { PageRetention } from './page/page-retention.worker';
import { PagesProcess } from './page/pages.process';
import { Pages } from './page/pages.service';
import { PagingHandlers } from './page/paging.handlers';
import { PagingService } from './page/paging.service';
import { PageReserve } from './page/reserve.client';
import { Rosters } from './page/rosters.service';
import { ShownPages } from './page/shown-pages.service';
import { PeopleProjection } from './person/people.projection';
import { People } from './person/people.service';
import { OwnedRooms } from './team/owned-rooms.service';
import { RoomReturnsProcess } from './team/room-returns.process';
import { RoomReturns } from './team/room-returns.service';
import { RoomReturnOrders } from './team/room-returns.worker';
import { FoundingHandlers } from './team/founding.handlers';
import { ShownTeams } from './team/shown-teams.service';
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
        ShownApps1766016000001,
        DeletedOncall1763769600033,
      ],
      projections: [
        TeamsProjection,
        TeamAppsProjection,
        PeopleProjection,
        RoomReturnsProcess,
        AutoJoinsProcess,
        InviteCodesProjection,
        DeviceGroupsProcess,
        AuditProcess,
        AuditProjection,
        PagesProcess,
        CalendarsProjection,
        ShownAppsProjection,
      ],
      queues: [RoomReturnOrders, RemovedDevices, AutoJoins, Checkpoints, PageOrders, PageRetention],
      providers: [
        Addresses,
        FamilyRooms,
        OwnedRooms,
        RoomReturns,
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
    FoundingHandlers,
    MemberHandlers,
    RoleHandlers,
    DepartureHandlers,
    InviteHandlers,
    InvitingHandlers,
    AcceptanceHandlers,
    MakingHandlers,
    GroupHandlers,
    AudienceHandlers,
    AuditHandlers,
    TeamDevicesHandlers,
    OncallHandlers,
    OncallMakingHandlers,
    OncallChangingHandlers,
    OverrideHandlers,
    ScheduleHandlers,
    PagingHandlers,
    PageHandlers,
    PageListHandlers,
    DomainHandlers,
    CalendarHandlers,
    DutyHandlers,
    SimulationHandlers,
  ],
  providers: [
    OncallGroups,
    OncallHistory,
    OpenPages,
    PastPages,
    ShownOncall,
    People,
    TeamRates,
    Codes,
    Acceptance,
    Devices,
    Makings,
    ShownGroups,
    ShownTeams,
    PushOutcomes,
    PagingService,
    PageReserve,
    Accepted,
    Pages,
    ShownPages,
    ShownApps,
    Challenges,
    DomainRooms,
    CalendarFeeds,
  ],
})
export class TeamsModule {}
