import type { Sql } from '@carillon/event-store';

/** Records that changes up to a position are not kept: a request from before it is answered with a reset. */
export const dropTo = (sql: Sql, position: string): Promise<unknown> =>
  sql.query(
    `INSERT INTO changes_dropped AS d (one, position) VALUES (true, $1)
     ON CONFLICT (one) DO UPDATE SET position = greatest(d.position, excluded.position)`,
    [position],
  );

/** Records it up to the last change from before a time. */
export async function dropChanges(sql: Sql, before: Date): Promise<void> {
  const [last] = await sql.query<{ position: string | null }>(
    `SELECT max(position) AS position FROM changes WHERE at < $1`,
    [before],
  );
  if (last?.position) await dropTo(sql, last.position);
}
