import type { InboxReadThrough } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { key, unreadCount } from './read-state';

export type Covering = Pick<InboxReadThrough, 'accountId' | 'projectId' | 'through'>;

/** A mark that covers more unread items than this is not subtracted from counts: they are set to what is left. */
const maxSubtracted = 5_000;

const parametersOf = ({ accountId, through, projectId }: Covering): readonly unknown[] => [
  accountId,
  through.createdAt,
  through.id,
  ...(projectId === undefined ? [] : [projectId ?? '']),
];
const mark = `($2::timestamptz, $3::text)`;
const ofProject = ({ projectId }: Covering, of = 'i'): string =>
  projectId === undefined ? '' : `AND ${of}.project_id = $4`;

const watermarkOfProject = `UNION ALL
     SELECT through_at, through_id FROM inbox_projects WHERE account_id = $1 AND project_id = $4`;

/** The greatest of the watermarks that apply to all items of the mark, and of `others`. */
const watermark = ({ projectId }: Covering, ...others: readonly string[]): string =>
  `(SELECT * FROM (
     SELECT through_at, through_id FROM inbox_marks WHERE account_id = $1
     ${projectId === undefined ? '' : watermarkOfProject}
     UNION ALL VALUES ${["('-infinity'::timestamptz, '')", ...others].join(', ')}) w
   ORDER BY through_at DESC, through_id DESC LIMIT 1)`;

/** A row with its project for each unread item below or above the mark. */
function unreadItems(covering: Covering, side: 'below' | 'above'): string {
  const [of, uncovered] =
    side === 'below'
      ? [`${key} <= ${mark}`, `${key} <= ${mark} AND ${key} > ${watermark(covering)}`]
      : [`${key} > ${mark}`, `${key} > ${watermark(covering, mark)}`];
  return `
    SELECT i.project_id FROM inbox_exceptions i
    WHERE i.account_id = $1 AND i.read_at IS NULL AND ${of} ${ofProject(covering)}
    UNION ALL
    SELECT i.project_id FROM inbox_items i JOIN inbox_projects p USING (account_id, project_id)
    WHERE i.account_id = $1 AND i.read_at IS NULL AND ${uncovered} ${ofProject(covering)}
      AND ${key} > (p.through_at, p.through_id)`;
}

/** Reads how many unread items of each project a mark covers; undefined for more than `maxSubtracted`. */
async function unreadBelow(sql: Sql, covering: Covering): Promise<Map<string, number> | undefined> {
  const rows = await sql.query<{ project_id: string; unread: string }>(
    `SELECT project_id, count(*) AS unread
     FROM (SELECT * FROM (${unreadItems(covering, 'below')}) u LIMIT ${maxSubtracted + 1}) u GROUP BY project_id`,
    parametersOf(covering),
  );
  const counts = new Map(rows.map(({ project_id, unread }) => [project_id, Number(unread)]));
  return sumOf(counts) > maxSubtracted ? undefined : counts;
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Reads how many unread items a mark covers. */
export async function countBelow(sql: Sql, covering: Covering): Promise<number> {
  const counts = await unreadBelow(sql, covering);
  if (counts) return sumOf(counts);
  const [row] = await sql.query<{ below: string }>(
    `SELECT (
       SELECT coalesce(sum(${unreadCount}), 0) FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id)
       WHERE p.account_id = $1 ${ofProject(covering, 'p')}
     ) - (SELECT count(*) FROM (${unreadItems(covering, 'above')}) u) AS below`,
    parametersOf(covering),
  );
  return Number(row?.below ?? 0);
}

/** Marks all items up to one of them read. It writes as much for ten items as for ten million. */
export async function readThrough(
  sql: Sql,
  event: InboxReadThrough & { readonly revision: bigint },
): Promise<void> {
  const counts = await unreadBelow(sql, event);
  if (counts) await subtract(sql, event.accountId, counts);
  else await recount(sql, event);
  const parameters = parametersOf(event);
  await sql.query(
    `UPDATE inbox_exceptions i SET read_at = $${parameters.length + 1}
     WHERE i.account_id = $1 AND i.read_at IS NULL AND ${key} <= ${mark} ${ofProject(event)}`,
    [...parameters, event.readAt],
  );
  const all = event.projectId === undefined;
  // A mark below the watermark changes exceptions only.
  await sql.query(
    `WITH advanced AS (
       UPDATE ${all ? 'inbox_marks' : 'inbox_projects'} w SET through_at = $2, through_id = $3
       WHERE w.account_id = $1 ${ofProject(event, 'w')} AND (w.through_at, w.through_id) < ${mark}
       RETURNING w.account_id, w.through_at, w.through_id)
     INSERT INTO inbox_reads (account_id, through_at, through_id, project_id, revision, read_at)
     SELECT advanced.*, ${all ? 'NULL' : '$4'}, $${parameters.length + 1}, $${parameters.length + 2} FROM advanced`,
    [...parameters, String(event.revision), event.readAt],
  );
}

async function subtract(sql: Sql, accountId: string, counts: ReadonlyMap<string, number>): Promise<void> {
  if (counts.size === 0) return;
  const given = columns(
    { project_id: 'text', unread: 'bigint' },
    counts,
    ([project_id, unread]) => ({ project_id, unread }),
    { from: 2 },
  );
  await sql.query(
    `UPDATE inbox_projects p SET unread_count = p.unread_count - n.unread FROM ${given.rows}
     WHERE p.account_id = $1 AND p.project_id = n.project_id`,
    [accountId, ...given.values],
  );
}

/** Sets counts to the unread items above the mark: of all projects, only those that have any are written. */
async function recount(sql: Sql, event: InboxReadThrough & { readonly revision: bigint }): Promise<void> {
  const parameters = parametersOf(event);
  if (event.projectId !== undefined) {
    await sql.query(
      `UPDATE inbox_projects p SET unread_count = (SELECT count(*) FROM (${unreadItems(event, 'above')}) u)
       WHERE p.account_id = $1 AND p.project_id = $4`,
      parameters,
    );
    return;
  }
  const revision = String(event.revision);
  await sql.query(`UPDATE inbox_marks SET cleared_revision = $2 WHERE account_id = $1`, [
    event.accountId,
    revision,
  ]);
  await sql.query(
    `UPDATE inbox_projects p SET unread_count = n.unread, counted_revision = $4
     FROM (SELECT project_id, count(*) AS unread FROM (${unreadItems(event, 'above')}) u GROUP BY project_id) n
     WHERE p.account_id = $1 AND p.project_id = n.project_id`,
    [...parameters, revision],
  );
}
