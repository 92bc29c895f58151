import { ServiceModule } from '@carillon/runtime';
import { WebAppViews1766016000001 } from '@carillon/web-app-views';
import { Module } from '@nestjs/common';
import { auditParts, AuditModule } from './audit/audit.module';
import { oncallParts, OncallModule } from './oncall/oncall.module';
import { personParts } from './person/person.module';
import { teamParts, TeamModule } from './team/team.module';
import { Teams1763769600001 } from './migrations/1-teams';
import { SlotHolders1763769600002 } from './migrations/2-slot-holders';
import { Invites1763769600003 } from './migrations/3-invites';
import { Groups1763769600004 } from './migrations/4-groups';
import { Audit1763769600006 } from './migrations/6-audit';
import { Oncall1763769600010 } from './migrations/10-oncall';
import { Calendars1763769600012 } from './migrations/12-calendars';
import { EmailVerified1763769600020 } from './migrations/20-email-verified';
import { Pages1763769600030 } from './migrations/30-pages';
import { AutoJoin1763769600031 } from './migrations/31-auto-join';
import { PagesOfGroups1763769600031 } from './migrations/31-pages-of-groups';
import { TeamApps1763769600040 } from './migrations/40-team-apps';
import { DeletedOncall1763769600033 } from './migrations/33-deleted-oncall';

@Module({
  imports: [
    ServiceModule.for({
      name: 'teams',
      migrations: [
        Teams1763769600001,
        SlotHolders1763769600002,
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
        ...personParts.projections,
        ...teamParts.projections,
        ...oncallParts.projections,
        ...auditParts.projections,
      ],
      queues: [...teamParts.queues, ...oncallParts.queues, ...auditParts.queues],
      providers: [
        ...personParts.providers,
        ...teamParts.providers,
        ...oncallParts.providers,
        ...auditParts.providers,
      ],
    }),
    TeamModule,
    OncallModule,
    AuditModule,
  ],
})
export class TeamsModule {}
