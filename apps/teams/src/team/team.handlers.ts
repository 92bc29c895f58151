import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ChangeTeam,
  CreateTeam,
  ListTeams,
  type Ok,
  type ListPage,
  type Team as TeamView,
  TeamById,
  type TeamMember,
  Teams,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, Cursors, metadataOf, setting } from '@carillon/runtime';
import { newId, sortedBy, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { laterOf, People } from '../person/people.service';
import { changeTeam } from './change-team';
import { deleteTeam } from './delete-team';
import { FamilyQuotas } from './family-quotas.service';
import { found } from './founding';
import { OwnedTeamQuotas } from './owned-team-quotas.service';
import { SlotReleases } from './slot-releases.service';
import { memberViews } from './view';
import { TeamViews } from './team-views.service';
import { asMember, team } from './team';

const teamOrder = sortedBy(['created_at', 'desc'], ['team_id', 'desc']).of('teams');

@Controller()
export class TeamHandlers {
  private readonly cursors = new Cursors('team', teamOrder);
  private readonly mode = teamsMode();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(FamilyQuotas) private readonly families: FamilyQuotas,
    @Inject(OwnedTeamQuotas) private readonly owned: OwnedTeamQuotas,
    @Inject(SlotReleases) private readonly releases: SlotReleases,
    @Inject(People) private readonly people: People,
    @Inject(TeamViews) private readonly teamViews: TeamViews,
  ) {}

  @Handles(Teams.create)
  async create({ kind = 'team', name }: CreateTeam, context: Context): Promise<Answer<{ team: TeamView }>> {
    if (kind === 'team' && this.mode !== 'open') throw new Refused('team.signup_unavailable');
    const { accountId } = context.caller;
    const at = this.clock.now();
    const teamId = newId('team', this.clock.ms());
    const quotas = kind === 'family' ? this.families : this.owned;
    await quotas.take({ accountId, teamId, at }, metadataOf(context));
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      found({ teamId, kind, name, ownerId: accountId, at }),
      metadataOf(context, teamId),
      { expectNew: true },
    );
    const { team: made } = asMember(state, { teamId, accountId });
    return answer({ team: await this.teamViews.of(made, accountId) }, position);
  }

  @Handles(Teams.list)
  async list(input: ListTeams, context: Context): Promise<Answer<ListPage<TeamView>>> {
    for (const rows of ['teams', 'team_apps']) await this.projections.reached(rows, context.after);
    const { accountId } = context.caller;
    const { kind = null } = input;
    const asked = this.cursors.asked([accountId, kind], input);
    const after = asked.after(4);
    const rows = await this.database.query<{ team_id: string; created_at: Date }>(
      `SELECT team_id, created_at FROM members JOIN teams USING (team_id)
       WHERE account_id = $1 AND ($2::text IS NULL OR kind = $2)
         AND ${after.text}
       ORDER BY ${teamOrder.by} LIMIT $3`,
      [accountId, kind, asked.limit + 1, ...after.values],
    );
    const page = asked.of(rows, rows);
    const teams = await Promise.all(
      page.items.map(async (row) => (await this.log.load(team, streamTail(row.team_id))).state ?? []),
    );
    // The rows may still contain a team that has since been deleted or left.
    const items = await this.teamViews.all(teams.flat(), accountId);
    return answer({ items, nextCursor: page.nextCursor });
  }

  @Handles(Teams.change)
  async change(
    { id: teamId, ...settings }: ChangeTeam,
    context: Context,
  ): Promise<Answer<{ team: TeamView }>> {
    const asked = { teamId, accountId: context.caller.accountId };
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      changeTeam({ ...asked, settings, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    const { team: changed } = asMember(state, asked);
    return answer({ team: await this.teamViews.of(changed, asked.accountId) }, position);
  }

  @Handles(Teams.remove)
  async remove({ id: teamId }: TeamById, context: Context): Promise<Answer<Ok>> {
    const { accountId } = context.caller;
    const at = this.clock.now();
    const { state } = await this.log.load(team, streamTail(teamId));
    const { team: former } = asMember(state, { teamId, accountId });
    const { position } = await this.log.transact(
      team,
      streamTail(teamId),
      deleteTeam({ teamId, accountId, at }),
      metadataOf(context, teamId),
    );
    // In a workplace team only the owner holds a slot.
    const holders = former.kind === 'family' ? former.members.map((member) => member.accountId) : [accountId];
    await this.releases.attempt(holders, teamId, at, context);
    return answer({ ok: true }, position);
  }

  @Handles(Teams.get)
  async get(
    { id: teamId }: TeamById,
    context: Context,
  ): Promise<Answer<{ team: TeamView; members: TeamMember[] }>> {
    const { state, position } = await this.log.load(team, streamTail(teamId));
    const { accountId: viewerId } = context.caller;
    const { team: asked } = asMember(state, { teamId, accountId: viewerId });
    await this.projections.reached('team_apps', context.after);
    const personOf = await this.people.of(
      asked.members.map(({ accountId }) => accountId),
      laterOf(context.after, position),
    );
    const shown = await this.teamViews.of(asked, viewerId);
    return answer({ team: shown, members: memberViews(asked, personOf) });
  }
}

/** Whether only the operator of the installation or every account may create workplace teams. */
function teamsMode(): 'operator' | 'open' {
  const mode = setting('TEAMS_MODE', 'operator');
  if (mode === 'operator' || mode === 'open') return mode;
  throw new Error(`The setting TEAMS_MODE must be operator or open, not "${mode}"`);
}
