import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type Membership,
  type TeamMembership,
  MembershipOf,
  type TeamKind,
  type TeamRole,
  Teams,
  TeamsOf,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { team } from '../team';

interface MembershipRow {
  team_id: string;
  account_id: string;
  kind: TeamKind;
  role: TeamRole;
}

/** Answers other services about memberships. */
@Controller()
export class MemberHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  @Handles(Teams.membership)
  async membership({ teamId, accountId }: MembershipOf): Promise<Answer<TeamMembership>> {
    const { state } = await this.log.load(team, streamTail(teamId));
    if (state?.teamId !== teamId) throw new Refused('team.unknown');
    const role = state.members.find((member) => member.accountId === accountId)?.role ?? null;
    return answer({
      kind: state.kind,
      name: state.name,
      role,
      memberIds: state.members.map((member) => member.accountId),
      joins: Object.fromEntries(state.members.map((member) => [member.accountId, member.join])),
    });
  }

  @Handles(Teams.memberships)
  async memberships(
    { accountIds }: TeamsOf,
    context: Context,
  ): Promise<Answer<{ memberships: Record<string, Membership[]> }>> {
    await this.projections.reached('teams', context.after);
    const rows = await this.database.query<MembershipRow>(
      `SELECT team_id, account_id, kind, role FROM members JOIN teams USING (team_id)
       WHERE account_id = ANY($1::text[]) ORDER BY joined_at`,
      [accountIds],
    );
    const memberships: Record<string, Membership[]> = {};
    for (const { team_id: teamId, account_id: accountId, kind, role } of rows)
      (memberships[accountId] ??= []).push({ teamId, kind, role });
    return answer({ memberships });
  }
}
