import type { NotificationWithdrawnEvent } from '@carillon/contracts';
import type { Sql } from '@carillon/event-store';

/** Marks the matching unread items read and subtracts them from their projects' counts. */
export async function setRead(
  sql: Sql,
  at: string,
  matching: string,
  parameters: readonly unknown[],
): Promise<void> {
  await sql.query(
    `WITH read AS (
       UPDATE inbox_items i SET read_at = $1::timestamptz WHERE read_at IS NULL AND ${matching}
       RETURNING account_id, project_id),
     counted AS (SELECT account_id, project_id, count(*) AS n FROM read GROUP BY 1, 2)
     UPDATE inbox_projects p SET unread_count = p.unread_count - c.n FROM counted c
     WHERE p.account_id = c.account_id AND p.project_id = c.project_id`,
    [at, ...parameters],
  );
}

/** A withdrawn item counts as read. */
export async function withdraw(sql: Sql, event: NotificationWithdrawnEvent): Promise<void> {
  await sql.query(`UPDATE inbox_items SET status = $2 WHERE subject_id = $1`, [
    event.notificationId,
    event.status,
  ]);
  await setRead(sql, event.withdrawnAt, `subject_id = $2`, [event.notificationId]);
}
