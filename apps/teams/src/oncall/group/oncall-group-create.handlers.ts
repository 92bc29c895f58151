import { type Answer, type Context, Handles } from '@carillon/bus';
import { CreateOncallGroup, type EscalationStep, type MadeOncallGroup, Oncall } from '@carillon/contracts';
import { Controller, Inject } from '@nestjs/common';
import { Makings } from '../../team/making.service';
import { createOncallGroup } from './create-oncall-group';
import { foundGroup } from './found-group';
import { insistOnZone } from './kept-rotation';
import { OncallViews } from './oncall-views.service';

const defaultEscalation: readonly EscalationStep[] = [
  { afterMinutes: 5, target: 'next' },
  { afterMinutes: 10, target: 'group' },
];

@Controller()
export class OncallGroupCreateHandlers {
  constructor(
    @Inject(Makings) private readonly makings: Makings,
    @Inject(OncallViews) private readonly oncall: OncallViews,
  ) {}

  @Handles(Oncall.create)
  async create(
    { id: teamId, name, rotation, escalation = [...defaultEscalation], handoffNotices }: CreateOncallGroup,
    context: Context,
  ): Promise<Answer<MadeOncallGroup>> {
    // What is wrong by itself is said before anything is looked up.
    insistOnZone(rotation.timezone);
    const { accountId } = context.caller;
    const { subject } = Oncall.create;
    return this.makings.make(
      {
        ...{ teamId, prefix: 'ocg', subject },
        decide: ({ id: groupId, fingerprint, at }) =>
          createOncallGroup({
            ...{ teamId, accountId, groupId, name, rotation, escalation, handoffNotices, fingerprint, at },
          }),
        shown: async (state, groupId) => {
          const { group } = foundGroup(state, { teamId, accountId, groupId });
          return { group: await this.oncall.changed(teamId, group, context.after) };
        },
      },
      context,
    );
  }
}
