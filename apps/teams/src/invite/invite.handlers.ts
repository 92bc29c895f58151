import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  InviteById,
  Invites,
  ListInvites,
  type Ok,
  type Page,
  pageLimit,
  type TeamInvite,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Clock, cursorKey, metadataOf, pageOf, readPageKey, writeCursor } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Invite, inviteStateAt } from '../team/invites';
import { asMember, insistOn, team } from '../team/team';
import { revokeInvite } from './revoke-invite';
import { shownInvite } from './shown';

@Controller()
export class InviteHandlers {
  private readonly cursorKey = cursorKey('invite');

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Invites.list)
  async list(input: ListInvites, context: Context): Promise<Answer<Page<TeamInvite>>> {
    const { id: teamId, state: wanted = 'open' } = input;
    const { accountId } = context.caller;
    const filter = [accountId, teamId, wanted];
    const after = input.cursor === undefined ? undefined : readPageKey(this.cursorKey, filter, input.cursor);
    const { state } = await this.log.load(team, streamTail(teamId));
    const { team: found, role } = asMember(state, { teamId, accountId });
    insistOn(role, 'admin');
    const now = this.clock.now();
    const newestFirst = found.invites
      .filter((invite) => wanted === 'all' || inviteStateAt(invite, now) === wanted)
      .filter((invite) => !after || keyOf(invite) < `${after.at} ${after.id}`)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
    const limit = pageLimit(input);
    return answer(
      pageOf(
        newestFirst.slice(0, limit).map((invite) => shownInvite(teamId, invite)),
        newestFirst.length > limit,
        (last) => writeCursor(this.cursorKey, filter, { at: last.createdAt, id: last.id }),
      ),
    );
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

const keyOf = ({ createdAt, inviteId }: Invite): string => `${createdAt} ${inviteId}`;
