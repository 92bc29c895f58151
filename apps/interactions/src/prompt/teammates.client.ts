import { Bus, type Context } from '@carillon/bus';
import { Teams } from '@carillon/contracts';
import { unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

/**
 * Checks membership in the team whose device group a prompt was sent to, by the present state of the team's log
 * (ADR 50).
 */
@Injectable()
export class Teammates {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Whether the caller is a member; a deleted team has no members. */
  async isOneOf(teamId: string, context: Context): Promise<boolean> {
    const { accountId } = context.caller;
    const answered = await unless(
      'team.unknown',
      this.bus.ask(Teams.membership, { teamId, accountId }, context),
    );
    return answered !== undefined && answered.value.role !== null;
  }
}
