import { type AuditRecorded, profileEventTypes, type Streams } from '@carillon/contracts';
import {
  columns,
  type Handled,
  ignoring,
  inBatch,
  type On,
  Projection,
  type Sql,
} from '@carillon/event-store';
import { grouped, type Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { entryView } from './audit';
import { Checkpoints } from './checkpoints.worker';
import { CutEntries } from './cut-entries.worker';
import { ForgottenEntries } from './forgotten-entries.worker';

type Followed = Streams<'audit' | 'account'>;
const on = {
  audit: { AuditRecorded: inBatch },
  account: { ...ignoring(...profileEventTypes), AccountForgotten: inBatch },
} satisfies On<Followed>;

/** The rows of the audit logs. */
@Injectable()
export class AuditProjection extends Projection<Followed, typeof on> {
  readonly name = 'audit';
  readonly tables = ['audit_entries'];
  override readonly immediate = true;
  readonly on = on;

  constructor(
    @Inject(Checkpoints) private readonly checkpoints: Checkpoints,
    @Inject(CutEntries) private readonly cuts: CutEntries,
    @Inject(ForgottenEntries) private readonly forgotten: ForgottenEntries,
  ) {
    super();
  }

  override async apply(sql: Sql, recorded: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    const { entries } = grouped(recorded, { entries: ['AuditRecorded'], gone: ['AccountForgotten'] });
    if (entries.length > 0) await this.add(sql, entries);
    for (const cause of recorded) {
      const { event } = cause;
      if (event.type === 'AccountForgotten') await this.forgotten.forget(sql, event.accountId, cause);
      else if (event.action === 'audit.checkpointed') await this.cuts.cut(sql, event, cause);
    }
  }

  private async add(sql: Sql, entries: readonly AuditRecorded[]): Promise<void> {
    const rows = columns(
      {
        team_id: 'text',
        sequence: 'bigint',
        created_at: 'timestamptz',
        action: 'text',
        actor_user_id: 'text',
        entry: 'text',
      },
      entries,
      (entry) => ({
        team_id: entry.teamId,
        sequence: entry.sequence,
        created_at: entry.createdAt,
        action: entry.action,
        actor_user_id: entry.actorUserId,
        entry: JSON.stringify(entryView(entry)),
      }),
    );
    await sql.query(
      `INSERT INTO audit_entries (${rows.names})
       SELECT team_id, sequence, created_at, action, actor_user_id, entry::json FROM ${rows.rows}`,
      rows.values,
    );
    await this.checkpoints.expect(
      sql,
      entries.filter(({ action }) => action !== 'audit.checkpointed'),
    );
  }
}
