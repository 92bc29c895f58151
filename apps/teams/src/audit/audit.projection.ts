import type { AuditRecorded, Streams } from '@carillon/contracts';
import { columns, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { shownEntry } from './audit';
import { Checkpoints } from './checkpoints.worker';

type Followed = Streams<'audit'>;

/** The audit logs as they are read. */
@Injectable()
export class AuditProjection extends Projection<Followed> {
  readonly name = 'audit';
  readonly tables = ['audit_entries'];
  override readonly immediate = true;
  readonly on: On<Followed> = { audit: { AuditRecorded: inBatch } };

  constructor(@Inject(Checkpoints) private readonly checkpoints: Checkpoints) {
    super();
  }

  override async apply(sql: Sql, recorded: readonly Recorded<AuditRecorded>[]): Promise<void> {
    const entries = recorded.map(({ event }) => event);
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
        entry: JSON.stringify(shownEntry(entry)),
      }),
    );
    await sql.query(
      `INSERT INTO audit_entries (${rows.names})
       SELECT team_id, sequence, created_at, action, actor_user_id, entry::json FROM ${rows.rows}`,
      rows.values,
    );
    for (const { teamId, keptFrom, action } of entries)
      if (action === 'audit.checkpointed')
        await sql.query(`DELETE FROM audit_entries WHERE team_id = $1 AND sequence < $2`, [teamId, keptFrom]);
    await this.checkpoints.expect(
      sql,
      entries.filter(({ action }) => action !== 'audit.checkpointed'),
    );
  }
}
