import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { ListPages, type OncallPage, type ListPage as ListPage, Pages } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, Cursors, keepDays } from '@carillon/runtime';
import { sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { asMember, team } from '../../team/team';
import { keptSince } from './forget';
import { page } from './page';
import { PageViews } from './page-views.service';

export const pageOrder = sortedBy(['created_at', 'desc'], ['page_id', 'desc']);

@Controller()
export class PageListHandlers {
  private readonly cursors = new Cursors('page', pageOrder);
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PageViews) private readonly views: PageViews,
  ) {}

  @Handles(Pages.list)
  async list(input: ListPages, context: Context): Promise<Answer<ListPage<OncallPage>>> {
    const { id: teamId, status = null, groupId = null, from = null, to = null } = input;
    const { accountId } = context.caller;
    const filter = [accountId, teamId, status && [...status].sort(), groupId, from, to];
    const asked = this.cursors.asked(filter, input);
    const { state } = await this.log.load(team, streamTail(teamId));
    const { retentionDays } = asMember(state, { teamId, accountId }).team;
    await this.projections.reached('pages', context.after);
    const after = asked.after(8);
    const rows = await this.database.query<{ page_id: string; created_at: Date }>(
      `SELECT page_id, created_at FROM pages
       WHERE team_id = $1 AND ($2::text[] IS NULL OR status = ANY ($2)) AND ($3::text IS NULL OR group_id = $3)
         AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)
         AND ($6::timestamptz IS NULL OR resolved_at IS NULL OR resolved_at > $6)
         AND ${after.text}
       ORDER BY ${pageOrder.by} LIMIT $7`,
      [
        teamId,
        status,
        groupId,
        from,
        to,
        keptSince({ retentionDays, keepDays: this.keptDays }, this.clock.now()),
        asked.limit + 1,
        ...after.values,
      ],
    );
    const loaded = await Promise.all(
      rows.slice(0, asked.limit).map(async (row) => {
        const { state: found } = await this.log.load(page, streamTail(row.page_id));
        return found ? [{ ...row, found }] : [];
      }),
    );
    const pages = loaded.flat();
    const items = await this.views.all(
      pages.map(({ found }) => found),
      context,
    );
    return answer(asked.of(pages, items, rows.length > asked.limit));
  }
}
