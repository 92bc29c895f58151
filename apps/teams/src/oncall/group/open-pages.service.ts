import { Database, Projections } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { Clock, keepDays, keptSince } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';

/** Unresolved pages, from rows that include the log position `after`. */
@Injectable()
export class OpenPages {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The number of open pages per group, now or at a given time, of the pages that are kept. */
  async count(
    groupIds: readonly string[],
    { at, after }: { readonly at?: Instant | undefined; readonly after?: string | undefined },
  ): Promise<(groupId: string) => number> {
    await this.projections.reached('pages', after);
    const rows = await this.database.query<{ group_id: string; open: number }>(
      `SELECT group_id, count(*)::int AS open FROM pages
       WHERE group_id = ANY ($1::text[]) AND CASE WHEN $2::timestamptz IS NULL THEN status <> 'resolved'
         ELSE created_at <= $2 AND (resolved_at IS NULL OR resolved_at > greatest($2, $3)) END
       GROUP BY group_id`,
      [groupIds, at ?? null, keptSince(this.clock.now(), this.keptDays)],
    );
    const counts = new Map(rows.map(({ group_id, open }) => [group_id, open]));
    return (groupId) => counts.get(groupId) ?? 0;
  }

  /** The ids of the open pages that notified the account, in its current teams, newest first. */
  async of(accountId: string, after?: string): Promise<string[]> {
    await this.projections.reached('pages', after);
    const rows = await this.database.query<{ page_id: string }>(
      `SELECT page_id FROM pages JOIN members USING (team_id)
       WHERE account_id = $1 AND notified @> ARRAY[$1] AND status <> 'resolved'
       ORDER BY created_at DESC, page_id DESC LIMIT 100`,
      [accountId],
    );
    return rows.map(({ page_id }) => page_id);
  }
}
