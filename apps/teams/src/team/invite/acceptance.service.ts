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

/** Time reserved for the answer to reach the caller. */
const marginMs = 500;

/**
 * Adds an account to a team by an invite. A family needs a slot of the account's family quota first: the slot is
 * released when the family refuses, and after a crash when the account needs it again.
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

  /** Retries until the deadline: lost append conflicts with concurrent acceptances are no reason to refuse. */
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

  /** A slot that this fails to release is released when the account joins another family. */
  private async release(slot: TeamSlot, context: Context): Promise<void> {
    const { accountId, teamId } = slot;
    // Event ids derive from the command id and the stream; the command id itself was used to take the slot.
    const commandId = uuidV5(context.commandId, 'releases');
    try {
      await this.families.release(slot, { ...metadataOf(context, accountId), commandId });
    } catch (error) {
      this.logger.warn(
        { err: error, teamId, traceparent: context.traceparent },
        'Failed to release the family slot of an account: it is released when the account joins another family',
      );
    }
  }
}

/** Throws any refusal except a full family: that is only told to accounts that are in no other family. */
function insistUnlessFull(decide: Decide<TeamState, TeamEvent>, state: TeamState): void {
  try {
    decide(state);
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== 'family.capacity_exceeded') throw error;
  }
}
