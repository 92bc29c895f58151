import { answer, type Answer, Bus, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { Accounts, FoundTeam, type Team as TeamView, Teams } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { found } from './founding';
import { OwnedTeamQuotas } from './owned-team-quotas.service';
import { TeamViews } from './team-views.service';
import { asMember, team } from './team';

/** Creates workplace teams that the operator of the installation makes for other accounts. */
@Controller()
export class TeamCreateHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OwnedTeamQuotas) private readonly owned: OwnedTeamQuotas,
    @Inject(TeamViews) private readonly teamViews: TeamViews,
  ) {}

  @Handles(Teams.found)
  async found({ name, ownerEmail: email }: FoundTeam, context: Context): Promise<Answer<{ team: TeamView }>> {
    insistOnOperator(context);
    const {
      value: { accountId },
    } = await this.bus.ask(Accounts.byEmail, { email }, context);
    const at = this.clock.now();
    const teamId = newId('team', this.clock.ms());
    await this.owned.take({ accountId, teamId, at }, metadataOf(context, accountId));
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      found({ teamId, kind: 'team', name, ownerId: accountId, at }),
      metadataOf(context, teamId),
      { expectNew: true },
    );
    const { team: made } = asMember(state, { teamId, accountId });
    return answer({ team: await this.teamViews.of(made, accountId) }, position);
  }
}
