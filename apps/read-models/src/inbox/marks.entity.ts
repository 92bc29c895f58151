import type { InboxEvent } from '@carillon/contracts';
import type { Sql } from '@carillon/event-store';
import { readThrough } from './read-through.entity';
import { setRead, setUnread } from './read.entity';

type Mark = InboxEvent & { readonly revision: bigint };

/** Applies one mark of a person, and stores the revision of their stream that the rows contain. */
export async function mark(sql: Sql, event: Mark): Promise<void> {
  await sql.query(
    `INSERT INTO inbox_marks (account_id, revision) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision`,
    [event.accountId, String(event.revision)],
  );
  switch (event.type) {
    case 'InboxItemRead':
      await setRead(sql, event.readAt, `i.account_id = $2 AND i.item_id = $3`, [
        event.accountId,
        event.itemId,
      ]);
      break;
    case 'InboxItemsRead':
      await setRead(sql, event.readAt, `i.account_id = $2 AND i.item_id = ANY($3)`, [
        event.accountId,
        event.itemIds,
      ]);
      break;
    case 'InboxItemUnread':
      await setUnread(sql, event.accountId, event.itemId);
      break;
    case 'InboxReadThrough':
      await readThrough(sql, event);
      break;
    default:
      event satisfies never;
  }
}
