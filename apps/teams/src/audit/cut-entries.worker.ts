import type { AuditRecorded } from '@carillon/contracts';
import type { Sql } from '@carillon/event-store';
import { type Cause, RowBatches } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'cut_entries';

type Cut = Pick<AuditRecorded, 'teamId' | 'keptFrom'>;

/** Whether an entry of the team `$1` may be read, while those that are cut are deleted. */
export const isUncut = `coalesce(sequence >= (
  SELECT (command ->> 'keptFrom')::bigint FROM timers WHERE timers.queue = '${queue}' AND timers.key = $1), true)`;

/** Deletes the rows of entries that a checkpoint has cut. */
@Injectable()
export class CutEntries extends RowBatches<Cut> {
  readonly name = queue;
  protected readonly process = 'teams.cut_entries';
  protected readonly changes = [
    { due: 'audit_entries WHERE team_id = $1 AND sequence < $2', change: 'DELETE FROM audit_entries' },
  ];

  async cut(sql: Sql, { teamId, keptFrom }: Cut, from: Cause): Promise<void> {
    await this.begin(sql, { key: teamId, command: { teamId, keptFrom }, from });
  }

  protected valuesOf({ teamId, keptFrom }: Cut): readonly unknown[] {
    return [teamId, keptFrom];
  }
}
