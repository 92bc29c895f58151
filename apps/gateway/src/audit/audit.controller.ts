import {
  Audit,
  AuditLogPage,
  type AuditLogEntry,
  type Contract,
  type ListAudit,
  type ListPage,
} from '@carillon/contracts';
import { Controller, Get, Inject, Req, type StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Carries } from '../request/carries';
import { accountIdOf, edgeOf, type EdgeRequest, type RouteAccess, type Row, viewed } from '../request/row';
import { readRequest } from '../request/input';
import { Positions } from '../request/positions';
import { RouteExecutor } from '../table/table.controller';
import { AuditExports } from './audit-exports';

const asFile = ({ limit: _, cursor: __, ...selection }: Readonly<Record<string, unknown>>): object =>
  selection;

const row = (base: string, access: RouteAccess, more: Pick<Row, 'scopes'>): Row => ({
  method: 'GET',
  path: `${base}/teams/:id/audit`,
  access,
  ...more,
  contract: Audit.list as Contract<unknown, unknown>,
  // An export writes an audit entry of its own.
  audited: true,
  ...viewed(AuditLogPage, ({ items, nextCursor }: ListPage<AuditLogEntry>) => ({
    entries: [...items],
    nextCursor,
  })),
  // A CSV file has no paging.
  applies: (query) => (query['format'] === 'csv' ? asFile(query) : query),
  alsoAs: { media: 'text/csv', headers: ['Content-Disposition', 'X-Audit-Truncated'] },
});

export const auditRows = {
  agent: row('/api/agent', 'token', { scopes: ['teams:read'] }),
  session: row('/api/session', 'session', { scopes: [] }),
};

/** The keys that verify the signatures of audit logs: public, as the signatures are. */
export const auditKeysRow: Row = {
  method: 'GET',
  path: '/.well-known/carillon/audit-keys.json',
  access: 'public',
  scopes: [],
  rate: 'public',
  contract: Audit.keys as Contract<unknown, unknown>,
};

/** Serves the audit log as a list page, or all of it as CSV. */
@Controller()
export class AuditController {
  constructor(
    @Inject(RouteExecutor) private readonly executor: RouteExecutor,
    @Inject(AuditExports) private readonly exports: AuditExports,
    @Inject(Positions) private readonly positions: Positions,
  ) {}

  @Get(auditRows.agent.path)
  @Carries(auditRows.agent)
  forAgents(@Req() http: FastifyRequest): Promise<unknown> {
    return this.serve(edgeOf(http));
  }

  @Get(auditRows.session.path)
  @Carries(auditRows.session)
  forPeople(@Req() http: FastifyRequest): Promise<unknown> {
    return this.serve(edgeOf(http));
  }

  private async serve(request: EdgeRequest): Promise<unknown> {
    const { input, after } = readRequest(request);
    const asked = input as ListAudit;
    return asked.format === 'csv' ? this.export(request, asked, after) : this.executor.serve(request);
  }

  private async export(
    request: EdgeRequest,
    asked: ListAudit,
    brought: string | undefined,
  ): Promise<StreamableFile> {
    const accountId = accountIdOf(request);
    const { file, position } = await this.exports.begin(
      request,
      asked,
      this.positions.of(accountId, brought),
    );
    if (position !== undefined) this.positions.advance(accountId, position);
    this.positions.tell(request, accountId, brought);
    return file;
  }
}
