import { answer, type Answer, Handles } from '@carillon/bus';
import { Inbox, SentCountsOf } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { Controller, Inject } from '@nestjs/common';

/** So many items of one account are counted, which takes some milliseconds. */
const most = 10_000;

/** Counts what accounts have sent. The sender of an item has one itself, without a `sender_id`. */
@Controller()
export class SentHandlers {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Handles(Inbox.sentCounts)
  async counts({ accountIds, since }: SentCountsOf): Promise<Answer<{ counts: Record<string, number> }>> {
    // One index scan per account.
    const rows = await this.database.query<{ account_id: string; sent: number }>(
      `SELECT a.account_id, s.sent FROM unnest($1::text[]) AS a (account_id) CROSS JOIN LATERAL (
         SELECT count(*)::int AS sent FROM (
           SELECT FROM inbox_items
           WHERE account_id = a.account_id AND created_at >= $2 AND sender_id IS NULL LIMIT ${most}) i) s`,
      [accountIds, since],
    );
    return answer({ counts: Object.fromEntries(rows.map(({ account_id, sent }) => [account_id, sent])) });
  }
}
