import type { Context, Idempotency } from '@carillon/bus';
import type { CommandKey } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { isPassing, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { fingerprint, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { claim, command, free, takeOver } from './command';

/** What an idempotency key stands for, once it is claimed. */
export interface ClaimedKey {
  readonly key: CommandKey & { readonly claim: number };
  readonly activityId: string;
  /** The request that is served is the one that claimed it. */
  readonly first: boolean;
}

/**
 * The idempotency keys of changes, each in a stream of its own: which request it came with and which activity that
 * meant is decided there, before the activity is touched.
 */
@Injectable()
export class Commands {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Claims the request's key for the activity that it means. Whom an earlier request with this key meant, it means: also
   * when another one runs under that name by now, or none. Refused `idempotency.key_reused`.
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
   * Makes the change. What is refused frees the key. A repetition waits for the first request: refused
   * `idempotency.in_progress` until that must be dead.
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
      // What may have happened stays this request's.
      if (first && !isPassing(error) && error instanceof Refused)
        await this.log.transact(command, key.hash, free(asked), {
          ...metadataOf(context),
          // Not the request's own id: the stream has taken an event of that already.
          commandId: uuidV5(context.commandId, 'free the key'),
        });
      throw error;
    }
  }
}
