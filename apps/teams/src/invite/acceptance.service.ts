import type { Context } from '@carillon/bus';
import type { TeamEvent } from '@carillon/contracts';
import { Log, type Transacted } from '@carillon/event-store';
import { type Decide, isPassing, Refused } from '@carillon/eventing';
import { LOGGER, type Logger, metadataOf } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { FamilyRooms } from '../team/family-rooms.service';
import type { TeamRoom } from '../team/team-rooms.service';
import { team, type TeamState } from '../team/team';
import { type Accepting, acceptInvite } from './accept-invite';

type Joined = Transacted<TeamState, TeamEvent>;

/** Time for the answer to find its way back. */
const marginMs = 500;

/**
 * Takes somebody into a team by an invite. Into a family after the account has found that it may be in one: the room
 * that it takes for that is given back when the family refuses, and found again where this dies in between.
 */
@Injectable()
export class Acceptance {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(FamilyRooms) private readonly families: FamilyRooms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async accept(accepting: Accepting, context: Context): Promise<Joined> {
    const { teamId, accountId, at } = accepting;
    const decide = acceptInvite(accepting);
    const { state } = await this.log.load(team, streamTail(teamId));
    insistUnlessFull(decide, state);
    if (state?.kind !== 'family') return this.join(teamId, decide, context);
    const room = { accountId, teamId, at };
    await this.families.take(room, metadataOf(context, accountId));
    try {
      return await this.join(teamId, decide, context);
    } catch (error) {
      if (error instanceof Refused && !isPassing(error)) await this.giveBack(room, context);
      throw error;
    }
  }

  /** However many come at once: who loses a try to others is no reason to refuse them while there is time. */
  private async join(
    teamId: string,
    decide: Decide<TeamState, TeamEvent>,
    context: Context,
  ): Promise<Joined> {
    for (;;) {
      try {
        return await this.log.transact(team, streamTail(teamId), decide, metadataOf(context, teamId));
      } catch (error) {
        const outrun = error instanceof Refused && error.reason === 'stream.concurrent_update';
        if (!outrun || Date.now() + marginMs >= context.deadline) throw error;
      }
    }
  }

  /** What fails here is found when the account wants to be in another family. */
  private async giveBack(room: TeamRoom, context: Context): Promise<void> {
    const { accountId, teamId } = room;
    // Ids of events derive from the command and the stream, and this command has taken the room there.
    const commandId = uuidV5(context.commandId, 'give back');
    try {
      await this.families.release(room, { ...metadataOf(context, accountId), commandId });
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Room in a family was not given back',
      );
    }
  }
}

/** Throws why it is refused; that there is no seat is told only to who is in no other family. */
function insistUnlessFull(decide: Decide<TeamState, TeamEvent>, state: TeamState): void {
  try {
    decide(state);
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== 'family.capacity_exceeded') throw error;
  }
}
