import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type ChangedOncallGroup,
  ChangeOncallGroup,
  type Ok,
  Oncall,
  OncallGroupById,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { team } from '../../team/team';
import { changeOncallGroup } from './change-oncall-group';
import { deleteOncallGroup } from './delete-oncall-group';
import { foundGroup } from './found-group';
import { insistOnZone } from './kept-rotation';
import { OncallGroups } from './oncall-groups.service';
import { OncallViews } from './oncall-views.service';

@Controller()
export class OncallGroupChangeHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(OncallViews) private readonly oncall: OncallViews,
  ) {}

  @Handles(Oncall.change)
  async change(
    { groupId, ...changes }: ChangeOncallGroup,
    context: Context,
  ): Promise<Answer<ChangedOncallGroup>> {
    if (changes.rotation?.timezone !== undefined) insistOnZone(changes.rotation.timezone);
    const teamId = await this.groups.teamOf(groupId);
    const asked = { teamId, groupId, accountId: context.caller.accountId };
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      changeOncallGroup({ ...asked, changes, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    const { group } = foundGroup(state, asked);
    return answer(await this.oncall.changed(teamId, group, context.after), position);
  }

  @Handles(Oncall.remove)
  async remove({ groupId }: OncallGroupById, context: Context): Promise<Answer<Ok>> {
    const teamId = await this.groups.teamOf(groupId);
    const { accountId } = context.caller;
    const { position } = await this.log.transact(
      team,
      streamTail(teamId),
      deleteOncallGroup({ teamId, groupId, accountId, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    return answer({ ok: true }, position);
  }
}
