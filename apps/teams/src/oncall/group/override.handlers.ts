import { answer, type Answer, type Context, Handles, mayBeRepetition } from '@carillon/bus';
import {
  CreateOverride,
  type MadeOverride,
  type OncallWarnings,
  OverrideById,
  Overrides,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { Makings } from '../../team/making.service';
import { team } from '../../team/team';
import { createOverride } from './create-override';
import { deleteOverride } from './delete-override';
import { foundGroup } from './found-group';
import { OncallGroups } from './oncall-groups.service';
import { overrideWindow } from './override-window';
import { OncallViews } from './oncall-views.service';

@Controller()
export class OverrideHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(Makings) private readonly makings: Makings,
    @Inject(OncallViews) private readonly oncall: OncallViews,
  ) {}

  @Handles(Overrides.create)
  async create(input: CreateOverride, context: Context): Promise<Answer<MadeOverride>> {
    // Checked before any lookup, except for a repetition, whose window may have ended since the first request.
    if (!mayBeRepetition(context)) overrideWindow(input, this.clock.now());
    const { groupId, userId: memberId, startsAt, endsAt } = input;
    const teamId = await this.groups.teamOf(groupId);
    const asked = { teamId, groupId, accountId: context.caller.accountId };
    const { subject } = Overrides.create;
    return this.makings.make(
      {
        ...{ teamId, prefix: 'ovr', subject },
        decide: ({ id: overrideId, fingerprint, at }) =>
          createOverride({ ...asked, overrideId, memberId, startsAt, endsAt, fingerprint, at }),
        shown: async (state, overrideId) => {
          const { group } = foundGroup(state, asked);
          const made = group.overrides.find((each) => each.overrideId === overrideId);
          if (!made) throw new Refused('override.unknown');
          return {
            override: await this.oncall.override(made, context.after),
            group: await this.oncall.one(teamId, group, { after: context.after }),
            warnings: this.oncall.warnings(group),
          };
        },
      },
      context,
    );
  }

  @Handles(Overrides.remove)
  async remove(
    { groupId, overrideId }: OverrideById,
    context: Context,
  ): Promise<Answer<{ ok: true; warnings: OncallWarnings }>> {
    const teamId = await this.groups.teamOf(groupId);
    const asked = { teamId, groupId, accountId: context.caller.accountId };
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      deleteOverride({ ...asked, overrideId, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    const { group } = foundGroup(state, asked);
    return answer({ ok: true, warnings: this.oncall.warnings(group) }, position);
  }
}
