import type { ServiceOptions } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { PersonModule } from '../person/person.module';
import { AutoJoinsProcess } from './auto-join/auto-joins.process';
import { AutoJoins } from './auto-join/auto-joins.worker';
import { Challenges } from './domain/challenges.client';
import { DomainQuotas } from './domain/domain-quotas.service';
import { DomainHandlers } from './domain/domain.handlers';
import { FamilyQuotas } from './family-quotas.service';
import { AudienceHandlers } from './group/audience.handlers';
import { DeviceGroupsProcess } from './group/device-groups.process';
import { DevicesOfDeletedTeams } from './group/devices-of-deleted-teams.worker';
import { Devices } from './group/devices.client';
import { GroupCreateHandlers } from './group/group-create.handlers';
import { GroupViews } from './group/group-views.service';
import { GroupHandlers } from './group/group.handlers';
import { RemovedDevices } from './group/removed-devices.worker';
import { TeamDevicesHandlers } from './group/team-devices.handlers';
import { Acceptance } from './invite/acceptance.service';
import { Codes } from './invite/codes.service';
import { InviteAcceptHandlers } from './invite/invite-accept.handlers';
import { InviteCodesProjection } from './invite/invite-codes.projection';
import { InviteCreateHandlers } from './invite/invite-create.handlers';
import { InviteHandlers } from './invite/invite.handlers';
import { Makings } from './making.service';
import { MemberLeaveHandlers } from './member/member-leave.handlers';
import { MemberRoleHandlers } from './member/member-role.handlers';
import { MemberHandlers } from './member/member.handlers';
import { OwnedTeamQuotas } from './owned-team-quotas.service';
import { SlotReleasesProcess } from './slot-releases.process';
import { SlotReleases } from './slot-releases.service';
import { SlotReleaseCommands } from './slot-releases.worker';
import { TeamAppsProjection } from './team-apps.projection';
import { TeamCreateHandlers } from './team-create.handlers';
import { TeamRates } from './team-rates.client';
import { TeamViews } from './team-views.service';
import { TeamHandlers } from './team.handlers';
import { TeamsListHandlers } from './teams-list.handlers';
import { TeamsProjection } from './teams.projection';
import { TeamHistory } from './team-history.service';

/** Runs in the service for teams, their members, invites, device groups and domains. */
export const teamParts = {
  projections: [
    TeamsProjection,
    TeamAppsProjection,
    SlotReleasesProcess,
    AutoJoinsProcess,
    InviteCodesProjection,
    DeviceGroupsProcess,
  ],
  queues: [SlotReleaseCommands, RemovedDevices, DevicesOfDeletedTeams, AutoJoins],
  providers: [FamilyQuotas, OwnedTeamQuotas, SlotReleases, TeamHistory],
} satisfies Partial<ServiceOptions>;

@Module({
  imports: [PersonModule],
  controllers: [
    TeamHandlers,
    TeamsListHandlers,
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
    TeamDevicesHandlers,
    DomainHandlers,
  ],
  providers: [
    TeamRates,
    Codes,
    Acceptance,
    Devices,
    Makings,
    GroupViews,
    TeamViews,
    Challenges,
    DomainQuotas,
  ],
  exports: [Makings, TeamRates],
})
export class TeamModule {}
