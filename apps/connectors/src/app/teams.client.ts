import { Bus, type Context } from '@carillon/bus';
import { Teams } from '@carillon/contracts';
import { unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import type { AppTeam } from './app-team';

/** Reads the teams of apps from the teams service. */
@Injectable()
export class AppTeams {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The team, and the account's current role in it. Undefined when there is no such team. */
  async find(teamId: string, accountId: string, context: Context): Promise<AppTeam | undefined> {
    const answered = await unless(
      'team.unknown',
      this.bus.ask(Teams.membership, { teamId, accountId }, context),
    );
    if (!answered) return undefined;
    const { name, role, joins } = answered.value;
    return { id: teamId, name, role, joins };
  }
}
