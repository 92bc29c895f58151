import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  InviteById,
  Invites,
  ListInvites,
  type Ok,
  type ListPage,
  type TeamInvite,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, Cursors, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { inviteStateAt } from '../invites';
import { listed, newestFirst } from '../newest-first';
import { asMember, insistOn, team } from '../team';
import { revokeInvite } from './revoke-invite';
import { inviteView } from './view';

@Controller()
export class InviteHandlers {
  private readonly cursors = new Cursors('invite', newestFirst);

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Invites.list)
  async list(input: ListInvites, context: Context): Promise<Answer<ListPage<TeamInvite>>> {
    const { id: teamId, state: wanted = 'open' } = input;
    const { accountId } = context.caller;
    const page = this.cursors.asked([accountId, teamId, wanted], input);
    const { state } = await this.log.load(team, streamTail(teamId));
    const { team: found, role } = asMember(state, { teamId, accountId });
    insistOn(role, 'admin');
    const now = this.clock.now();
    const rows = listed(
      found.invites.filter((invite) => wanted === 'all' || inviteStateAt(invite, now) === wanted),
      ({ inviteId }) => inviteId,
      page.key,
    );
    const items = rows.map(({ entry }) => inviteView(teamId, entry));
    return answer(page.of(rows, items));
  }

  @Handles(Invites.revoke)
  async revoke({ id: teamId, inviteId }: InviteById, context: Context): Promise<Answer<Ok>> {
    const { accountId } = context.caller;
    const { position } = await this.log.transact(
      team,
      streamTail(teamId),
      revokeInvite({ teamId, accountId, inviteId, at: this.clock.now() }),
      metadataOf(context, teamId),
    );
    return answer({ ok: true }, position);
  }
}
