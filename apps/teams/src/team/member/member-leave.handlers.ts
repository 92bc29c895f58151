import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { MemberById, Members, type Ok, TeamById, type TeamEvent } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { Decide } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { SlotReleases } from '../slot-releases.service';
import { type TeamRequest, team, type TeamState } from '../team';
import { leave, remove } from './leave';

@Controller()
export class MemberLeaveHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(SlotReleases) private readonly releases: SlotReleases,
  ) {}

  @Handles(Members.leave)
  leave({ id: teamId }: TeamById, context: Context): Promise<Answer<Ok>> {
    const asked = this.asked(teamId, context);
    return this.depart(leave(asked), asked.accountId, asked, context);
  }

  @Handles(Members.remove)
  remove({ id: teamId, userId: memberId }: MemberById, context: Context): Promise<Answer<Ok>> {
    const asked = this.asked(teamId, context);
    return this.depart(remove({ ...asked, memberId }), memberId, asked, context);
  }

  private asked(teamId: string, { caller: { accountId } }: Context): TeamRequest {
    return { teamId, accountId, at: this.clock.now() };
  }

  private async depart(
    decide: Decide<TeamState, TeamEvent>,
    leaverId: string,
    { teamId, at }: TeamRequest,
    context: Context,
  ): Promise<Answer<Ok>> {
    const { position } = await this.log.transact(
      team,
      streamTail(teamId),
      decide,
      metadataOf(context, teamId),
    );
    await this.releases.attempt([leaverId], teamId, at, context);
    return answer({ ok: true }, position);
  }
}
