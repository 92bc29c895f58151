import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ListOncallGroups,
  Oncall,
  type OncallGroup as GroupView,
  OncallGroupAt,
  type ListPage,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Cursors } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { listed, newestFirst } from '../../team/newest-first';
import { asMember, team } from '../../team/team';
import { OncallHistory } from './oncall-history.service';
import { OncallViews } from './oncall-views.service';

@Controller()
export class OncallHandlers {
  private readonly cursors = new Cursors('oncall', newestFirst);

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(OncallHistory) private readonly history: OncallHistory,
    @Inject(OncallViews) private readonly oncall: OncallViews,
  ) {}

  @Handles(Oncall.get)
  async get({ groupId, at }: OncallGroupAt, { caller, after }: Context): Promise<Answer<GroupView>> {
    const { team: found, group } = await this.history.find(groupId, caller.accountId, at);
    return answer(await this.oncall.one(found.teamId, group, { at, after }));
  }

  @Handles(Oncall.list)
  async list(input: ListOncallGroups, context: Context): Promise<Answer<ListPage<GroupView>>> {
    const { id: teamId } = input;
    const { accountId } = context.caller;
    const page = this.cursors.asked([accountId, teamId], input);
    const { state } = await this.log.load(team, streamTail(teamId));
    const { oncall } = asMember(state, { teamId, accountId }).team;
    const rows = listed(oncall, ({ groupId }) => groupId, page.key);
    const groups = rows.slice(0, page.limit).map(({ entry }) => entry);
    return answer(page.of(rows, await this.oncall.of(teamId, groups, { after: context.after })));
  }
}
