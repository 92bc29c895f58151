import { columns, type Sql } from '@carillon/event-store';
import type { ActivityLine } from './entry';

interface ActivityLineRow {
  activity_id: string;
  account_id: string;
  source_name: string;
  title: string;
  detail: string | null;
  url: string | null;
}

/** Keeps the line of each live activity until it ends. */
export async function keepActivities(sql: Sql, activities: readonly ActivityLine[]): Promise<void> {
  if (activities.length === 0) return;
  const given = columns(
    {
      activity_id: 'text',
      account_id: 'text',
      source_name: 'text',
      title: 'text',
      detail: 'text',
      url: 'text',
    },
    activities,
    ({ activityId, accountId, sourceName, title, detail, url }) => ({
      activity_id: activityId,
      account_id: accountId,
      source_name: sourceName,
      title,
      detail,
      url,
    }),
  );
  await sql.query(`INSERT INTO feed_activities (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Removes and returns the kept lines of these activities. */
export async function takeActivities(
  sql: Sql,
  over: readonly { readonly activityId: string }[],
): Promise<Map<string, ActivityLine>> {
  if (over.length === 0) return new Map();
  const rows = await sql.query<ActivityLineRow>(
    `DELETE FROM feed_activities WHERE activity_id = ANY($1) RETURNING *`,
    [over.map(({ activityId }) => activityId)],
  );
  return new Map(
    rows.map((row) => [
      row.activity_id,
      {
        activityId: row.activity_id,
        accountId: row.account_id,
        sourceName: row.source_name,
        title: row.title,
        detail: row.detail,
        url: row.url,
      },
    ]),
  );
}
