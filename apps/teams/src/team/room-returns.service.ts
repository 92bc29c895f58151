import type { Context } from '@carillon/bus';
import type { EventMetadata, Instant } from '@carillon/eventing';
import { type Logger, LOGGER, metadataOf } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { FamilyRooms } from './family-rooms.service';
import { OwnedRooms } from './owned-rooms.service';
import type { TeamRoom } from './team-rooms.service';

/** The room of who is not in a team any more, or does not own it any more. */
@Injectable()
export class RoomReturns {
  constructor(
    @Inject(FamilyRooms) private readonly families: FamilyRooms,
    @Inject(OwnedRooms) private readonly owned: OwnedRooms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Gives back what the account does not need in the team. */
  async giveBack(room: TeamRoom, metadata: EventMetadata): Promise<void> {
    await this.families.release(room, metadata);
    await this.owned.release(room, metadata);
  }

  /**
   * At once, so that who asked can go on with the room. What fails here, or dies before it, is done by
   * `RoomReturnsProcess`, which follows the log.
   */
  async attempt(accountIds: readonly string[], teamId: string, at: Instant, context: Context): Promise<void> {
    try {
      for (const accountId of accountIds)
        await this.giveBack({ accountId, teamId, at }, metadataOf(context, accountId));
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Room was not given back yet',
      );
    }
  }
}
