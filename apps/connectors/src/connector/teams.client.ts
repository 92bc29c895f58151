import { Bus, type Context } from '@carillon/bus';
import {
  type ConnectorDuty,
  Oncall,
  type TeamMembership,
  type TeamRole,
  Teams as Questions,
} from '@carillon/contracts';
import { refusedAs, Refused, unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

/** Reads the caller's teams and roles from the teams service. */
@Injectable()
export class Teams {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The caller's current role in the team; null for none. */
  async roleIn(teamId: string, context: Context): Promise<TeamRole | null> {
    return (await this.membership(teamId, context))?.role ?? null;
  }

  /**
   * The caller may add to what the team has. Refused `team.not_found` to an account outside it,
   * `team.feature_unavailable` in a family, `team.forbidden_role` to a plain member.
   */
  async insistOnAdmin(teamId: string, context: Context): Promise<void> {
    const membership = await this.membership(teamId, context);
    if (!membership?.role) throw new Refused('team.not_found');
    if (membership.kind === 'family') throw new Refused('team.feature_unavailable');
    if (membership.role === 'member') throw new Refused('team.forbidden_role');
  }

  /** The teams that the caller is an admin of. */
  async administered(context: Context): Promise<string[]> {
    const { accountId } = context.caller;
    const { memberships } = (await this.bus.ask(Questions.memberships, { accountIds: [accountId] }, context))
      .value;
    return (memberships[accountId] ?? [])
      .filter(({ kind, role }) => kind === 'team' && role !== 'member')
      .map(({ teamId }) => teamId);
  }

  /**
   * An on-call group of a team that the caller is in; for what belongs to a team, of that one. Refused
   * `oncall_group.not_found`.
   */
  async duty(groupId: string, ofTeam: string | null, context: Context): Promise<ConnectorDuty> {
    const asked = this.bus.ask(Oncall.get, { groupId }, context);
    const { teamId } = (await refusedAs('oncall_group.unknown', 'oncall_group.not_found', asked)).value;
    if (ofTeam !== null && teamId !== ofTeam) throw new Refused('oncall_group.not_found');
    return { groupId, teamId };
  }

  private async membership(teamId: string, context: Context): Promise<TeamMembership | undefined> {
    const { accountId } = context.caller;
    const asked = this.bus.ask(Questions.membership, { teamId, accountId }, context);
    return (await unless('team.unknown', asked))?.value;
  }
}
