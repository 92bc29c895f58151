import { ownersOf, type WithRecipients } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { ActivityLine } from './entry';

interface ActivityLineRow {
  activity_id: string;
  account_id: string;
  reader_id: string;
  source_name: string;
  title: string;
  detail: string | null;
  url: string | null;
}

/** Keeps the line of each live activity until it ends, for each account that will have it. */
export async function keepActivities(sql: Sql, activities: readonly ActivityLine[]): Promise<void> {
  if (activities.length === 0) return;
  const given = columns(
    {
      activity_id: 'text',
      account_id: 'text',
      reader_id: 'text',
      source_name: 'text',
      title: 'text',
      detail: 'text',
      url: 'text',
    },
    activities.flatMap((each) => each.readers.map((readerId) => ({ ...each, readerId }))),
    ({ activityId, accountId, readerId, sourceName, title, detail, url }) => ({
      activity_id: activityId,
      account_id: accountId,
      reader_id: readerId,
      source_name: sourceName,
      title,
      detail,
      url,
    }),
  );
  await sql.query(`INSERT INTO feed_activities (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Removes and returns the kept lines of these activities, for the accounts that have them. */
export async function takeActivities(
  sql: Sql,
  over: readonly (WithRecipients & { readonly activityId: string })[],
): Promise<Map<string, ActivityLine>> {
  if (over.length === 0) return new Map();
  const given = columns(
    { activity_id: 'text', reader_id: 'text' },
    over.flatMap((event) => ownersOf(event).map((readerId) => ({ readerId, activityId: event.activityId }))),
    ({ activityId, readerId }) => ({ activity_id: activityId, reader_id: readerId }),
  );
  const rows = await sql.query<ActivityLineRow>(
    `DELETE FROM feed_activities a USING ${given.rows}
     WHERE a.activity_id = n.activity_id AND a.reader_id = n.reader_id RETURNING a.*`,
    given.values,
  );
  const readersOf = new Map(rows.map(({ activity_id }): [string, string[]] => [activity_id, []]));
  for (const { activity_id, reader_id } of rows) readersOf.get(activity_id)?.push(reader_id);
  return new Map(
    rows.map((row) => [
      row.activity_id,
      {
        activityId: row.activity_id,
        accountId: row.account_id,
        readers: readersOf.get(row.activity_id) ?? [],
        sourceName: row.source_name,
        title: row.title,
        detail: row.detail,
        url: row.url,
      },
    ]),
  );
}
