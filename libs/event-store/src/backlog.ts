import type { Sql } from './sql';
import type { Backlog } from './queue';

/** A look must stay cheap however much there is: more than this counts as this many. */
const most = 100_000;

/** Counts rows that are due and not taken: `due` is a table with the column `due_at`, and the condition. */
export async function backlogOf(sql: Pick<Sql, 'query'>, due: string, values: unknown[]): Promise<Backlog> {
  const [row] = await sql.query<{ due: number; since: Date | null }>(
    `SELECT count(*)::int AS due, min(due_at) AS since
     FROM (SELECT due_at FROM ${due} ORDER BY due_at LIMIT ${most}) d`,
    values,
  );
  return { due: row?.due ?? 0, since: row?.since ?? undefined };
}
