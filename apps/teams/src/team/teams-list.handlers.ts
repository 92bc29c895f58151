import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { ListQuery, type ListPage, type OperatedTeam, Teams } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Clock, Cursors, recordOperation } from '@carillon/runtime';
import { sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { team } from './team';

const order = sortedBy(['created_at', 'desc'], ['team_id', 'desc']);

/** Lists the teams of all accounts for an operator. Each listing is recorded in the log. */
@Controller()
export class TeamsListHandlers {
  private readonly cursors = new Cursors('all teams', order);

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Teams.listAll)
  async list(input: ListQuery, context: Context): Promise<Answer<ListPage<OperatedTeam>>> {
    insistOnOperator(context);
    const asked = this.cursors.asked(null, input);
    await this.projections.abreast('teams');
    if (!asked.key)
      await recordOperation(
        this.log,
        this.clock,
        { action: 'team.list', service: 'teams', target: 'all' },
        context,
      );
    const after = asked.after(2);
    const rows = await this.database.query<{ team_id: string; created_at: Date }>(
      `SELECT team_id, created_at FROM teams WHERE ${after.text} ORDER BY ${order.by} LIMIT $1`,
      [asked.limit + 1, ...after.values],
    );
    const page = asked.of(rows, rows);
    const teams = await Promise.all(
      page.items.map(async (row) => (await this.log.load(team, streamTail(row.team_id))).state ?? []),
    );
    // The rows may still contain a team that has since been deleted.
    const items = teams.flat().map(({ teamId, kind, name, members, createdAt }) => ({
      id: teamId,
      kind,
      name,
      memberCount: members.length,
      createdAt,
    }));
    return answer({ items, nextCursor: page.nextCursor });
  }
}
