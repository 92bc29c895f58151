import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type Ok,
  SetDomain,
  type Team as TeamView,
  TeamById,
  TeamDomain,
  type TeamEvent,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { Decide } from '@carillon/eventing';
import { Clock, type Logger, LOGGER, metadataOf } from '@carillon/runtime';
import { mintCode, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { TeamViews } from '../team-views.service';
import { type TeamRequest, asMember, team, type TeamState } from '../team';
import { TeamRates } from '../team-rates.client';
import { Challenges } from './challenges.client';
import { domainName } from './domain-name';
import { DomainQuotas } from './domain-quotas.service';
import { clearDomain, proveDomain, setDomain, toProve } from './prove-domain';

/** How often a team may verify its domain. */
const limits = [
  { limit: 10, windowSeconds: 600 },
  { limit: 60, windowSeconds: 86_400 },
];

@Controller()
export class DomainHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(TeamRates) private readonly rates: TeamRates,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Challenges) private readonly challenges: Challenges,
    @Inject(DomainQuotas) private readonly quotas: DomainQuotas,
    @Inject(TeamViews) private readonly teamViews: TeamViews,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Handles(TeamDomain.set)
  async set({ id, domain: given }: SetDomain, context: Context): Promise<Answer<{ team: TeamView }>> {
    const asked = this.asked(id, context);
    return this.transact(
      setDomain({ ...asked, domain: domainName(given), token: mintCode() }),
      asked,
      context,
    );
  }

  @Handles(TeamDomain.clear)
  async clear({ id }: TeamById, context: Context): Promise<Answer<Ok>> {
    const asked = this.asked(id, context);
    const { state: before } = await this.log.load(team, streamTail(id));
    const { position } = await this.transact(clearDomain(asked), asked, context);
    await this.release(before?.domain.verified ?? null, asked, context);
    return answer({ ok: true }, position);
  }

  @Handles(TeamDomain.verify)
  async verify({ id }: TeamById, context: Context): Promise<Answer<{ team: TeamView }>> {
    const asked = this.asked(id, context);
    const { state } = await this.log.load(team, streamTail(id));
    const { team: before, pending } = toProve(state, asked);
    await this.count(id, context);
    await this.challenges.find(pending);
    await this.quotas.take(pending.domain, id, asked.at, metadataOf(context));
    const proved = await this.transact(proveDomain({ ...asked, ...pending }), asked, context);
    if (before.domain.verified !== pending.domain) await this.release(before.domain.verified, asked, context);
    return proved;
  }

  private asked(teamId: string, context: Context): TeamRequest {
    return { teamId, accountId: context.caller.accountId, at: this.clock.now() };
  }

  private async transact(
    decide: Decide<TeamState, TeamEvent>,
    asked: TeamRequest,
    context: Context,
  ): Promise<Answer<{ team: TeamView }>> {
    const { teamId } = asked;
    const { state, position } = await this.log.transact(
      team,
      streamTail(teamId),
      decide,
      metadataOf(context, teamId),
    );
    const { team: changed } = asMember(state, asked);
    return answer({ team: await this.teamViews.of(changed, asked.accountId) }, position);
  }

  /** Lets another team prove the domain. Never fails: a slot left over here is released when another team proves it. */
  private async release(domain: string | null, { teamId, at }: TeamRequest, context: Context): Promise<void> {
    if (domain === null) return;
    try {
      await this.quotas.release(domain, teamId, at, metadataOf(context));
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Failed to release the slot of a verified domain: it is released when another team proves the domain',
      );
    }
  }

  /** Counts before the name servers are queried, to limit the load on them. */
  private async count(teamId: string, context: Context): Promise<void> {
    for (const { limit, windowSeconds } of limits) {
      const key = `domain-verify ${windowSeconds} ${teamId}`;
      await this.rates.take({ key, limit, windowSeconds }, 'domain.verified_too_often', context);
    }
  }
}
