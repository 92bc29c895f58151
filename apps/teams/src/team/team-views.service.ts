import type { Team as TeamView } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { teamView } from './view';
import { memberOf, type Team } from './team';

/** Views of teams, with their number of apps. */
@Injectable()
export class TeamViews {
  constructor(@Inject(Database) private readonly database: Database) {}

  async of(team: Team, accountId: string): Promise<TeamView> {
    const [shown] = await this.all([team], accountId);
    if (!shown) throw new Error('A team was shown to nobody in it');
    return shown;
  }

  /** Views of the teams that the account is in. */
  async all(teams: readonly Team[], accountId: string): Promise<TeamView[]> {
    const counts = await this.countsOf(teams);
    return teams.flatMap((team) => {
      const role = memberOf(team, accountId)?.role;
      return role ? [teamView(team, role, counts.get(team.teamId) ?? 0)] : [];
    });
  }

  /** Counts apps. An app belongs to the team only while its creator's membership from the time of the move lasts. */
  private async countsOf(teams: readonly Team[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ team_id: string; added_by: string; membership: string }>(
      `SELECT team_id, added_by, membership FROM team_apps WHERE team_id = ANY($1)`,
      [teams.map(({ teamId }) => teamId)],
    );
    const known = new Map(teams.map((team) => [team.teamId, team]));
    const counts = new Map<string, number>();
    for (const { team_id: teamId, added_by: addedBy, membership } of rows) {
      const team = known.get(teamId);
      if (team && String(memberOf(team, addedBy)?.join) === membership)
        counts.set(teamId, (counts.get(teamId) ?? 0) + 1);
    }
    return counts;
  }
}
