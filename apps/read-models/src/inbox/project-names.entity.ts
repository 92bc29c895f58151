import { type InteractionAsked, ownersOf, type ServiceChanged } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';

/** Gives existing projects the names of their newest items; null gives none. */
export async function nameProjects(
  sql: Sql,
  projects: readonly {
    readonly accountId: string;
    readonly projectId: string;
    readonly name: string | null;
    readonly namedBy: string | null;
  }[],
): Promise<void> {
  const named = projects.filter(({ name }) => name !== null);
  if (named.length === 0) return;
  const given = columns(
    { account_id: 'text', project_id: 'text', name: 'text', named_by: 'text' },
    named,
    ({ accountId, projectId, name, namedBy }) => ({
      account_id: accountId,
      project_id: projectId,
      name,
      named_by: namedBy,
    }),
  );
  await sql.query(
    `UPDATE inbox_projects p SET name = n.name, named_by = n.named_by FROM ${given.rows}
     WHERE p.account_id = n.account_id AND p.project_id = n.project_id
       AND (p.name, p.named_by) IS DISTINCT FROM (n.name, n.named_by)`,
    given.values,
  );
}

/** The project of a service has the service's name. */
export async function renameProject(sql: Sql, event: ServiceChanged): Promise<void> {
  if (event.title === undefined) return;
  await sql.query(
    `UPDATE inbox_projects SET name = coalesce($3, project_id),
       named_by = CASE WHEN $3 IS NOT NULL AND account_id <> $4 THEN $4 END
     WHERE account_id = ANY($1) AND project_id = $2`,
    [ownersOf(event), event.serviceId, event.title, event.accountId],
  );
}

/** A prompt is not an inbox item, but names its project as an item does, and lists it as long as an item would. */
export async function nameProject(sql: Sql, event: InteractionAsked): Promise<void> {
  const { accountId, projectId, projectName, askedAt } = event;
  const owners = columns({ account_id: 'text' }, ownersOf(event), (account_id) => ({ account_id }));
  await sql.query(
    `INSERT INTO inbox_projects AS p (account_id, project_id, name, named_by, prompted_at)
     SELECT account_id, $2, coalesce($3, $2), CASE WHEN $3 IS NOT NULL AND account_id <> $4 THEN $4 END, $5
     FROM ${owners.rows}
     ON CONFLICT (account_id, project_id) DO UPDATE
       SET name = CASE WHEN p.account_id = $4 THEN coalesce($3, p.name) ELSE p.name END,
         named_by = CASE WHEN p.account_id = $4 AND $3 IS NOT NULL THEN NULL ELSE p.named_by END,
         prompted_at = greatest(p.prompted_at, excluded.prompted_at)`,
    [...owners.values, projectId, projectName, accountId, askedAt],
  );
}
