import {
  cut,
  type InboxEvent,
  type NotificationEvent,
  type NotificationSent,
  type NotificationWithdrawnEvent,
  plainText,
  type PushReceipt,
  type PushReported,
} from '@carillon/contracts';
import { Projection, type Sql } from '@carillon/event-store';
import { type DomainEvent, millis, type Recorded } from '@carillon/eventing';
import { deriveId } from '@carillon/signing';
import { Injectable } from '@nestjs/common';
import { statusOf } from './inbox';

type Marks = InboxEvent & { readonly revision: bigint };

const itemOf = (notificationId: string): string => `notification:${notificationId}`;

/** What lists show of a body: its summary, else the first 200 code points as plain text. */
const previewOf = (sent: NotificationSent): string =>
  sent.summary ?? cut(sent.bodyFormat === 'markdown' ? plainText(sent.body ?? '') : (sent.body ?? ''), 200);

const pendingReceipts = (sent: NotificationSent): PushReceipt[] =>
  sent.deviceIds.map((deviceId) => ({
    id: deriveId('rcp', millis(sent.sentAt), sent.notificationId, deviceId),
    deviceId,
    status: 'pending',
    errorCode: null,
    checkedAt: null,
  }));

/** The inbox of every account: its items, its projects with their counts, and how far its marks have been read. */
@Injectable()
export class InboxProjection extends Projection {
  readonly name = 'inbox';
  readonly tables = ['inbox_items', 'inbox_projects', 'inbox_marks'];
  readonly categories = ['notification', 'delivery', 'inbox'];
  readonly handles = [
    'NotificationSent',
    'NotificationWithdrawn',
    'PushReported',
    'InboxItemRead',
    'InboxItemUnread',
    'InboxReadThrough',
  ];
  readonly ignores = ['PushCleared'];

