import { answer, type Answer, type Context, createOnce, Handles, insistOnSameUse } from '@carillon/bus';
import { CreateOncallGroup, type EscalationStep, type MadeOncallGroup, Oncall } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { KeyedGroups } from '../group/keyed-groups.service';
import { madeAs } from '../team/made';
import { team } from '../team/team';
import { createOncallGroup } from './create-oncall-group';
import { foundGroup } from './found-group';
import { ShownOncall } from './shown-oncall.service';

const usualEscalation: readonly EscalationStep[] = [
  { afterMinutes: 5, target: 'next' },
  { afterMinutes: 10, target: 'group' },
];

@Controller()
export class OncallMakingHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(KeyedGroups) private readonly keyed: KeyedGroups,
    @Inject(ShownOncall) private readonly oncall: ShownOncall,
  ) {}

  @Handles(Oncall.create)
  async create(input: CreateOncallGroup, context: Context): Promise<Answer<MadeOncallGroup>> {
    const { accountId, tokenId = '' } = context.caller;
    const { subject } = Oncall.create;
    return createOnce(context, {
      idOf: (...parts) => deriveId('ocg', this.clock.ms(), subject, accountId, tokenId, ...parts),
      attempt: (groupId) => this.createAs(groupId, input, context),
      exists: async (groupId) =>
        madeAs((await this.log.load(team, streamTail(input.id))).state, groupId) !== undefined,
    });
  }

  private async createAs(
    groupId: string,
    { id: teamId, name, rotation, escalation = [...usualEscalation] }: CreateOncallGroup,
    context: Context,
  ): Promise<Answer<MadeOncallGroup>> {
    const { accountId } = context.caller;
    const at = this.clock.now();
    await this.keyed.insistOnSameRequest(groupId, at, context);
    const fingerprint = context.idempotency?.fingerprint ?? null;
    const creating = createOncallGroup({
      ...{ teamId, accountId, groupId, name, rotation, escalation, fingerprint, at },
    });
    const { state, events, position } = await this.log.transact(
      team,
      streamTail(teamId),
      (found) => {
        insistOnSameUse(madeAs(found, groupId)?.at, at);
        return creating(found);
      },
      metadataOf(context, teamId),
    );
    const { group } = foundGroup(state, {
      teamId,
      accountId,
      groupId: madeAs(state, groupId)?.id ?? groupId,
    });
    const shown = await this.oncall.changed(teamId, group, context.after);
    return answer({ group: shown, ...(events.length === 0 && { idempotent: true }) }, position);
  }
}
