import { columns, type Sql } from '@carillon/event-store';

/** The names of accounts; null after an account was erased. */
export type Names = ReadonlyMap<string, string | null>;

export async function namesOf(sql: Sql, accountIds: readonly string[]): Promise<Map<string, string | null>> {
  if (accountIds.length === 0) return new Map();
  const rows = await sql.query<{ account_id: string; name: string | null }>(
    `SELECT account_id, name FROM audit_people WHERE account_id = ANY($1::text[])`,
    [[...new Set(accountIds)]],
  );
  return new Map(rows.map(({ account_id, name }) => [account_id, name]));
}

export async function nameAll(sql: Sql, names: Names): Promise<void> {
  if (names.size === 0) return;
  const given = columns({ account_id: 'text', name: 'text' }, names, ([account_id, name]) => ({
    account_id,
    name,
  }));
  await sql.query(
    `INSERT INTO audit_people (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (account_id) DO UPDATE SET name = excluded.name`,
    given.values,
  );
}

/** The teams that an account is in. */
export async function teamsOf(sql: Sql, accountId: string): Promise<string[]> {
  const rows = await sql.query<{ team_id: string }>(
    `SELECT team_id FROM audit_members WHERE account_id = $1 ORDER BY team_id`,
    [accountId],
  );
  return rows.map(({ team_id }) => team_id);
}

/** Stores the current members of the team. */
export async function setMembers(
  sql: Sql,
  teamId: string,
  former: readonly string[],
  present: readonly string[],
): Promise<void> {
  const gone = former.filter((accountId) => !present.includes(accountId));
  const come = present.filter((accountId) => !former.includes(accountId));
  if (gone.length > 0)
    await sql.query(`DELETE FROM audit_members WHERE team_id = $1 AND account_id = ANY($2::text[])`, [
      teamId,
      gone,
    ]);
  if (come.length > 0)
    await sql.query(
      `INSERT INTO audit_members (team_id, account_id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
      [teamId, come],
    );
}
