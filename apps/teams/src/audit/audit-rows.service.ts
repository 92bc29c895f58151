import type { AuditLogEntry, SelectAudit } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { sortedBy, type SortKey } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { isUncut } from './cut-entries.worker';
import { readableEntry } from './forgotten-entries.worker';

/** The filter for the entries of a team. */
export type Selection = SelectAudit;

/** The newest first. */
export const auditOrder = sortedBy(['sequence', 'desc']);

const meant = `team_id = $1 AND ${isUncut} AND ($2::timestamptz IS NULL OR created_at >= $2)
  AND ($3::timestamptz IS NULL OR created_at < $3) AND ($4::text IS NULL OR action = $4)
  AND ($5::text IS NULL OR actor_user_id = $5)`;

const parameters = ({ id, from, to, action, actorUserId }: Selection): unknown[] => [
  id,
  from ?? null,
  to ?? null,
  action ?? null,
  actorUserId ?? null,
];

/** Queries of the entry rows, which are in the order of the chain. */
@Injectable()
export class AuditRows {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Entries in list order, from after the key on. */
  async after(
    selection: Selection,
    key: SortKey<'sequence'> | undefined,
    limit: number,
  ): Promise<{ sequence: number; entry: AuditLogEntry }[]> {
    const after = auditOrder.after(key, 7);
    const rows = await this.database.query<{ sequence: string; entry: AuditLogEntry }>(
      `SELECT sequence, ${readableEntry} AS entry FROM audit_entries WHERE ${meant} AND ${after.text}
       ORDER BY ${auditOrder.by} LIMIT $6`,
      [...parameters(selection), limit, ...after.values],
    );
    return rows.map((row) => ({ sequence: Number(row.sequence), entry: row.entry }));
  }

  /** The number of entries up to a sequence, at most `most`. */
  async count(selection: Selection, upTo: number, most: number): Promise<number> {
    const [row] = await this.database.query<{ count: string }>(
      `SELECT count(*) FROM (SELECT FROM audit_entries WHERE ${meant} AND sequence <= $6 LIMIT $7) AS found`,
      [...parameters(selection), upTo, most],
    );
    return Number(row?.count ?? 0);
  }

  /** The sequence of the newest entry with a row. */
  async newest(teamId: string): Promise<number | undefined> {
    const [row] = await this.database.query<{ sequence: string | null }>(
      `SELECT max(sequence) AS sequence FROM audit_entries WHERE team_id = $1`,
      [teamId],
    );
    return row?.sequence ? Number(row.sequence) : undefined;
  }

  /** The sequence of the oldest entry at or after a time. */
  async oldestSince(teamId: string, at: string): Promise<number | undefined> {
    const [row] = await this.database.query<{ sequence: string | null }>(
      `SELECT min(sequence) AS sequence FROM audit_entries WHERE team_id = $1 AND created_at >= $2`,
      [teamId, at],
    );
    return row?.sequence ? Number(row.sequence) : undefined;
  }
}
