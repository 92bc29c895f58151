import type { PushReported } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import { statusOf } from './inbox';

/** Stores push reports. Of several reports of one item, the last one counts. */
export async function report(sql: Sql, reported: readonly PushReported[]): Promise<void> {
  if (reported.length === 0) return;
  const newest = new Map(reported.map((each) => [each.subjectId, each]));
  const given = columns(
    { subject_id: 'text', status: 'text', receipts: 'jsonb', readers: 'jsonb' },
    newest.values(),
    ({ subjectId, accepted, targets, receipts, final, readers }) => ({
      subject_id: subjectId,
      status: statusOf(accepted, targets ?? receipts.length, final),
      receipts: JSON.stringify(receipts),
      readers: readers ? JSON.stringify(readers) : null,
    }),
  );
  await sql.query(
    `UPDATE inbox_items i SET receipts = CASE WHEN i.receipts IS NOT NULL THEN n.receipts END,
       status = CASE WHEN i.status IN ('withdrawn', 'withdraw_partial') THEN i.status ELSE n.status END
     FROM ${given.rows}
     WHERE i.subject_id = n.subject_id AND (n.readers IS NULL OR n.readers ? i.account_id)`,
    given.values,
  );
}
