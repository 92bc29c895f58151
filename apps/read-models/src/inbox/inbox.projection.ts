import type {
  EventReceived,
  InboxEvent,
  InteractionAsked,
  NotificationEvent,
  NotificationWithdrawnEvent,
  PushReported,
  ServiceChanged,
  Streams,
} from '@carillon/contracts';
import { type EventsOf, ignore, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import { ofType, type Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import { hasText, likeOf, statusOf } from './inbox';
import { type Item, itemId, itemOf, pendingReceipts } from './item';

type Marks = InboxEvent & { readonly revision: bigint };

type Followed = Streams<'notification' | 'event' | 'service' | 'delivery' | 'inbox' | 'interaction'>;
type Ignored =
  | 'PushCleared'
  | 'ServiceCreated'
  | 'ServiceShared'
  | 'HookRotated'
  | 'ServiceDeleted'
  | 'InteractionAnswered'
  | 'InteractionCanceled'
  | 'InteractionExpired';
type FiledEvent = Exclude<EventsOf<Followed>, { readonly type: Ignored }>;
/** What can be written in any order. */
type Commuting = NotificationEvent | EventReceived | PushReported;

/** The inbox of every account: its items, its projects with their counts, and how far its marks have been read. */
@Injectable()
export class InboxProjection extends Projection<Followed, Ignored> {
  readonly name = 'inbox';
  readonly tables = ['inbox_items', 'inbox_projects', 'inbox_marks'];
  readonly on: On<Followed, Ignored> = {
    notification: {
      NotificationSent: inBatch,
      NotificationWithdrawn: inBatch,
    },
    event: {
      EventReceived: inBatch,
    },
    service: {
      ServiceCreated: ignore,
      ServiceChanged: inBatch,
      ServiceShared: ignore,
      HookRotated: ignore,
      ServiceDeleted: ignore,
    },
    delivery: {
      PushReported: inBatch,
      PushCleared: ignore,
    },
    inbox: {
      InboxItemRead: inBatch,
      InboxItemUnread: inBatch,
      InboxReadThrough: inBatch,
    },
    interaction: {
      InteractionAsked: inBatch,
      InteractionAnswered: ignore,
      InteractionCanceled: ignore,
      InteractionExpired: ignore,
    },
  };

  /**
   * Items and outcomes are written together, since they commute; a mark or a new name depends on what came before it,
   * so the batch is cut there. That keeps the rows independent of how the log was cut into batches.
   */
  override async apply(sql: Sql, events: readonly Recorded<FiledEvent>[]): Promise<void> {
    let run: Recorded<Commuting>[] = [];
    const cut = async (): Promise<void> => {
      await this.applyRun(sql, run);
      run = [];
    };
    for (const recorded of events) {
      const { event, revision } = recorded;
      switch (event.type) {
        case 'ServiceChanged':
          await cut();
          await this.rename(sql, event);
          break;
        case 'InteractionAsked':
          if (event.projectId === null) break;
          await cut();
          await this.nameProject(sql, event);
          break;
        case 'InboxItemRead':
        case 'InboxItemUnread':
        case 'InboxReadThrough':
          await cut();
          await this.mark(sql, { ...event, revision });
          break;
        case 'EventReceived':
          // What came over a limit reached nobody.
          if (event.limitedBy === null) run.push({ ...recorded, event });
          break;
        case 'NotificationSent':
        case 'NotificationWithdrawn':
        case 'PushReported':
          run.push({ ...recorded, event });
          break;
        default:
          event satisfies never;
      }
    }
    await cut();
  }

  private async applyRun(sql: Sql, run: readonly Recorded<Commuting>[]): Promise<void> {
    const items = ofType(run, 'NotificationSent', 'EventReceived').map(itemOf);
    const reported = ofType(run, 'PushReported');
    if (items.length > 0) await this.file(sql, items);
    if (reported.length > 0) await this.report(sql, reported);
    for (const event of ofType(run, 'NotificationWithdrawn')) await this.withdraw(sql, event);
  }

  private async file(sql: Sql, items: readonly Item[]): Promise<void> {
    await sql.query(
      `INSERT INTO inbox_items (account_id, item_id, subject_id, origin, project_id, source_name, source_image_url,
         title, preview, body, summary, body_format, url, image_url, status, receipts, created_at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
         $16::jsonb[], $17::timestamptz[])`,
      [
        items.map((item) => item.accountId),
        items.map(itemId),
        items.map((item) => item.subjectId),
        items.map((item) => item.origin),
        items.map((item) => item.projectId),
        items.map((item) => item.sourceName),
        items.map((item) => item.sourceImageUrl),
        items.map((item) => item.title),
        items.map((item) => item.preview),
        items.map((item) => item.body),
        items.map((item) => item.summary),
        items.map((item) => item.bodyFormat),
        items.map((item) => item.url),
        items.map((item) => item.imageUrl),
        items.map((item) => statusOf(0, item.deviceIds.length, false)),
        items.map((item) => JSON.stringify(pendingReceipts(item))),
        items.map((item) => item.at),
      ],
    );

    const projects = new Map<string, { newest: Item; count: number; name: string | null }>();
    for (const item of items) {
      const key = `${item.accountId} ${item.projectId}`;
      const { newest, count, name } = projects.get(key) ?? { newest: item, count: 0, name: null };
      const newer = item.at !== newest.at ? item.at > newest.at : itemId(item) >= itemId(newest);
      projects.set(key, {
        newest: newer ? item : newest,
        count: count + 1,
        name: item.projectName ?? name,
      });
    }
    const rows = [...projects.values()];
    await sql.query(
      `INSERT INTO inbox_projects AS p (account_id, project_id, name, unread_count, total_count, latest_item_id,
         latest_title, latest_preview, latest_image_url, latest_at)
       SELECT account_id, project_id, coalesce(given_name, project_id), count, count, item_id, title, preview,
         image_url, at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::timestamptz[])
         AS n(account_id, project_id, given_name, count, item_id, title, preview, image_url, at)
       ON CONFLICT (account_id, project_id) DO UPDATE SET
         unread_count = p.unread_count + excluded.unread_count,
         total_count = p.total_count + excluded.total_count,
         (latest_item_id, latest_title, latest_preview, latest_image_url, latest_at) = (
           SELECT l.item_id, l.title, l.preview, l.image_url, l.at FROM (VALUES
             (p.latest_item_id, p.latest_title, p.latest_preview, p.latest_image_url, p.latest_at),
             (excluded.latest_item_id, excluded.latest_title, excluded.latest_preview, excluded.latest_image_url,
               excluded.latest_at)) AS l(item_id, title, preview, image_url, at)
           ORDER BY l.at DESC NULLS LAST, l.item_id DESC LIMIT 1)`,
      [
        rows.map((project) => project.newest.accountId),
        rows.map((project) => project.newest.projectId),
        rows.map((project) => project.name),
        rows.map((project) => project.count),
        rows.map((project) => itemId(project.newest)),
        rows.map((project) => project.newest.title),
        rows.map((project) => project.newest.preview),
        rows.map((project) => project.newest.imageUrl),
        rows.map((project) => project.newest.at),
      ],
    );
    const named = rows.filter(({ name }) => name !== null);
    if (named.length > 0)
      await sql.query(
        `UPDATE inbox_projects p SET name = n.name FROM unnest($1::text[], $2::text[], $3::text[]) AS n (account_id, project_id, name)
         WHERE p.account_id = n.account_id AND p.project_id = n.project_id AND p.name <> n.name`,
        [
          named.map(({ newest }) => newest.accountId),
          named.map(({ newest }) => newest.projectId),
          named.map(({ name }) => name),
        ],
      );
  }

  /** The project of a service is called as the service is. */
  private async rename(sql: Sql, { accountId, serviceId, title }: ServiceChanged): Promise<void> {
    if (title === undefined) return;
    await sql.query(
      `UPDATE inbox_projects SET name = coalesce($3, '') WHERE account_id = $1 AND project_id = $2`,
      [accountId, serviceId, title],
    );
  }

  /** A prompt is no item of the inbox, but it names its project as an item does. */
  private async nameProject(
    sql: Sql,
    { accountId, projectId, projectName }: InteractionAsked,
  ): Promise<void> {
    await sql.query(
      `INSERT INTO inbox_projects AS p (account_id, project_id, name) VALUES ($1, $2, coalesce($3, $2))
       ON CONFLICT (account_id, project_id) DO UPDATE SET name = coalesce($3, p.name)`,
      [accountId, projectId, projectName],
    );
  }

  private async report(sql: Sql, reported: readonly PushReported[]): Promise<void> {
    const newest = [...new Map(reported.map((report) => [report.subjectId, report])).values()];
    await sql.query(
      `UPDATE inbox_items i SET receipts = n.receipts,
         status = CASE WHEN i.status IN ('withdrawn', 'withdraw_partial') THEN i.status ELSE n.status END
       FROM unnest($1::text[], $2::text[], $3::jsonb[]) AS n(subject_id, status, receipts)
       WHERE i.subject_id = n.subject_id`,
      [
        newest.map((r) => r.subjectId),
        newest.map((r) => statusOf(r.accepted, r.targets ?? r.receipts.length, r.final)),
        newest.map((r) => JSON.stringify(r.receipts)),
      ],
    );
  }

  private async withdraw(sql: Sql, event: NotificationWithdrawnEvent): Promise<void> {
    await sql.query(`UPDATE inbox_items SET status = $2 WHERE subject_id = $1`, [
      event.notificationId,
      event.status,
    ]);
    await this.setRead(sql, event.withdrawnAt, `subject_id = $2`, [event.notificationId]);
  }

  private async mark(sql: Sql, event: Marks): Promise<void> {
    switch (event.type) {
      case 'InboxItemRead':
        await this.setRead(sql, event.readAt, `account_id = $2 AND item_id = $3`, [
          event.accountId,
          event.itemId,
        ]);
        break;
      case 'InboxItemUnread':
        await sql.query(
          `WITH unread AS (
             UPDATE inbox_items SET read_at = NULL WHERE account_id = $1 AND item_id = $2 AND read_at IS NOT NULL
             RETURNING account_id, project_id)
           UPDATE inbox_projects p SET unread_count = p.unread_count + 1 FROM unread u
           WHERE p.account_id = u.account_id AND p.project_id = u.project_id`,
          [event.accountId, event.itemId],
        );
        break;
      case 'InboxReadThrough':
        await this.setRead(
          sql,
          event.readAt,
          `account_id = $2 AND (created_at, item_id) <= ($3::timestamptz, $4)
           AND ($5::text IS NULL OR project_id = $5) AND ($6::text IS NULL OR ${hasText('i', '$6')})`,
          [
            event.accountId,
            event.through.createdAt,
            event.through.id,
            projectFilter(event.projectId),
            // Where its key is gone, so are the texts: nothing has it.
            event.q === undefined ? null : likeOf(event.q ?? lost),
          ],
        );
        break;
      default:
        event satisfies never;
    }
    await sql.query(
      `INSERT INTO inbox_marks (account_id, revision) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision`,
      [event.accountId, String(event.revision)],
    );
  }

  /** Marks the unread ones of the matching items read and takes them off their projects' counts. */
  private async setRead(sql: Sql, at: string, matching: string, parameters: unknown[]): Promise<void> {
    await sql.query(
      `WITH read AS (
         UPDATE inbox_items i SET read_at = $1::timestamptz WHERE read_at IS NULL AND ${matching}
         RETURNING account_id, project_id),
       counted AS (SELECT account_id, project_id, count(*) AS n FROM read GROUP BY 1, 2)
       UPDATE inbox_projects p SET unread_count = p.unread_count - c.n FROM counted c
       WHERE p.account_id = c.account_id AND p.project_id = c.project_id`,
      [at, ...parameters],
    );
  }
}

/** No text has this character: inputs with it are refused. */
const lost = '\u0001';

/** As the rows keep it: '' for items without a project; null matches every project. */
const projectFilter = (projectId: string | null | undefined): string | null =>
  projectId === undefined ? null : (projectId ?? '');
