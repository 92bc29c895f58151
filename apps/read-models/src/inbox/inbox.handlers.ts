import { answer, type Answer, type Context, Handles, timedOut } from '@carillon/bus';
import {
  type AppSummary,
  Inbox,
  type InboxEvent,
  InboxItem,
  type InboxItemDetail,
  type InboxItemSummary,
  type InboxPage,
  type InboxProject,
  type InboxProjects,
  ListInbox,
  ListProjects,
  type ReadMark,
  ReadThrough,
} from '@carillon/contracts';
import {
  attempts,
  Database,
  Log,
  Projections,
  selected,
  type Selection,
  WrongExpectedRevision,
} from '@carillon/event-store';
import { type Instant, Refused } from '@carillon/eventing';
import { Clock, cursorKey, Cursors, metadataOf } from '@carillon/runtime';
import { type Condition, sortedBy } from '@carillon/signing';
import { WebAppViews } from '@carillon/web-app-views';
import { Controller, Inject } from '@nestjs/common';
import { itemText, projectText } from './forgotten-items.worker';
import { inbox, likeOf, markRead, markUnread, type Marked } from './inbox';
import { hasText, listed } from './listed.entity';
import { isUnread, itemOrder, itemsWithMarks, key, readTime, unreadCount } from './read-state';
import { type Covering, maxMarked, nextMarking } from './read-through.entity';
import { readReadThrough, writeReadThrough } from './read-through';

interface SummaryRow {
  item_id: string;
  origin: 'event' | 'notification';
  project_id: string;
  project_name: string | null;
  source_name: string;
  source_image_url: string | null;
  title: string;
  preview: string;
  body_format: 'text' | 'markdown';
  url: string | null;
  read_at: Date | null;
  created_at: Date;
  app_id: string | null;
}

interface ItemRow extends SummaryRow {
  body: string;
  summary: string | null;
  status: InboxItemDetail['status'];
  /** Null in the copies that others than the sender have. */
  receipts: InboxItemDetail['pushReceipts'] | null;
}

const ofSummary: Selection<SummaryRow> = {
  item_id: 'i.item_id',
  origin: 'i.origin',
  project_id: 'i.project_id',
  project_name: `CASE WHEN ${projectText.isHidden} THEN i.project_id ELSE p.name END`,
  source_name: itemText.of.source_name,
  source_image_url: itemText.of.source_image_url,
  title: itemText.of.title,
  preview: itemText.of.preview,
  body_format: 'i.body_format',
  url: itemText.of.url,
  read_at: readTime,
  created_at: 'i.created_at',
  app_id: 'i.app_id',
};
const summaryColumns = selected(ofSummary);
const itemColumns = selected<ItemRow>({
  ...ofSummary,
  body: itemText.of.body,
  summary: itemText.of.summary,
  status: 'i.status',
  receipts: 'i.receipts',
});

interface ProjectRow {
  total_unread: string;
  /** null where the page is empty: the total is there all the same. */
  project_id: string | null;
  sorted_at: Date | null;
  name: string;
  unread_count: string;
  total_count: string;
  latest_title: string | null;
  latest_preview: string | null;
  latest_image_url: string | null;
  latest_at: Date | null;
}

/** Projects without items, which only prompts have named, come last. */
const never: Instant = '1970-01-01T00:00:00.000Z';

const projectOrder = sortedBy(['sorted_at', 'desc'], ['project_id', 'asc']);

/** Reads total and page in one snapshot; `after` selects the projects of the page. */
const projectsPage = (after: string): string => `
  SELECT whole.total_unread, page.*, ${itemText.of.title} AS latest_title,
    ${itemText.of.preview} AS latest_preview, ${itemText.of.image_url} AS latest_image_url FROM
    (SELECT coalesce(sum(${unreadCount}), 0)::bigint AS total_unread
     FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id) WHERE p.account_id = $1) whole
  LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT project_id, ${projectText.of.name} AS name, ${unreadCount} AS unread_count, total_count,
        latest_item_id, latest_at, coalesce(latest_at, '${never}') AS sorted_at
      FROM inbox_projects p LEFT JOIN inbox_marks a USING (account_id) ${projectText.join}
      WHERE p.account_id = $1) projects
    WHERE ${after} ORDER BY ${projectOrder.by} LIMIT $2
  ) page ON true
  LEFT JOIN inbox_items i ON i.account_id = $1 AND i.item_id = page.latest_item_id ${itemText.join}
  ORDER BY ${projectOrder.of('page').by}`;

