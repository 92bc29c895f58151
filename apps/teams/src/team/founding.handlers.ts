import { answer, type Answer, Bus, type Context, Handles, insistOnOperator } from '@carillon/bus';
import { Accounts, FoundTeam, type Team as ShownTeam, Teams } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { found } from './founding';
import { OwnedRooms } from './owned-rooms.service';
import { ShownTeams } from './shown-teams.service';
import { asMember, team } from './team';

/** Workplace teams that who operates the installation makes for somebody. */
@Controller()
export class FoundingHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OwnedRooms) private readonly owned: OwnedRooms,
    @Inject(ShownTeams) private readonly shownTeams: ShownTeams,
  ) {}

  @Handles(Teams.found)
  async found(
    { name, ownerEmail: email }: FoundTeam,
    context: Context,
  ): Promise<Answer<{ team: ShownTeam }>> {
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
    return answer({ team: await this.shownTeams.of(made, accountId) }, position);
  }
}
