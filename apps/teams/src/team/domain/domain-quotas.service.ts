import { createHash } from 'node:crypto';
import { Log } from '@carillon/event-store';
import { type EventMetadata, type Instant, refusedAs } from '@carillon/eventing';
import { type Logger, LOGGER } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { TeamQuotas } from '../team-quotas.service';

/** Assigns each verified domain to one team, also when several teams prove it concurrently (ADR 28). */
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

  /**
   * Reserves the domain before it counts as proved. Refused `domain.taken` when another team has or has reserved it.
   */
  async take(domain: string, teamId: string, at: Instant, metadata: EventMetadata): Promise<void> {
    const taken = this.quotas.take({ accountId: keyOf(domain), teamId, at }, metadata);
    await refusedAs('resource.limit_reached', 'domain.taken', taken);
  }

  /**
   * Releases the domain unless it is still the team's. After a crash before this, the next team to prove it gets it.
   */
  async release(domain: string, teamId: string, at: Instant, metadata: EventMetadata): Promise<void> {
    await this.quotas.release({ accountId: keyOf(domain), teamId, at }, metadata);
  }
}

/** A hash, since stream names must not contain dots. */
const keyOf = (domain: string): string => createHash('sha256').update(domain).digest('hex').slice(0, 32);