/** Whether an index has the items of the page in order; otherwise the query may scan all items of the account. */
const hasIndex = ({ q, unread }: ListInbox): boolean => q === undefined && unread === undefined;

/** Sorts above every item id: the cursor of an empty list is "now" with this id. */
const beyondEveryId = '~';

@Controller()
export class InboxHandlers {
  private readonly key = cursorKey('inbox');
  private readonly cursors = new Cursors('inbox', itemOrder);
  private readonly projectCursors = new Cursors('inbox projects', projectOrder);
  /** The last running search of each account. */
  private readonly searches = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(WebAppViews) private readonly apps: WebAppViews,
  ) {}

  @Handles(Inbox.projects)
  async projects({ limit = 200, cursor }: ListProjects, context: Context): Promise<Answer<InboxProjects>> {
    await this.projections.reached('inbox', context.after, context.caller.accountId);
    const { accountId } = context.caller;
    const page = this.projectCursors.asked([accountId], { limit, cursor });
    const after = page.after(3);
    const rows = await this.database.query<ProjectRow>(projectsPage(after.text), [
      accountId,
      limit + 1,
      ...after.values,
    ]);
    const found = rows.flatMap(({ project_id, sorted_at, ...row }) =>
      project_id === null || sorted_at === null ? [] : [{ ...row, project_id, sorted_at }],
    );
    const { items: projects, nextCursor } = page.of(found, found.map(projectOf));
    return answer({ projects, totalUnread: Number(rows[0]?.total_unread ?? 0), nextCursor });
  }

  @Handles(Inbox.list)
  async list(input: ListInbox, context: Context): Promise<Answer<InboxPage>> {
    await this.projections.reached('inbox', context.after, context.caller.accountId);
    return input.q === undefined
      ? this.page(input, context)
      : this.inTurn(context, () => this.page(input, context));
  }

  /**
   * A search may read all items of an account. An account runs one search at a time, so that it uses one connection to
   * the database and not all of them.
   */
  private async inTurn<T>({ caller, deadline }: Context, search: () => Promise<T>): Promise<T> {
    const { accountId } = caller;
    const mine = Promise.resolve(this.searches.get(accountId))
      .catch(() => {})
      .then(() => {
        if (Date.now() >= deadline) throw new Refused(timedOut);
        return search();
      });
    this.searches.set(accountId, mine);
    try {
      return await mine;
    } finally {
      if (this.searches.get(accountId) === mine) this.searches.delete(accountId);
    }
  }

  private async page(input: ListInbox, context: Context): Promise<Answer<InboxPage>> {
    const { accountId } = context.caller;
    const filter = [accountId, input.projectId ?? null, input.unread ?? null, input.q ?? null];
    const asked = this.cursors.asked(filter, input);
    const { limit } = asked;

    const read = (count: number, after?: (first: number) => Condition): Promise<SummaryRow[]> => {
      const { from, values } = listed(accountId, input, count, after);
      const text = `SELECT ${summaryColumns} ${from}`;
      return hasIndex(input) ? this.database.read(text, values) : this.database.query(text, values);
    };
    const newestOfAll = asked.key && (await read(1));
    const rows = await read(limit + 1, asked.after);

    const newest = (newestOfAll ?? rows)[0];
    const through = newest
      ? { createdAt: newest.created_at.toISOString(), id: newest.item_id }
      : { createdAt: this.clock.now(), id: beyondEveryId };
    const shown = rows.slice(0, limit);
    const appOf = await this.appsOf(shown, context);
    const items = shown.map((row) => summaryOf(row, appOf(row.app_id)));
    const page = asked.of(rows, items);
    return answer({
      ...page,
      readThroughToken: writeReadThrough(this.key, {
        accountId,
        through,
        ...(input.projectId !== undefined && {
          projectId: input.projectId === 'none' ? null : input.projectId,
        }),
        ...(input.q !== undefined && { q: input.q }),
        ...(input.unread !== undefined && { unread: input.unread }),
      }),
    });
  }

  @Handles(Inbox.get)
  async get({ id }: InboxItem, context: Context): Promise<Answer<InboxItemDetail>> {
    await this.projections.reached('inbox', context.after, context.caller.accountId);
    const row = await this.row(id, context);
    const appOf = await this.appsOf([row], context);
    return answer({
      ...summaryOf(row, appOf(row.app_id)),
      body: row.body,
      summary: row.summary,
      status: row.status,
      ...(row.receipts && row.receipts.length > 0 && { pushReceipts: row.receipts }),
    });
  }

  @Handles(Inbox.read)
  async read({ id }: InboxItem, context: Context): Promise<Answer<ReadMark>> {
    const at = this.clock.now();
    return this.mark(id, context, markRead({ at }), (before) => before ?? at);
  }

  @Handles(Inbox.unread)
  async unread({ id }: InboxItem, context: Context): Promise<Answer<ReadMark>> {
    return this.mark(id, context, markUnread({ at: this.clock.now() }), () => null);
  }

  @Handles(Inbox.readAll)
  async readAll(
    { readThroughToken }: ReadThrough,
    context: Context,
  ): Promise<Answer<ReadMark & { updated: number }>> {
    const { accountId } = context.caller;
    const { unread, q, ...mark } = readReadThrough(this.key, accountId, readThroughToken);
    const readAt = this.clock.now();
    // The list showed only read items.
    if (unread === false) return answer({ ok: true, readAt, updated: 0 });
    if (q !== undefined) return this.inTurn(context, () => this.readFound(mark, q, readAt, context));
    return this.inParts(readAt, context, async (revision) => {
      const { events, updated, isLast } = await this.database.transaction((sql) =>
        nextMarking(sql, mark, readAt),
      );
      if (events.length === 0) return answer({ updated, isLast });
      return answer({ updated, isLast }, (await this.append(context, events, revision)).position);
    });
  }

  /**
   * Marks some items at a time, until the last part. Another try of a request that ran out of time goes on with what is
   * left.
   */
  private async inParts(
    readAt: Instant,
    context: Context,
    markSome: (revision: bigint | undefined) => Promise<Answer<{ updated: number; isLast: boolean }>>,
  ): Promise<Answer<ReadMark & { updated: number }>> {
    let position = context.after;
    let updated = 0;
    for (;;) {
      if (Date.now() >= context.deadline) throw new Refused(timedOut);
      const marked = await this.retried(
        { ...context, ...(position !== undefined && { after: position }) },
        markSome,
      );
      updated += marked.value.updated;
      position = marked.position ?? position;
      if (marked.value.isLast)
        return { value: { ok: true, readAt, updated }, ...(updated > 0 && { position }) };
    }
  }

  /** Marks what a search found: which items they are cannot be told by a watermark. */
  private async readFound(
    { accountId, projectId, through }: Covering,
    q: string,
    readAt: Instant,
    context: Context,
  ): Promise<Answer<ReadMark & { updated: number }>> {
    const project = projectId === undefined ? null : (projectId ?? '');
    let { createdAt, id } = through;
    return this.inParts(readAt, context, async (revision) => {
      const found = await this.database.query<{ item_id: string; created_at: Date }>(
        `SELECT i.item_id, i.created_at FROM ${itemsWithMarks} ${itemText.join}
           WHERE i.account_id = $1 AND ${key} <= ($2::timestamptz, $3) AND ${isUnread}
             AND ($4::text IS NULL OR i.project_id = $4) AND ${hasText('$5')}
           ORDER BY i.created_at DESC, i.item_id DESC LIMIT ${maxMarked}`,
        [accountId, createdAt, id, project, likeOf(q)],
      );
      const last = found.at(-1);
      if (!last) return answer({ updated: 0, isLast: true });
      const itemIds = found.map((row) => row.item_id);
      const event: InboxEvent = { type: 'InboxItemsRead', accountId, itemIds, readAt };
      const { position } = await this.append(context, [event], revision);
      [createdAt, id] = [last.created_at.toISOString(), last.item_id];
      return answer({ updated: found.length, isLast: found.length < maxMarked }, position);
    });
  }

  private async mark(
    item: string,
    context: Context,
    decide: (marked: Marked) => readonly InboxEvent[],
    after: (before: Instant | null) => Instant | null,
  ): Promise<Answer<ReadMark>> {
    return this.retried(context, async (revision) => {
      const row = await this.row(item, context);
      const readAt = row.read_at?.toISOString() ?? null;
      const events = decide({ accountId: context.caller.accountId, itemId: item, readAt });
      if (events.length === 0) return answer({ ok: true, readAt: after(readAt), idempotent: true });
      const { position } = await this.append(context, events, revision);
      return answer({ ok: true, readAt: after(readAt) }, position);
    });
  }

  /**
   * Runs `work` on rows that contain the account's marks up to `revision`; retries when another mark came in between.
   */
  private async retried<Output>(
    context: Context,
    work: (revision: bigint | undefined) => Promise<Answer<Output>>,
  ): Promise<Answer<Output>> {
    let after = context.after;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      await this.projections.reached('inbox', after, context.caller.accountId);
      const [marks] = await this.database.query<{ revision: string }>(
        `SELECT revision FROM inbox_marks WHERE account_id = $1`,
        [context.caller.accountId],
      );
      try {
        return await work(marks && BigInt(marks.revision));
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
        const newest = await this.log.store.readLast(`${inbox.category}-${context.caller.accountId}`);
        after = newest && String(newest.position);
      }
    }
    throw new Refused('stream.concurrent_update');
  }

  private append(
    context: Context,
    events: readonly InboxEvent[],
    revision: bigint | undefined,
  ): Promise<{ position: bigint }> {
    return this.log.appendTo(
      inbox,
      context.caller.accountId,
      events,
      revision ?? 'no_stream',
      metadataOf(context),
    );
  }

  private appsOf(rows: readonly SummaryRow[], { caller, after }: Context): ReturnType<WebAppViews['seenBy']> {
    return this.apps.seenBy(
      caller.accountId,
      rows.map((row) => row.app_id),
      after,
    );
  }

  private async row(item: string, context: Context): Promise<ItemRow> {
    const [row] = await this.database.read<ItemRow>(
      `SELECT ${itemColumns} FROM ${itemsWithMarks} ${itemText.join} ${projectText.join}
       WHERE i.account_id = $1 AND i.item_id = $2`,
      [context.caller.accountId, item],
    );
    if (!row) throw new Refused('inbox_item.not_found');
    return row;
  }
}

const projectOf = (row: ProjectRow & { project_id: string }): InboxProject => ({
  projectId: row.project_id || null,
  name: row.project_id ? row.name : 'General',
  unreadCount: Number(row.unread_count),
  totalCount: Number(row.total_count),
  latestTitle: row.latest_title,
  latestPreview: row.latest_preview,
  latestImageUrl: row.latest_image_url,
  latestAt: row.latest_at?.toISOString() ?? null,
});

const summaryOf = (row: SummaryRow, app: AppSummary | null): InboxItemSummary => ({
  id: row.item_id,
  origin: row.origin,
  projectId: row.project_id || null,
  projectName: row.project_id ? (row.project_name ?? row.project_id) : null,
  sourceName: row.source_name,
  sourceImageUrl: row.source_image_url,
  title: row.title,
  preview: row.preview,
  url: row.url,
  bodyFormat: row.body_format,
  readAt: row.read_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  app,
});
