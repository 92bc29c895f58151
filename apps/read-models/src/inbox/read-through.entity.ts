import type { InboxEvent, InboxReadThrough } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { key, unreadCount } from './read-state';

export type Covering = Pick<InboxReadThrough, 'accountId' | 'projectId' | 'through'>;

/**
 * The most rows that a mark reads of items below it, to subtract them from counts. A mark that has more of them sets
 * counts to what is left above it, which is no more than that either: what is between others is marked in steps.
 */
const atOnce = 5_000;
/** The most items that one event names. */
export const maxMarked = 500;

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

const matching = (covering: Covering, side: 'below' | 'above'): string =>
  `i.account_id = $1 AND i.read_at IS NULL ${ofProject(covering)} AND ${key} ${side === 'below' ? '<=' : '>'} ${mark}`;
const exceptions = (covering: Covering, side: 'below' | 'above'): string =>
  `inbox_exceptions i WHERE ${matching(covering, side)}`;
/** Those of a mark of all projects may be covered by the mark of their project. */
const items = (covering: Covering, side: 'below' | 'above'): string =>
  `inbox_items i WHERE ${matching(covering, side)} AND ${key} > ${watermark(covering)}`;
// Not a join, which could be by project and need a sort.
const uncovered = ({ projectId }: Covering): string =>
  projectId !== undefined
    ? 'true'
    : `${key} > (SELECT p.through_at, p.through_id FROM inbox_projects p
    WHERE p.account_id = $1 AND p.project_id = i.project_id)`;

/**
 * A row with its project for each item below the mark, and whether it is unread. They are cut at one more than
 * `atOnce`, and sorted as an index has them, so that Postgres reads no more than that.
 */
const itemsBelow = (covering: Covering): string => `
  SELECT i.project_id, true AS unread FROM ${exceptions(covering, 'below')}
  UNION ALL
  SELECT i.project_id, ${uncovered(covering)} FROM (
    SELECT i.project_id, i.created_at, i.item_id FROM ${items(covering, 'below')}
    ORDER BY i.created_at DESC, i.item_id DESC LIMIT ${atOnce + 1}) i`;

/** A row with its project for each unread item above the mark. */
const unreadAbove = (covering: Covering): string => `
  SELECT i.project_id FROM ${exceptions(covering, 'above')}
  UNION ALL
  SELECT i.project_id FROM ${items(covering, 'above')} AND ${uncovered(covering)}`;

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

/** Reads how many unread items of each project a mark covers; undefined for those of more than `atOnce` rows. */
async function unreadBelow(sql: Sql, covering: Covering): Promise<Map<string, number> | undefined> {
  const rows = await sql.query<{ project_id: string; unread: string; read: string }>(
    `SELECT project_id, count(*) FILTER (WHERE unread) AS unread, count(*) AS read
     FROM (${itemsBelow(covering)}) u GROUP BY project_id`,
    parametersOf(covering),
  );
  if (rows.reduce((sum, row) => sum + Number(row.read), 0) > atOnce) return undefined;
  const counts = rows.map(({ project_id, unread }): [string, number] => [project_id, Number(unread)]);
  return new Map(counts.filter(([, unread]) => unread > 0));
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Reads how many unread items a mark covers. */
async function below(sql: Sql, covering: Covering): Promise<number> {
  const counts = await unreadBelow(sql, covering);
  if (counts) return sumOf(counts);
  const [row] = await sql.query<{ below: string }>(
    `SELECT (
       SELECT coalesce(sum(${unreadCount}), 0) FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id)
       WHERE p.account_id = $1 ${ofProject(covering, 'p')}
     ) - (SELECT count(*) FROM (${unreadAbove(covering)}) u) AS below`,
    parametersOf(covering),
  );
  return Number(row?.below ?? 0);
}

/** What is marked next, and how many items that are. */
export interface Marking {
  readonly events: readonly InboxEvent[];
  readonly updated: number;
  readonly isLast: boolean;
}

/**
 * The next events of a mark, in a transaction: the mark itself where the projection has at most `atOnce` rows to read
 * below it or above it, and as many exceptions to write; else a part of it, so that no event stops other accounts.
 */
export const nextMarking = (sql: Sql, covering: Covering, readAt: Instant): Promise<Marking> =>
  fromIndexes(sql, async () => {
    const { accountId } = covering;
    const limited = (of: string): string =>
      `(SELECT count(*) FROM (SELECT FROM ${of} LIMIT ${atOnce + 1}) n)`;
    const [found] = await sql.query<{ excepted: string; above: string }>(
      `SELECT ${limited(exceptions(covering, 'below'))} AS excepted,
         ${limited(exceptions(covering, 'above'))} + ${limited(items(covering, 'above'))} AS above`,
      parametersOf(covering),
    );
    if (Number(found?.excepted) > atOnce) {
      const rows = await sql.query<{ item_id: string }>(
        `SELECT i.item_id FROM ${exceptions(covering, 'below')}
         ORDER BY i.created_at DESC, i.item_id DESC LIMIT ${atOnce}`,
        parametersOf(covering),
      );
      const ids = rows.map((row) => row.item_id);
      const events = Array.from({ length: Math.ceil(ids.length / maxMarked) }, (_, n): InboxEvent => ({
        type: 'InboxItemsRead',
        accountId,
        itemIds: ids.slice(n * maxMarked, (n + 1) * maxMarked),
        readAt,
      }));
      return { events, updated: rows.length, isLast: false };
    }
    const part = Number(found?.above) > atOnce ? await oldestPart(sql, covering) : undefined;
    const marked: Covering = part ? { ...covering, through: part } : covering;
    const updated = await below(sql, marked);
    const isLast = part === undefined;
    return {
      events: updated === 0 && isLast ? [] : [{ type: 'InboxReadThrough', ...marked, readAt }],
      updated,
      isLast,
    };
  });

/** The newest of the `atOnce` oldest items that a mark covers; undefined for fewer. */
async function oldestPart(sql: Sql, covering: Covering): Promise<Covering['through'] | undefined> {
  const [row] = await sql.query<{ created_at: Date; item_id: string }>(
    `SELECT i.created_at, i.item_id FROM ${items(covering, 'below')}
     ORDER BY i.created_at, i.item_id OFFSET ${atOnce - 1} LIMIT 1`,
    parametersOf(covering),
  );
  return row && { createdAt: row.created_at.toISOString(), id: row.item_id };
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
      `UPDATE inbox_projects p SET unread_count = (SELECT count(*) FROM (${unreadAbove(event)}) u)
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
     FROM (SELECT project_id, count(*) AS unread FROM (${unreadAbove(event)}) u GROUP BY project_id) n
     WHERE p.account_id = $1 AND p.project_id = n.project_id`,
    [...parameters, revision],
  );
}
