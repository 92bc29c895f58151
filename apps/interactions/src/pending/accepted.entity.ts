import type { PushReported } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { createdBetween } from '@carillon/signing';

/** Saves on how many phones the providers have accepted the pushes of prompts. */
export async function countAccepted(sql: Sql, reported: readonly PushReported[]): Promise<void> {
  const given = columns(
    { id: 'text', accepted: 'integer', readers: 'jsonb' },
    reported,
    ({ subjectId, accepted, readers }) => ({
      id: subjectId,
      accepted,
      readers: readers ? JSON.stringify(readers) : null,
    }),
    { from: 3 },
  );
  const { from, to } = createdBetween(reported.map(({ subjectId }) => subjectId));
  await sql.query(
    `UPDATE prompts p SET accepted = n.accepted FROM ${given.rows}
     WHERE p.interaction_id = n.id AND p.created_at BETWEEN $1 AND $2
       AND (n.readers IS NULL OR n.readers ? p.account_id)`,
    [from, to, ...given.values],
  );
}

/** The phones on which a live activity has started. */
export interface Started {
  readonly deviceIds: readonly string[];
  readonly readers: readonly string[] | undefined;
}

/** Adds the phones on which this live activity has started for a prompt, which is asked moments after its admission. */
export async function addAccepted(
  sql: Sql,
  activityId: string,
  { deviceIds, readers }: Started,
): Promise<void> {
  const { from, to } = createdBetween([activityId]);
  await sql.query(
    `UPDATE prompts p SET accepted_by = n.by, accepted = cardinality(n.by)
     FROM (SELECT interaction_id AS id, account_id,
         ARRAY(SELECT DISTINCT unnest(accepted_by || $2::text[]) ORDER BY 1) AS by
       FROM prompts WHERE live_activity_id = $1 AND created_at BETWEEN $3 AND $4
         AND ($5::text[] IS NULL OR account_id = ANY($5))) n
     WHERE p.interaction_id = n.id AND p.account_id = n.account_id AND p.created_at BETWEEN $3 AND $4`,
    [activityId, deviceIds, from, to, readers ?? null],
  );
}
