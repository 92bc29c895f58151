import { createHash } from 'node:crypto';
import { Log } from '@carillon/event-store';
import { type EventMetadata, type Instant, refusedAs } from '@carillon/eventing';
import { type Logger, LOGGER } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { TeamQuotas } from '../team-quotas.service';

/** Of each domain, the one team whose own it is: exact whoever proves it at once. */
@Injectable()
export class DomainQuotas {
  private readonly quotas: TeamQuotas;

  constructor(@Inject(Log) log: Log, @Inject(LOGGER) logger: Logger) {
    this.quotas = new TeamQuotas(log, logger, {
      kind: 'domain',
      max: 1,
      needs: ({ domain: { verified } }, key) => verified !== null && keyOf(verified) === key,
    });
  }

  /** Before it counts as proved. Refused `domain.taken` when it is another team's, or about to be. */
  async take(domain: string, teamId: string, at: Instant, metadata: EventMetadata): Promise<void> {
    const taken = this.quotas.take({ accountId: keyOf(domain), teamId, at }, metadata);
    await refusedAs('resource.limit_reached', 'domain.taken', taken);
  }

  /** When it may not be the team's any more. What dies before this is found when another team proves the domain. */
  async release(domain: string, teamId: string, at: Instant, metadata: EventMetadata): Promise<void> {
    await this.quotas.release({ accountId: keyOf(domain), teamId, at }, metadata);
  }
}

/** A stream's name takes no dots. */
const keyOf = (domain: string): string => createHash('sha256').update(domain).digest('hex').slice(0, 32);
