import type { PageEvent } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';
import { keepDays } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { keptSince } from '../page/forget';
import { page } from '../page/page';
import { type PastPage, pastPage } from './past-page';

const dayMs = 24 * 60 * 60 * 1000;
const most = 500;
/** The maximum number of streams read concurrently. */
const atOnce = 20;

interface Looked {
  readonly groupId: string;
  readonly retentionDays: number | null;
  readonly now: Instant;
  readonly after: string | undefined;
}

/** Reads the past pages of a group. */
@Injectable()
export class PastPages {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /** The pages of the last 90 days, newest first, and whether there are more than the maximum for a replay. */
  async of({
    groupId,
    retentionDays,
    now,
    after,
  }: Looked): Promise<{ readonly pages: PastPage[]; readonly truncated: boolean }> {
    await this.projections.reached('pages', after);
    const rows = await this.database.query<{ page_id: string }>(
      `SELECT page_id FROM pages WHERE group_id = $1 AND created_at >= $2
         AND ($3::timestamptz IS NULL OR resolved_at IS NULL OR resolved_at > $3)
       ORDER BY created_at DESC, page_id DESC LIMIT $4`,
      [groupId, plus(now, -90 * dayMs), keptSince({ retentionDays, keepDays: this.keptDays }, now), most + 1],
    );
    const found: (PastPage | null)[] = [];
    for (let from = 0; from < most; from += atOnce) {
      const some = rows.slice(from, Math.min(from + atOnce, most));
      found.push(...(await Promise.all(some.map((row) => this.pastPage(row.page_id)))));
    }
    return { pages: found.filter((each) => each !== null), truncated: rows.length > most };
  }

  /** Nothing of what repeated it is kept, however often that was. */
  private async pastPage(pageId: string): Promise<PastPage | null> {
    let past: PastPage | null = null;
    for await (const events of this.log.parts<PageEvent>(`${page.category}-${streamTail(pageId)}`))
      past = pastPage(events, past);
    return past;
  }
}
