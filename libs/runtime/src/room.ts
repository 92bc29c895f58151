import { type Log, type Projections, WrongExpectedRevision } from '@carillon/event-store';
import {
  type Decider,
  type DomainEvent,
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
import { streamTail } from '@carillon/signing';
import type { Logger } from './logging';

export interface RoomOptions {
  /** The streams are `<kind>_room-<account id>`. */
  readonly kind: string;
  /** How many an account may have at once. */
  readonly max: number;
  /** Those that an account has which was never counted; asked once in its life, so rows must be as new as the log. */
  readonly before: (accountId: string) => Promise<readonly Place[]>;
  /** Those of these ids that the log does not know, or knows to be over. Asked when somebody would be refused. */
  readonly missing: (ids: readonly string[], accountId: string) => Promise<readonly string[]>;
  /** What is over may come again under its id, as a member does who left and was invited once more. */
  readonly renews?: boolean;
}

/** Things with a row each, and a stream that says when they are over. */
export interface RoomByRows<State, Event extends DomainEvent> extends Pick<RoomOptions, 'kind' | 'max'> {
  /** The projection that keeps the rows. */
  readonly projection: string;
  readonly decider: Decider<State, Event>;
  /** Those that an account has, as the rows know. */
  readonly places: (accountId: string) => Promise<readonly Place[]>;
  readonly isOver: (state: State) => boolean;
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

  /** Room for things with rows: these say whom to look for when somebody would be refused, the log decides. */
  static byRows<State, Event extends DomainEvent>(
    log: Log,
    projections: Projections,
    { projection, decider, places, isOver, ...options }: RoomByRows<State, Event>,
    logger: Logger,
  ): Rooms {
    const before = async (accountId: string): Promise<readonly Place[]> => {
      await projections.abreast(projection);
      return places(accountId);
    };
    const missing = async (ids: readonly string[], accountId: string): Promise<readonly string[]> => {
      const there = new Set((await places(accountId)).map(({ id }) => id));
      const suspects = ids.filter((id) => !there.has(id));
      const loaded = await Promise.all(suspects.map((id) => log.load(decider, streamTail(id))));
      return suspects.filter((_, index) => isOver(loaded[index]!.state));
    };
    return new Rooms(log, { ...options, before, missing }, logger);
  }

  /**
   * Takes room for one more, before it is created; `until` when it is over by itself then. Refused
   * `resource.limit_reached`.
   */
  async take(asked: Asked, metadata: EventMetadata, until: Instant | null = null): Promise<void> {
    const { accountId } = asked;
    const { max, renews = false } = this.options;
    const before = (await this.log.known(this.room, accountId)) ? [] : await this.options.before(accountId);
    const { events, revision } = await seekingRoom(
      (missing) =>
        this.log.transact(
          this.room,
          accountId,
          takeRoom({ ...asked, until, max, before, missing, renews }),
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
      this.logger.warn(
        { err: error, id: asked.id, traceparent: metadata.traceparent },
        'Room was not given back',
      );
    }
  }

  /**
   * Gives the room of one back that may come again, when `isOver` says so. Needs `renews`: whoever takes it again
   * meanwhile moves the stream, and this looks again. Throws when it could not be done.
   */
  async releaseIf(isOver: () => Promise<boolean>, asked: Asked, metadata: EventMetadata): Promise<void> {
    for (;;) {
      const { state, revision } = await this.log.load(this.room, asked.accountId);
      const events = releaseRoom(asked)(state);
      if (revision === undefined || events.length === 0 || !(await isOver())) return;
      try {
        await this.log.appendTo(this.room, asked.accountId, events, revision, metadata);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error;
      }
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
