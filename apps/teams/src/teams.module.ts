import { ServiceModule } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { auditParts, AuditModule } from './audit/audit.module';
import { oncallParts, OncallModule } from './oncall/oncall.module';
import { personParts } from './person/person.module';
import { teamParts, TeamModule } from './team/team.module';
import { EndedTeamRows } from './ended-rows.service';
import { firstRelease } from './migrations/1-first-release';

@Module({
  imports: [
    ServiceModule.for({
      name: 'teams',
      migrations: [firstRelease],
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
  providers: [EndedTeamRows],
})
export class TeamsModule {}
