import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { ChangeRole, Members, type TeamMember } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { laterOf, People } from '../../person/people.service';
import { OwnedTeamQuotas } from '../owned-team-quotas.service';
import { SlotReleases } from '../slot-releases.service';
import { memberView } from '../view';
import { asMember, team } from '../team';
import { changeRole, type RoleChange } from './change-role';
import { insistOnMember } from './insist-on-member';

@Controller()
export class MemberRoleHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OwnedTeamQuotas) private readonly owned: OwnedTeamQuotas,
    @Inject(SlotReleases) private readonly releases: SlotReleases,
    @Inject(People) private readonly people: People,
  ) {}

  @Handles(Members.changeRole)
  async change(
    { id: teamId, userId: memberId, role }: ChangeRole,
    context: Context,
  ): Promise<Answer<{ member: TeamMember }>> {
    const asked = { teamId, accountId: context.caller.accountId, at: this.clock.now() };
    const change = { ...asked, memberId, role };
    if (role === 'owner') await this.reserveSlot(change, context);
    const { state, events, position } = await this.log.transact(
      team,
      streamTail(teamId),
      changeRole(change),
      metadataOf(context, teamId),
    );
    if (events.some(({ type }) => type === 'OwnershipTransferred'))
      await this.releases.attempt([asked.accountId], teamId, asked.at, context);
    const { team: changed } = asMember(state, asked);
    const personOf = await this.people.of([memberId], laterOf(context.after, position));
    return answer({ member: memberView(insistOnMember(changed, memberId), personOf) }, position);
  }

  /** Reserves the quota slot of the new owner, if the caller may transfer the ownership. */
  private async reserveSlot(change: RoleChange, context: Context): Promise<void> {
    const { teamId, accountId, memberId, at } = change;
    const { state } = await this.log.load(team, streamTail(teamId));
    const transfers = changeRole(change)(state).length > 0;
    if (transfers && asMember(state, { teamId, accountId }).team.kind === 'team')
      await this.owned.take({ accountId: memberId, teamId, at }, metadataOf(context, memberId));
  }
}
