import { type Log, type Projections, WrongExpectedRevision } from '@carillon/event-store';
import {
  type Decider,
  type DomainEvent,
  type EventMetadata,
  type Instant,
  type Slot,
  Refused,
  releaseSlot,
  quotaOf,
  type QuotaEvent,
  type QuotaState,
  reserveSlot,
} from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import type { Logger } from './logging';

export interface QuotaOptions {
  /** The streams are `<kind>_quota-<account id>`. */
  readonly kind: string;
  /** The maximum per account. */
  readonly max: number;
  /** The things that an account has before its first count. Called once per account, so its rows must be up to date. */
  readonly before: (accountId: string) => Promise<readonly Slot[]>;
  /** The ids that the log does not know, or knows to have ended. Called when a reservation would be refused. */
  readonly missing: (ids: readonly string[], accountId: string) => Promise<readonly string[]>;
  /** A thing that has ended may return under its id, such as a member who left and was invited again. */
  readonly renews?: boolean;
}

/** Things that have a row each and a stream that records their end. */
export interface QuotaByRows<State, Event extends DomainEvent> extends Pick<QuotaOptions, 'kind' | 'max'> {
  /** The projection that keeps the rows. */
  readonly projection: string;
  readonly decider: Decider<State, Event>;
  /** The slots of an account according to the rows. */
  readonly slots: (accountId: string) => Promise<readonly Slot[]>;
  readonly isOver: (state: State) => boolean;
}

interface SlotRequest {
  readonly accountId: string;
  readonly id: string;
  readonly at: Instant;
}

/** The quota of accounts for things of one kind, counted in the log: exact for concurrent requests. */
export class Quotas {
  private readonly decider: Decider<QuotaState, QuotaEvent>;

  constructor(
    private readonly log: Log,
    private readonly options: QuotaOptions,
    private readonly logger: Logger,
  ) {
    this.decider = quotaOf(options.kind);
  }

  /** A quota for things with rows: the rows show which ids may be missing, and the log decides. */
  static byRows<State, Event extends DomainEvent>(
    log: Log,
    projections: Projections,
    { projection, decider, slots, isOver, ...options }: QuotaByRows<State, Event>,
    logger: Logger,
  ): Quotas {
    const before = async (accountId: string): Promise<readonly Slot[]> => {
      await projections.abreast(projection, accountId);
      return slots(accountId);
    };
    const missing = async (ids: readonly string[], accountId: string): Promise<readonly string[]> => {
      const there = new Set((await slots(accountId)).map(({ id }) => id));
      const suspects = ids.filter((id) => !there.has(id));
      const loaded = await Promise.all(suspects.map((id) => log.load(decider, streamTail(id))));
      return suspects.filter((_, index) => isOver(loaded[index]!.state));
    };
    return new Quotas(log, { ...options, before, missing }, logger);
  }

  /**
   * Reserves a slot for a thing before it is created; the slot expires at `until`. Refused
   * `resource.limit_reached`.
   */
  async reserve(asked: SlotRequest, metadata: EventMetadata, until: Instant | null = null): Promise<void> {
    const { accountId } = asked;
    const { max, renews = false } = this.options;
    const before = (await this.log.known(this.decider, accountId))
      ? []
      : await this.options.before(accountId);
    const { events, revision } = await retryingWithoutMissing(
      (missing) =>
        this.log.transact(
          this.decider,
          accountId,
          reserveSlot({ ...asked, until, max, before, missing, renews }),
          metadata,
        ),
      async () => {
        const { state } = await this.log.load(this.decider, accountId);
        return this.options.missing(
          (state?.slots ?? before).map(({ id }) => id),
          accountId,
        );
      },
    );
    if (events[0]?.type === 'SlotsCounted') this.truncate(accountId, revision - BigInt(events.length - 1));
  }

  /** Releases a slot. Never throws: a slot that is not released here is reclaimed when it is needed. */
  async release(asked: SlotRequest, metadata: EventMetadata): Promise<void> {
    try {
      await this.log.transact(this.decider, asked.accountId, releaseSlot(asked), metadata);
    } catch (error) {
      this.logger.warn(
        { err: error, id: asked.id, traceparent: metadata.traceparent },
        'Failed to release a quota slot: it is released when it is needed',
      );
    }
  }

  /**
   * Releases the slot of a thing that may return, if `isOver` says so. Needs `renews`: a concurrent reservation of
   * the same id moves the stream, and `isOver` is called again. Throws when the release fails.
   */
  async releaseIf(
    isOver: () => Promise<boolean>,
    asked: SlotRequest,
    metadata: EventMetadata,
  ): Promise<void> {
    for (;;) {
      const { state, revision } = await this.log.load(this.decider, asked.accountId);
      const events = releaseSlot(asked)(state);
      if (revision === undefined || events.length === 0 || !(await isOver())) return;
      try {
        await this.log.appendTo(this.decider, asked.accountId, events, revision, metadata);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
    }
  }

  /** Truncates the obsolete events before a count, in the background. */
  private truncate(accountId: string, revision: bigint): void {
    if (revision === 0n) return;
    this.log.store
      .truncateBefore(`${this.decider.category}-${accountId}`, revision)
      .catch((error: unknown) =>
        this.logger.warn({ err: error }, 'Failed to truncate a quota stream: the next count tries again'),
      );
  }
}

/**
 * Calls `attempt`; when it is refused because the limit is reached, retries without the missing ids, if there are any.
 */
export async function retryingWithoutMissing<Result>(
  attempt: (missing: readonly string[]) => Promise<Result>,
  missing: () => Promise<readonly string[]>,
): Promise<Result> {
  try {
    return await attempt([]);
  } catch (error) {
    if (!(error instanceof Refused) || error.reason !== 'resource.limit_reached') throw error;
    const lost = await missing();
    if (lost.length === 0) throw error;
    return attempt(lost);
  }
}
