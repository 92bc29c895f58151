import type { Log } from '@carillon/event-store';
import {
  type Decider,
  type EventMetadata,
  type Instant,
  type Place,
  Refused,
  releaseRoom,
  roomFor,
  type RoomEvent,
  type RoomState,
  takeRoom,
} from '@carillon/eventing';
import type { Logger } from './logging';

export interface RoomOptions {
  /** The streams are `<kind>_room-<account id>`. */
  readonly kind: string;
  /** How many an account may have at once. */
  readonly most: number;
  /** Those that an account has which was never counted; asked once in its life, so rows must be as new as the log. */
  readonly before: (accountId: string) => Promise<readonly Place[]>;
  /** Those of these ids that the log does not know, or knows to be over. Asked when somebody would be refused. */
  readonly missing: (ids: readonly string[], accountId: string) => Promise<readonly string[]>;
}

interface Asked {
  readonly accountId: string;
  readonly id: string;
  readonly at: Instant;
}

/** Room for the things of one kind that accounts have, counted in the log: exact whoever asks at once. */
export class Rooms {
  private readonly room: Decider<RoomState, RoomEvent>;

  constructor(
    private readonly log: Log,
    private readonly options: RoomOptions,
    private readonly logger: Logger,
  ) {
    this.room = roomFor(options.kind);
  }

  /**
   * Takes room for one more, before it is created; `until` when it is over by itself then. Refused
   * `resource.limit_reached`.
   */
  async take(asked: Asked, metadata: EventMetadata, until: Instant | null = null): Promise<void> {
    const { accountId } = asked;
    const { most } = this.options;
    const before = (await this.log.known(this.room, accountId)) ? [] : await this.options.before(accountId);
    const { events, revision } = await seekingRoom(
      (missing) =>
        this.log.transact(
          this.room,
          accountId,
          takeRoom({ ...asked, until, most, before, missing }),
          metadata,
        ),
      async () => {
        const { state } = await this.log.load(this.room, accountId);
        return this.options.missing(
          (state?.places ?? before).map(({ id }) => id),
          accountId,
        );
      },
    );
    if (events[0]?.type === 'RoomCounted') this.cut(accountId, revision - BigInt(events.length - 1));
  }

  /** Gives its room back. It is over whatever becomes of this: what is not given back here is found when it is needed. */
  async release(asked: Asked, metadata: EventMetadata): Promise<void> {
    try {
      await this.log.transact(this.room, asked.accountId, releaseRoom(asked), metadata);
    } catch (error) {
      this.logger.warn({ err: error, id: asked.id }, 'Room was not given back');
    }
  }

  /** What came before a count says nothing any more. Nobody waits for that. */
  private cut(accountId: string, revision: bigint): void {
    if (revision === 0n) return;
    this.log.store
      .truncateBefore(`${this.room.category}-${accountId}`, revision)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'A stream of room was not cut'));
  }
}

/** Attempts it. Only when there seems to be no room are those looked for that fill it and are not there. */
export async function seekingRoom<Result>(
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
