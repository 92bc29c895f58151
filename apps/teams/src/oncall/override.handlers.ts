import {
  answer,
  type Answer,
  type Context,
  createOnce,
  Handles,
  insistOnSameUse,
  mayBeRepetition,
} from '@carillon/bus';
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
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { KeyedGroups } from '../group/keyed-groups.service';
import { madeAs } from '../team/made';
import { team } from '../team/team';
import { createOverride } from './create-override';
import { deleteOverride } from './delete-override';
import { foundGroup } from './found-group';
import { OncallGroups } from './oncall-groups.service';
import { overrideWindow } from './override-window';
import { ShownOncall } from './shown-oncall.service';

@Controller()
export class OverrideHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(KeyedGroups) private readonly keyed: KeyedGroups,
    @Inject(ShownOncall) private readonly oncall: ShownOncall,
  ) {}

  @Handles(Overrides.create)
  async create(input: CreateOverride, context: Context): Promise<Answer<MadeOverride>> {
    // Before anything is looked up, but for what may have been done before its time was over.
    if (!mayBeRepetition(context)) overrideWindow(input, this.clock.now());
    const { accountId, tokenId = '' } = context.caller;
    const teamId = await this.groups.teamOf(input.groupId);
    const { subject } = Overrides.create;
    return createOnce(context, {
      idOf: (...parts) => deriveId('ovr', this.clock.ms(), subject, accountId, tokenId, ...parts),
      attempt: (overrideId) => this.createAs(overrideId, teamId, input, context),
      exists: async (overrideId) =>
        madeAs((await this.log.load(team, streamTail(teamId))).state, overrideId) !== undefined,
    });
  }

  private async createAs(
    overrideId: string,
    teamId: string,
    { groupId, userId: memberId, startsAt, endsAt }: CreateOverride,
    context: Context,
  ): Promise<Answer<MadeOverride>> {
    const asked = { teamId, groupId, accountId: context.caller.accountId };
    const at = this.clock.now();
    await this.keyed.insistOnSameRequest(overrideId, at, context);
    const fingerprint = context.idempotency?.fingerprint ?? null;
    const creating = createOverride({ ...asked, overrideId, memberId, startsAt, endsAt, fingerprint, at });
    const { state, events, position } = await this.log.transact(
      team,
      streamTail(teamId),
      (found) => {
        insistOnSameUse(madeAs(found, overrideId)?.at, at);
        return creating(found);
      },
      metadataOf(context, teamId),
    );
    const { group } = foundGroup(state, asked);
    const madeId = madeAs(state, overrideId)?.id;
    const made = group.overrides.find((each) => each.overrideId === madeId);
    if (!made) throw new Refused('override.unknown');
    return answer(
      {
        override: await this.oncall.override(made, context.after),
        group: await this.oncall.one(teamId, group, { after: context.after }),
        warnings: this.oncall.warnings(group),
        ...(events.length === 0 && { idempotent: true }),
      },
      position,
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
