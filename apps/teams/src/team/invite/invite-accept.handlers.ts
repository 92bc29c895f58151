import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  AdmitNewcomer,
  InviteByCode,
  type InvitePreview,
  Invites,
  type Team as TeamView,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { isPassing, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { Addresses } from '../../person/addresses.client';
import { People } from '../../person/people.service';
import type { Invite } from '../invites';
import { TeamViews } from '../team-views.service';
import { asMember, team, type Team } from '../team';
import { fits, insistOnOpen } from './accept-invite';
import { Acceptance } from './acceptance.service';
import { Codes } from './codes.service';

/** Requests that the holder of an invite code may make. */
@Controller()
export class InviteAcceptHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Codes) private readonly codes: Codes,
    @Inject(Addresses) private readonly addresses: Addresses,
    @Inject(People) private readonly people: People,
    @Inject(Acceptance) private readonly acceptance: Acceptance,
    @Inject(TeamViews) private readonly teamViews: TeamViews,
  ) {}

  @Handles(Invites.preview)
  async preview({ code }: InviteByCode, context: Context): Promise<Answer<{ invite: InvitePreview }>> {
    const accountId = personOf(context);
    const { team: found, invite } = await this.open(code, accountId);
    const { teamId, name, kind, members } = found;
    const { role, invitedBy, domain, expiresAt } = invite;
    const nameOf = await this.people.of([invitedBy], context.after);
    const address = await this.addresses.verified(accountId, context);
    return answer({
      invite: {
        team: { id: teamId, name, kind, memberCount: members.length },
        role,
        invitedBy: { userId: invitedBy, name: nameOf(invitedBy).name },
        domain,
        addressFits: fits(invite, found, address),
        expiresAt,
      },
    });
  }

  @Handles(Invites.accept)
  async accept({ code }: InviteByCode, context: Context): Promise<Answer<{ team: TeamView }>> {
    const accountId = personOf(context);
    const { teamId, inviteId } = await this.codes.find(code);
    const address = await this.addresses.verified(accountId, context);
    const accepting = { teamId, inviteId, accountId, address, at: this.clock.now() };
    const { state, position } = await this.acceptance.accept(accepting, context);
    const { team: joined } = asMember(state, { teamId, accountId });
    return answer({ team: await this.teamViews.of(joined, accountId) }, position);
  }

  @Handles(Invites.admits)
  async admits({ code, email }: AdmitNewcomer): Promise<Answer<{ admitted: boolean }>> {
    try {
      const { team: found, invite } = await this.open(code, null);
      return answer({ admitted: fits(invite, found, email) });
    } catch (error) {
      if (!(error instanceof Refused) || isPassing(error)) throw error;
      return answer({ admitted: false });
    }
  }

  private async open(
    code: string,
    accountId: string | null,
  ): Promise<{ readonly team: Team; readonly invite: Invite }> {
    const { teamId, inviteId } = await this.codes.find(code);
    const { state } = await this.log.load(team, streamTail(teamId));
    return insistOnOpen(state, { teamId, inviteId, accountId, at: this.clock.now() });
  }
}

/** The account of the session. Agents may not answer invites. */
function personOf({ caller: { accountId, sessionId } }: Context): string {
  if (!sessionId) throw new Refused('session.required');
  return accountId;
}
