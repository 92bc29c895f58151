import type { Sql } from './sql';
import type { Backlog } from './queue-terms';

/** The maximum count, so that counting stays cheap for any backlog. */
const most = 100_000;

/** Counts rows that are due and not leased: `due` is a table with the column `due_at`, and the condition. */
export async function backlogOf(sql: Pick<Sql, 'query'>, due: string, values: unknown[]): Promise<Backlog> {
  const [row] = await sql.query<{ due: number; since: Date | null }>(
    `SELECT count(*)::int AS due, min(due_at) AS since
     FROM (SELECT due_at FROM ${due} ORDER BY due_at LIMIT ${most}) d`,
    values,
  );
  return { due: row?.due ?? 0, since: row?.since ?? undefined };
}
