import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ListOncallGroups,
  Oncall,
  type OncallGroup as ShownGroup,
  OncallGroupAt,
  type Page,
  pageLimit,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { cursorKey, pageOf, readPageKey, writeCursor } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import type { OncallGroup } from '../team/oncall';
import { asMember, team } from '../team/team';
import { OncallHistory } from './oncall-history.service';
import { ShownOncall } from './shown-oncall.service';

@Controller()
export class OncallHandlers {
  private readonly cursorKey = cursorKey('oncall');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(OncallHistory) private readonly history: OncallHistory,
    @Inject(ShownOncall) private readonly oncall: ShownOncall,
  ) {}

  @Handles(Oncall.get)
  async get({ groupId, at }: OncallGroupAt, { caller, after }: Context): Promise<Answer<ShownGroup>> {
    const { team: found, group } = await this.history.find(groupId, caller.accountId, at);
    return answer(await this.oncall.one(found.teamId, group, { at, after }));
  }

  @Handles(Oncall.list)
  async list(input: ListOncallGroups, context: Context): Promise<Answer<Page<ShownGroup>>> {
    const { id: teamId } = input;
    const { accountId } = context.caller;
    const filter = [accountId, teamId];
    const after = input.cursor === undefined ? undefined : readPageKey(this.cursorKey, filter, input.cursor);
    const { state } = await this.log.load(team, streamTail(teamId));
    const newestFirst = [...asMember(state, { teamId, accountId }).team.oncall]
      .sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
      .filter((group) => !after || keyOf(group) < `${after.at} ${after.id}`);
    const limit = pageLimit(input);
    const items = await this.oncall.of(teamId, newestFirst.slice(0, limit), { after: context.after });
    return answer(
      pageOf(items, newestFirst.length > limit, (last) =>
        writeCursor(this.cursorKey, filter, { at: last.createdAt, id: last.id }),
      ),
    );
  }
}

const keyOf = ({ createdAt, groupId }: OncallGroup): string => `${createdAt} ${groupId}`;
