import type { ServiceOptions } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { PersonModule } from '../person/person.module';
import { AuditRows } from './audit-rows.service';
import { AuditHandlers } from './audit.handlers';
import { AuditProcess } from './audit.process';
import { AuditProjection } from './audit.projection';
import { Chain } from './chain.service';
import { Checkpoints } from './checkpoints.worker';
import { CutEntries } from './cut-entries.worker';
import { ForgottenEntries } from './forgotten-entries.worker';

/** Runs in the service for audit logs. */
export const auditParts = {
  projections: [AuditProcess, AuditProjection],
  queues: [Checkpoints, CutEntries, ForgottenEntries],
  providers: [AuditRows, Chain],
} satisfies Partial<ServiceOptions>;

@Module({
  imports: [PersonModule],
  controllers: [AuditHandlers],
})
export class AuditModule {}