  /**
   * Notifications and outcomes are written together, since they commute; a mark depends on what came before it, so
   * the batch is cut at each mark. That keeps the rows independent of how the log was cut into batches.
   */
  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    let run: Recorded[] = [];
    for (const recorded of events) {
      if (!recorded.type.startsWith('Inbox')) {
        run.push(recorded);
        continue;
      }
      await this.applyRun(sql, run);
      run = [];
      await this.mark(sql, { ...(recorded.event as InboxEvent), revision: recorded.revision });
    }
    await this.applyRun(sql, run);
  }

  private async applyRun(sql: Sql, run: readonly Recorded[]): Promise<void> {
    const events = run.map(({ event }) => event as NotificationEvent | PushReported);
    const sent = events.filter(is<NotificationSent>('NotificationSent'));
    const reported = events.filter(is<PushReported>('PushReported'));
    const withdrawn = events.filter(is<NotificationWithdrawnEvent>('NotificationWithdrawn'));
    if (sent.length > 0) await this.file(sql, sent);
    if (reported.length > 0) await this.report(sql, reported);
    for (const event of withdrawn) await this.withdraw(sql, event);
  }

  private async file(sql: Sql, sent: readonly NotificationSent[]): Promise<void> {
    const previews = sent.map(previewOf);
    await sql.query(
      `INSERT INTO inbox_items (account_id, item_id, subject_id, origin, project_id, source_name, title, preview, body,
         summary, body_format, url, image_url, status, receipts, created_at)
       SELECT account_id, 'notification:' || subject_id, subject_id, 'notification', project_id, source_name, title,
         preview, body, summary, body_format, url, image_url, status, receipts, created_at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::text[], $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::timestamptz[])
         AS n(account_id, subject_id, project_id, source_name, title, preview, body, summary, body_format, url,
           image_url, status, receipts, created_at)`,
      [
        sent.map((n) => n.accountId),
        sent.map((n) => n.notificationId),
        sent.map((n) => n.projectId ?? ''),
        sent.map((n) => n.sourceName ?? ''),
        sent.map((n) => n.title ?? ''),
        previews,
        sent.map((n) => n.body ?? ''),
        sent.map((n) => n.summary),
        sent.map((n) => n.bodyFormat),
        sent.map((n) => n.url),
        sent.map((n) => n.imageUrl),
        sent.map((n) => statusOf(0, n.deviceIds.length, false)),
        sent.map((n) => JSON.stringify(pendingReceipts(n))),
        sent.map((n) => n.sentAt),
      ],
    );

    const projects = new Map<
      string,
      { first: NotificationSent; count: number; latest: number; name: string | null }
    >();
    sent.forEach((n, index) => {
      const key = `${n.accountId} ${n.projectId ?? ''}`;
      const project = projects.get(key) ?? { first: n, count: 0, latest: index, name: null };
      const newest = sent[project.latest] as NotificationSent;
      const newer =
        n.sentAt !== newest.sentAt ? n.sentAt > newest.sentAt : n.notificationId >= newest.notificationId;
      projects.set(key, {
        first: project.first,
        count: project.count + 1,
        latest: newer ? index : project.latest,
        name: n.projectName ?? project.name,
      });
    });
    const rows = [...projects.values()].map((project) => ({
      ...project,
      newest: sent[project.latest] as NotificationSent,
      preview: previews[project.latest],
    }));
    await sql.query(
      `INSERT INTO inbox_projects AS p (account_id, project_id, name, unread_count, total_count, latest_item_id,
         latest_title, latest_preview, latest_image_url, latest_at)
       SELECT account_id, project_id, coalesce(given_name, project_id), count, count, item_id, title, preview,
         image_url, at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::timestamptz[])
         AS n(account_id, project_id, given_name, count, item_id, title, preview, image_url, at)
       ON CONFLICT (account_id, project_id) DO UPDATE SET
         name = CASE WHEN excluded.name <> excluded.project_id THEN excluded.name ELSE p.name END,
         unread_count = p.unread_count + excluded.unread_count,
         total_count = p.total_count + excluded.total_count,
         (latest_item_id, latest_title, latest_preview, latest_image_url, latest_at) = (
           SELECT l.item_id, l.title, l.preview, l.image_url, l.at FROM (VALUES
             (p.latest_item_id, p.latest_title, p.latest_preview, p.latest_image_url, p.latest_at),
             (excluded.latest_item_id, excluded.latest_title, excluded.latest_preview, excluded.latest_image_url,
               excluded.latest_at)) AS l(item_id, title, preview, image_url, at)
           ORDER BY l.at DESC NULLS LAST, l.item_id DESC LIMIT 1)`,
      [
        rows.map((p) => p.first.accountId),
        rows.map((p) => p.first.projectId ?? ''),
        rows.map((p) => p.name),
        rows.map((p) => p.count),
        rows.map((p) => itemOf(p.newest.notificationId)),
        rows.map((p) => p.newest.title ?? ''),
        rows.map((p) => p.preview),
        rows.map((p) => p.newest.imageUrl),
        rows.map((p) => p.newest.sentAt),
      ],
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
        newest.map((r) => statusOf(r.accepted, r.receipts.length, r.final)),
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
           AND ($5::text IS NULL OR project_id = $5)`,
          [event.accountId, event.through.createdAt, event.through.id, projectFilter(event.projectId)],
        );
        break;
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
         UPDATE inbox_items SET read_at = $1::timestamptz WHERE read_at IS NULL AND ${matching}
         RETURNING account_id, project_id),
       counted AS (SELECT account_id, project_id, count(*) AS n FROM read GROUP BY 1, 2)
       UPDATE inbox_projects p SET unread_count = p.unread_count - c.n FROM counted c
       WHERE p.account_id = c.account_id AND p.project_id = c.project_id`,
      [at, ...parameters],
    );
  }
}

const is =
  <Event extends DomainEvent>(type: Event['type']) =>
  (event: DomainEvent): event is Event =>
    event.type === type;

/** As the rows keep it: '' for items without a project; null matches every project. */
const projectFilter = (projectId: string | null | undefined): string | null =>
  projectId === undefined ? null : (projectId ?? '');
