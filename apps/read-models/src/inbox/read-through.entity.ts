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

/** The greater of the watermarks that apply to all items of the mark. */
const watermark = ({ projectId }: Covering): string => {
  const ofAccount = `SELECT through_at, through_id FROM inbox_marks WHERE account_id = $1`;
  const ofProject = `SELECT through_at, through_id FROM inbox_projects WHERE account_id = $1 AND project_id = $4`;
  return `(SELECT * FROM (
    ${projectId === undefined ? ofAccount : `${ofAccount} UNION ALL ${ofProject}`}
    UNION ALL VALUES ('-infinity'::timestamptz, '')) w
    ORDER BY through_at DESC, through_id DESC LIMIT 1)`;
};

/**
 * A row with its project for each unread item below or above the mark. Those below are cut at one more than
 * `maxSubtracted`; they are sorted as an index has them, so that Postgres reads no more than that.
 */
function unreadItems(covering: Covering, side: 'below' | 'above'): string {
  const where = `i.account_id = $1 AND i.read_at IS NULL ${ofProject(covering)}
    AND ${key} ${side === 'below' ? '<=' : '>'} ${mark}`;
  // Not a join, which could be by project and need a sort.
  const uncovered = `AND ${key} > (SELECT p.through_at, p.through_id FROM inbox_projects p
    WHERE p.account_id = $1 AND p.project_id = i.project_id)`;
  const newest = `ORDER BY i.created_at DESC, i.item_id DESC LIMIT ${maxSubtracted + 1}`;
  return `
    SELECT i.project_id FROM inbox_exceptions i WHERE ${where}
    UNION ALL
    (SELECT i.project_id FROM inbox_items i
     WHERE ${where} AND ${key} > ${watermark(covering)} ${covering.projectId === undefined ? uncovered : ''}
     ${side === 'below' ? newest : ''})`;
}

/**
 * Counts by what the indexes have in order. Postgres cannot estimate how few rows are above a mark, or that it needs no
 * more than the first ones below, and might read all items of the account.
 */
async function fromIndexes<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.query(`SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off`);
  const counted = await work();
  await sql.query(`RESET enable_seqscan; RESET enable_bitmapscan`);
  return counted;
}

/** Reads how many unread items of each project a mark covers; undefined for more than `maxSubtracted`. */
async function unreadBelow(sql: Sql, covering: Covering): Promise<Map<string, number> | undefined> {
  const rows = await sql.query<{ project_id: string; unread: string }>(
    `SELECT project_id, count(*) AS unread FROM (${unreadItems(covering, 'below')}) u GROUP BY project_id`,
    parametersOf(covering),
  );
  const counts = new Map(rows.map(({ project_id, unread }) => [project_id, Number(unread)]));
  return sumOf(counts) > maxSubtracted ? undefined : counts;
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Reads, in a transaction, how many unread items a mark covers. */
export const countBelow = (sql: Sql, covering: Covering): Promise<number> =>
  fromIndexes(sql, () => below(sql, covering));

async function below(sql: Sql, covering: Covering): Promise<number> {
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
  await fromIndexes(sql, async () => {
    const counts = await unreadBelow(sql, event);
    if (counts) await subtract(sql, event.accountId, counts);
    else await recount(sql, event);
  });
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
