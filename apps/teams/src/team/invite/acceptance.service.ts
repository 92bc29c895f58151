import type { Context } from '@carillon/bus';
import type { TeamEvent } from '@carillon/contracts';
import { Log, type Transacted } from '@carillon/event-store';
import { type Decide, isPassing, Refused } from '@carillon/eventing';
import { LOGGER, type Logger, metadataOf } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { FamilyQuotas } from '../family-quotas.service';
import type { TeamSlot } from '../team-quotas.service';
import { team, type TeamState } from '../team';
import { type Accepting, acceptInvite } from './accept-invite';

type Joined = Transacted<TeamState, TeamEvent>;

/** Time for the answer to find its way back. */
const marginMs = 500;

/**
 * Takes somebody into a team by an invite. Into a family after the account has found that it may be in one: the slot
 * that it takes for that is released when the family refuses, and found again where this dies in between.
 */
@Injectable()
export class Acceptance {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(FamilyQuotas) private readonly families: FamilyQuotas,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async accept(accepting: Accepting, context: Context): Promise<Joined> {
    const { teamId, accountId, at } = accepting;
    const decide = acceptInvite(accepting);
    const { state } = await this.log.load(team, streamTail(teamId));
    insistUnlessFull(decide, state);
    if (state?.kind !== 'family') return this.join(teamId, decide, context);
    const slot = { accountId, teamId, at };
    await this.families.take(slot, metadataOf(context, accountId));
    try {
      return await this.join(teamId, decide, context);
    } catch (error) {
      if (error instanceof Refused && !isPassing(error)) await this.release(slot, context);
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
  private async release(slot: TeamSlot, context: Context): Promise<void> {
    const { accountId, teamId } = slot;
    // Ids of events derive from the command and the stream, and this command has taken the slot there.
    const commandId = uuidV5(context.commandId, 'releases');
    try {
      await this.families.release(slot, { ...metadataOf(context, accountId), commandId });
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Failed to release the family slot of an account: it is released when it is needed',
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
