import type { Context } from '@carillon/bus';
import type { EventMetadata, Instant } from '@carillon/eventing';
import { type Logger, LOGGER, metadataOf } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { FamilyQuotas } from './family-quotas.service';
import { OwnedTeamQuotas } from './owned-team-quotas.service';
import type { TeamSlot } from './team-quotas.service';

/** The slot of who is not in a team any more, or does not own it any more. */
@Injectable()
export class SlotReleases {
  constructor(
    @Inject(FamilyQuotas) private readonly families: FamilyQuotas,
    @Inject(OwnedTeamQuotas) private readonly owned: OwnedTeamQuotas,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Gives back what the account does not need in the team. */
  async release(slot: TeamSlot, metadata: EventMetadata): Promise<void> {
    await this.families.release(slot, metadata);
    await this.owned.release(slot, metadata);
  }

  /**
   * At once, so that who asked can go on with the slot. What fails here, or dies before it, is done by
   * `SlotReleasesProcess`, which follows the log.
   */
  async attempt(accountIds: readonly string[], teamId: string, at: Instant, context: Context): Promise<void> {
    try {
      for (const accountId of accountIds)
        await this.release({ accountId, teamId, at }, metadataOf(context, accountId));
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Failed to release the team slot of a former member: a worker tries again',
      );
    }
  }
}
