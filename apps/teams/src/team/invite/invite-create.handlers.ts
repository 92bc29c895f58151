import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { CreateInvite, Invites, type TeamInviteCreated } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf, secret, setting } from '@carillon/runtime';
import { mintCode, newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { laterOf, People } from '../../person/people.service';
import { TeamRates } from '../team-rates.client';
import { asMember, insistOn, team, type Team } from '../team';
import { asciiDomain, sameAddress } from '../../person/address';
import { codeHashOf } from './code';
import { createInvite } from './create-invite';
import { inviteView } from './view';

const perHour = 30;

@Controller()
export class InviteCreateHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly links = `${setting('CARILLON_BASE_URL').replace(/\/+$/, '')}/join`;

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(People) private readonly people: People,
    @Inject(TeamRates) private readonly rates: TeamRates,
  ) {}

  @Handles(Invites.create)
  async create(
    { id: teamId, email = null, domain = null, role = 'member' }: CreateInvite,
    context: Context,
  ): Promise<Answer<TeamInviteCreated>> {
    insistOnLength(domain);
    const { accountId } = context.caller;
    const { state: before, position: seen } = await this.log.load(team, streamTail(teamId));
    const { team: found, role: held } = asMember(before, { teamId, accountId });
    insistOn(held, 'admin');
    const at = this.clock.now();
    const code = mintCode();
    const inviting = createInvite({
      ...{ teamId, accountId, at, role, email, domain: domain && asciiDomain(domain) },
      inviteId: newId('inv', this.clock.ms()),
      codeHash: codeHashOf(this.pepper, code),
      inviteeId: email && (await this.memberWith(email, found, laterOf(context.after, seen))),
    });
    // Decided before the rate limit, so that refused requests are not counted.
    inviting(before);
    await this.count(teamId, context);
    const { events, position } = await this.log.transact(
      team,
      streamTail(teamId),
      inviting,
      metadataOf(context, teamId),
    );
    const [made] = events;
    if (made?.type !== 'InviteCreated') throw new Error('An invite was made without a trace');
    const invite = inviteView(teamId, { ...made, acceptedAt: null, revokedAt: null });
    return answer({ invite, code, url: `${this.links}/${code}` }, position);
  }

  /** The member with this address. */
  private async memberWith(email: string, { members }: Team, after: string): Promise<string | null> {
    const memberIds = members.map(({ accountId }) => accountId);
    const personOf = await this.people.of(memberIds, after);
    return memberIds.find((memberId) => sameAddress(personOf(memberId).email, email)) ?? null;
  }

  private count(teamId: string, context: Context): Promise<void> {
    const take = { key: `invites ${teamId}`, limit: perHour, windowSeconds: 3_600 };
    return this.rates.take(take, 'invite.made_too_often', context);
  }
}

/** Once it is trimmed, of which a schema can say nothing. */
function insistOnLength(domain: string | null): void {
  if (domain === null || domain.length >= 4) return;
  const issue = { path: 'domain', message: 'must have at least 4 characters', code: 'too_short' };
  throw new Refused('input.invalid', { issues: [issue] });
}
