import type { Context } from '@carillon/bus';
import type { EventMetadata, Instant } from '@carillon/eventing';
import { type Logger, LOGGER, metadataOf } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { FamilyQuotas } from './family-quotas.service';
import { OwnedTeamQuotas } from './owned-team-quotas.service';
import type { TeamSlot } from './team-quotas.service';

/** Releases the slots of accounts that left a team or no longer own it. */
@Injectable()
export class SlotReleases {
  constructor(
    @Inject(FamilyQuotas) private readonly families: FamilyQuotas,
    @Inject(OwnedTeamQuotas) private readonly owned: OwnedTeamQuotas,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Releases the slots that the account no longer needs for the team. */
  async release(slot: TeamSlot, metadata: EventMetadata): Promise<void> {
    await this.families.release(slot, metadata);
    await this.owned.release(slot, metadata);
  }

  /**
   * Releases at once, so that the account can use the slot immediately. After a failure or crash here,
   * `SlotReleasesProcess`, which follows the log, releases it.
   */
  async attempt(accountIds: readonly string[], teamId: string, at: Instant, context: Context): Promise<void> {
    try {
      for (const accountId of accountIds)
        await this.release({ accountId, teamId, at }, metadataOf(context, accountId));
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Failed to release the team slots of former members or owners: the slot_releases queue releases them',
      );
    }
  }
}
