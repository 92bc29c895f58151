import { jwkOf, type PublicJwk } from '@carillon/audit';
import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Audit,
  type AuditExport,
  type AuditLogEntry,
  ListAudit,
  maxExportedRows,
  type ListPage,
  ReadAuditExport,
  SelectAudit,
} from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { type Instant, isAfter, isBefore, later } from '@carillon/eventing';
import { Clock, Cursors, listPageOf } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { carried } from '@carillon/tracing';
import { Controller, Inject } from '@nestjs/common';
import { laterOf, People } from '../person/people.service';
import { asMember, insistOn, team } from '../team/team';
import type { AuditRecord } from './audit';
import { auditOrder, AuditRows } from './audit-rows.service';
import { Chain, type Head } from './chain.service';

const defaultLimit = 100;

@Controller()
export class AuditHandlers {
  private readonly cursors = new Cursors('audit', auditOrder);

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(People) private readonly people: People,
    @Inject(Chain) private readonly chain: Chain,
    @Inject(AuditRows) private readonly rows: AuditRows,
  ) {}

  @Handles(Audit.list)
  async list(input: ListAudit, context: Context): Promise<Answer<ListPage<AuditLogEntry>>> {
    const { limit = defaultLimit, cursor } = input;
    const filter = [
      context.caller.accountId,
      input.id,
      input.from,
      input.to,
      input.action,
      input.actorUserId,
    ];
    const marked = filter.map((value) => value ?? null);
    const page = this.cursors.asked(marked, { limit, cursor });
    await this.insistOnAdmin(input, context);
    await this.followed(input, context);
    const found = await this.rows.after(input, page.key, limit + 1);
    const entries = found.map(({ entry }) => entry);
    return answer(page.of(found, entries));
  }

  @Handles(Audit.export)
  async export(input: SelectAudit, context: Context): Promise<Answer<AuditExport>> {
    const joined = await this.insistOnAdmin(input, context);
    await this.followed(input, context);
    const { caller, commandId, correlationId, traceparent } = context;
    const personOf = await this.people.of([caller.accountId], laterOf(context.after, joined));
    const { id: teamId, ...selection } = input;
    let counted = { rows: 0, truncated: false };
    const recorded = await this.chain.append(
      teamId,
      async (head): Promise<AuditRecord> => {
        const at = this.clock.now();
        counted = await this.counted(input, head, caller.accountId, at);
        return {
          entryId: newId('aud', this.clock.ms()),
          at,
          action: 'audit.exported',
          actorUserId: caller.accountId,
          actorTokenId: caller.tokenId ?? null,
          target: { type: 'team', id: teamId },
          actorName: personOf(caller.accountId).name || null,
          ip: caller.origin?.ip ?? null,
          userAgent: caller.origin?.userAgent ?? null,
          metadata: { format: 'csv', ...selection, ...counted },
        };
      },
      {
        commandId,
        correlationId,
        actor: { accountId: caller.accountId, ...(caller.tokenId && { tokenId: caller.tokenId }) },
        ...carried(traceparent),
      },
      { signed: true },
    );
    if (!recorded) throw new Error('An export always has an entry');
    return answer({ sequence: recorded.sequence, ...counted }, recorded.position);
  }

  @Handles(Audit.read)
  async read(
    input: ReadAuditExport,
    context: Context,
  ): Promise<Answer<{ entries: AuditLogEntry[]; next: number | null }>> {
    await this.insistOnAdmin(input, context);
    await this.projections.reached('audit', context.after);
    const key = input.before === undefined ? undefined : { sequence: String(input.before) };
    const found = await this.rows.after(input, key, input.limit);
    const { items, nextCursor } = listPageOf(
      found.map(({ entry }) => entry),
      found.length === input.limit,
      ({ metadata }) => String(metadata.proof.sequence),
    );
    return answer({ entries: items, next: nextCursor === null ? null : Number(nextCursor) });
  }

  @Handles(Audit.keys)
  keys(): Answer<{ keys: PublicJwk[] }> {
    return answer({ keys: this.chain.keys.map(jwkOf) });
  }

  /** Returns the log position of the team's stream, which includes all joins of its members. */
  private async insistOnAdmin({ id: teamId }: SelectAudit, { caller }: Context): Promise<bigint | undefined> {
    const { state, position } = await this.log.load(team, streamTail(teamId));
    insistOn(asMember(state, { teamId, accountId: caller.accountId }).role, 'admin');
    return position;
  }

  /** Resolves when the rows contain the entries of every event that the caller has seen. */
  private async followed({ id: teamId }: SelectAudit, { after }: Context): Promise<void> {
    await this.projections.reached('audit_process', after);
    const { position } = await this.chain.head(teamId);
    await this.projections.reached('audit', position === undefined ? undefined : String(position));
  }

  /** The number of rows of the export whose entry follows this one, including that entry if it matches the filter. */
  private async counted(
    input: SelectAudit,
    { entry, position }: Head,
    accountId: string,
    at: Instant,
  ): Promise<{ rows: number; truncated: boolean }> {
    await this.projections.reached('audit', position === undefined ? undefined : String(position));
    const before = await this.rows.count(input, entry?.sequence ?? 0, maxExportedRows + 1);
    const { from = at, to, action = 'audit.exported', actorUserId = accountId } = input;
    const createdAt = entry ? later(entry.createdAt, at) : at;
    const isItself =
      !isAfter(from, createdAt) &&
      (to === undefined || isBefore(createdAt, to)) &&
      action === 'audit.exported' &&
      actorUserId === accountId;
    const all = before + (isItself ? 1 : 0);
    return { rows: Math.min(all, maxExportedRows), truncated: all > maxExportedRows };
  }
}
