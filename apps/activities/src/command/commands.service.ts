import type { Context, Idempotency } from '@carillon/bus';
import type { CommandKey } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { isPassing, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { fingerprint, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { claim, command, free, takeOver } from './command';

/** A claimed idempotency key, with its activity. */
export interface ClaimedKey {
  readonly key: CommandKey & { readonly claim: number };
  readonly activityId: string;
  /** The present request is the one that claimed the key. */
  readonly first: boolean;
}

/**
 * The idempotency keys of changes, each with its own stream, which decides the key's request and activity before the
 * activity is changed.
 */
@Injectable()
export class Commands {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Claims the request's key for the identified activity. A repetition keeps the activity of the earlier request with
   * this key, even when the name identifies another activity by now, or none. Refuses with `idempotency.key_reused`.
   */
  async claim(
    route: string,
    idempotency: Idempotency,
    context: Context,
    meant: Promise<{ readonly found: { readonly activityId: string } }>,
  ): Promise<ClaimedKey> {
    const { accountId, tokenId = '' } = context.caller;
    const hash = fingerprint([accountId, tokenId, route, idempotency.key]);
    const at = this.clock.now();
    const activityId = await meant.then(
      ({ found }) => found.activityId,
      (error: unknown) => {
        if (isPassing(error) || !(error instanceof Refused)) throw error;
        return error;
      },
    );
    const { state, events } = await this.log.transact(
      command,
      hash,
      claim({ accountId, activityId, fingerprint: idempotency.fingerprint, at }),
      metadataOf(context),
      { expectNew: typeof activityId === 'string' },
    );
    if (!state.claim) throw new Error('A key was claimed without a trace');
    const key = { hash, fingerprint: idempotency.fingerprint, claim: state.claims };
    return { key, activityId: state.claim.activityId, first: events.length > 0 };
  }

  /**
   * Makes the change. A refusal frees the key. A repetition is refused with `idempotency.in_progress` until the first
   * request has completed or timed out.
   */
  async perform<Result>(
    claimed: ClaimedKey | null,
    context: Context,
    change: () => Promise<Result>,
  ): Promise<Result> {
    if (!claimed) return change();
    const { key, first } = claimed;
    const asked = { accountId: context.caller.accountId, number: key.claim, at: this.clock.now() };
    if (!first) await this.log.transact(command, key.hash, takeOver(asked), metadataOf(context));
    try {
      return await change();
    } catch (error) {
      // After an error that leaves the result unknown, the key stays claimed by this request.
      if (first && !isPassing(error) && error instanceof Refused)
        await this.log.transact(command, key.hash, free(asked), {
          ...metadataOf(context),
          // Not the request's own id: the stream already has an event with that command id.
          commandId: uuidV5(context.commandId, 'free the key'),
        });
      throw error;
    }
  }
}
