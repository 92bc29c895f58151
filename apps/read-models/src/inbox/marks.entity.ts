import type { InboxEvent } from '@carillon/contracts';
import type { Sql } from '@carillon/event-store';
import { hasText, likeOf } from './inbox';
import { setRead } from './read.entity';

type Mark = InboxEvent & { readonly revision: bigint };

/** Applies one mark of a person, and stores the revision of their stream that the rows contain. */
export async function mark(sql: Sql, event: Mark): Promise<void> {
  switch (event.type) {
    case 'InboxItemRead':
      await setRead(sql, event.readAt, `account_id = $2 AND item_id = $3`, [event.accountId, event.itemId]);
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
      await setRead(
        sql,
        event.readAt,
        `account_id = $2 AND (created_at, item_id) <= ($3::timestamptz, $4)
         AND ($5::text IS NULL OR project_id = $5) AND ($6::text IS NULL OR ${hasText('i', '$6')})`,
        [
          event.accountId,
          event.through.createdAt,
          event.through.id,
          projectFilter(event.projectId),
          // When the key of the query was deleted, so were the keys of the texts: nothing must match.
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

/** No text has this character: inputs with it are refused. */
const lost = '\u0001';

/** The project id in the rows: '' for items without a project; null matches every project. */
const projectFilter = (projectId: string | null | undefined): string | null =>
  projectId === undefined ? null : (projectId ?? '');
