import { Log } from '@carillon/event-store';
import { type EventMetadata, refusedAs } from '@carillon/eventing';
import { type Logger, LOGGER } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { memberOf } from './team';
import { type TeamSlot, TeamQuotas } from './team-quotas.service';

/** Limits each account to one family. */
@Injectable()
export class FamilyQuotas extends TeamQuotas {
  constructor(@Inject(Log) log: Log, @Inject(LOGGER) logger: Logger) {
    super(log, logger, {
      kind: 'family',
      max: 1,
      needs: (team, accountId) => memberOf(team, accountId) !== undefined,
    });
  }

  /** Reserves the slot before the account joins. Refused `family.exists` when it is in or joining another family. */
  override async take(slot: TeamSlot, metadata: EventMetadata): Promise<void> {
    await refusedAs('resource.limit_reached', 'family.exists', super.take(slot, metadata));
  }
}
