import { Log } from '@carillon/event-store';
import { type Logger, LOGGER } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { memberOf } from './team';
import { TeamQuotas } from './team-quotas.service';

/** Limits each account to owning five workplace teams. */
@Injectable()
export class OwnedTeamQuotas extends TeamQuotas {
  constructor(@Inject(Log) log: Log, @Inject(LOGGER) logger: Logger) {
    super(log, logger, {
      kind: 'owned_team',
      max: 5,
      needs: (team, accountId) => memberOf(team, accountId)?.role === 'owner',
    });
  }
}
