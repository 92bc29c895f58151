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
import type { EntryView } from '@carillon/audit';
import { Inject, Injectable } from '@nestjs/common';
import { forgotten, entryView } from './audit';
import { Checkpoints } from './checkpoints.worker';

type Followed = Streams<'audit' | 'account'>;
const on = {
  audit: { AuditRecorded: inBatch },
  account: { ...ignoring(...profileEventTypes), AccountForgotten: inBatch },
} satisfies On<Followed>;

/** The maximum number of entries of a forgotten account that are in memory at a time. */
const pageSize = 500;

/** The rows of the audit logs. */
@Injectable()
export class AuditProjection extends Projection<Followed, typeof on> {
  readonly name = 'audit';
  readonly tables = ['audit_entries'];
  override readonly immediate = true;
  readonly on = on;

  constructor(@Inject(Checkpoints) private readonly checkpoints: Checkpoints) {
    super();
  }

  override async apply(sql: Sql, recorded: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    const { entries, gone } = grouped(recorded, { entries: ['AuditRecorded'], gone: ['AccountForgotten'] });
    if (entries.length > 0) await this.add(sql, entries);
    for (const { accountId } of gone) await forget(sql, accountId);
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
    for (const { teamId, keptFrom, action } of entries)
      if (action === 'audit.checkpointed')
        await sql.query(`DELETE FROM audit_entries WHERE team_id = $1 AND sequence < $2`, [teamId, keptFrom]);
    await this.checkpoints.expect(
      sql,
      entries.filter(({ action }) => action !== 'audit.checkpointed'),
    );
  }
}

/** Erases from the rows what was sealed with the key of the account, as in the log. */
async function forget(sql: Sql, accountId: string): Promise<void> {
  for (let after = ['', '0']; ;) {
    const found = await sql.query<{ team_id: string; sequence: string; entry: EntryView }>(
      `SELECT team_id, sequence, entry FROM audit_entries
       WHERE actor_user_id = $1 AND (team_id, sequence) > ($2, $3::bigint) ORDER BY team_id, sequence LIMIT $4`,
      [accountId, ...after, pageSize],
    );
    const last = found.at(-1);
    if (!last) return;
    const rows = columns({ team_id: 'text', sequence: 'bigint', entry: 'text' }, found, (row) => ({
      ...row,
      entry: JSON.stringify(forgotten(row.entry)),
    }));
    await sql.query(
      `UPDATE audit_entries a SET entry = n.entry::json FROM ${rows.rows}
       WHERE a.team_id = n.team_id AND a.sequence = n.sequence`,
      rows.values,
    );
    after = [last.team_id, last.sequence];
  }
}
