import type { ActivityEnded, ActivityStarted, ActivityUpdated, Streams } from '@carillon/contracts';
import { inBatch, type EventsOf, Log, Projection, type Sql, type On } from '@carillon/event-store';
import { millis, type Recorded } from '@carillon/eventing';
import { Clock, secret } from '@carillon/runtime';
import { hashSecret, KeyRing } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { Contents } from './contents.service';
import { begun, ended, expired, updated } from './activity';
import type { Lane } from './lane';
import { heard } from './outcome';
import { gone, isRestartable, registered, restarted } from './phone';
import { resumed } from './rest';
import { Board } from './board.entity';
import { LaneWorker } from './lane.worker';
import { settlementOf } from './record';
import { noAddress, updateTokenContext } from './row';

/**
 * An event older than this when processed, and already in the log at startup, may have been handled before rows were
 * lost.
 */
const freshMs = 2_000;
const oldMs = 30_000;
/** An activity that expired longer ago than this when processed needs no lane. */
const forgottenMs = 2 * 60 * 60_000;

type Followed = Streams<'activity' | 'lane' | 'device'>;
type LaneEvent = EventsOf<Followed>;

/**
 * Maintains the lanes: the operations to send to phones, and their outcomes from the log. Workers only lease and
 * postpone lanes; outcomes return through the log, in order (ADR 16).
 */
@Injectable()
export class LanesProcess extends Projection<Followed> {
  readonly name = 'lanes';
  override readonly immediate = true;
  readonly tables = [];
  readonly on: On<Followed> = {
    activity: {
      ActivityStarted: inBatch,
      ActivityUpdated: inBatch,
      ActivityEnded: inBatch,
      ActivityExpired: inBatch,
      ActivityFailed: inBatch,
    },
    lane: {
      ActivityTokenRegistered: inBatch,
      ActivityPushed: inBatch,
    },
    device: {
      DeviceRegistered: inBatch,
      DeviceTokensChanged: inBatch,
      DeviceDeactivated: inBatch,
    },
  };
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly followed = { head: 0n, last: undefined as bigint | undefined };

  constructor(
    @Inject(LaneWorker) private readonly worker: LaneWorker,
    @Inject(Contents) private readonly contents: Contents,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    super();
  }

  override async apply(sql: Sql, followed: readonly Recorded<LaneEvent>[]): Promise<void> {
    if (sql.rebuilding) throw new Error('Lanes hold unfinished work: they cannot be rebuilt');
    await this.noteHead(followed);
    const board = await Board.load(sql, followed);
    for (const recorded of followed) {
      this.contents.onEvent(recorded);
      this.follow(board, recorded);
    }
    await board.write(sql);
    sql.afterCommit?.(() => {
      this.worker.kick();
      if (board.isDoubtful) this.worker.doubt();
    });
  }

  /** Stores the log's head whenever this process starts to follow the log, from whatever position. */
  private async noteHead(events: readonly Recorded[]): Promise<void> {
    const { last } = this.followed;
    if (last === undefined || events[0]!.position <= last) this.followed.head = await this.log.store.head();
    this.followed.last = events.at(-1)!.position;
  }

  private isOld({ at, position }: Recorded): boolean {
    const age = Date.now() - millis(at);
    return age > oldMs || (age > freshMs && position <= this.followed.head);
  }

  private follow(board: Board, recorded: Recorded<LaneEvent>): void {
    const { event } = recorded;
    switch (event.type) {
      case 'ActivityStarted':
        return this.begin(board, recorded, event);
      case 'ActivityUpdated':
        return board.all(event.activityId, (lane) => updated(lane, updateOf(event)));
      case 'ActivityEnded':
        return board.all(event.activityId, (lane) => ended(lane, endOf(event)));
      case 'ActivityExpired': {
        const { sequence, expiredAt } = event;
        return board.all(event.activityId, (lane) => expired(lane, { sequence, atMs: millis(expiredAt) }));
      }
      case 'ActivityFailed': {
        const { sequence, failedAt } = event;
        // If the activity has started again meanwhile, it is removed from the phone like an expired one.
        return board.all(event.activityId, (lane) => expired(lane, { sequence, atMs: millis(failedAt) }));
      }
      case 'ActivityTokenRegistered': {
        const { activityId, deviceId, token, environment, registeredAt } = event;
        // The token's key was deleted with the account.
        if (token === null) return;
        const address = {
          hash: hashSecret(this.pepper, token),
          sealed: this.keyRing.seal(token, updateTokenContext(activityId, deviceId)),
          environment,
        };
        return board.one(activityId, deviceId, (lane) => registered(lane, address, millis(registeredAt)));
      }
      case 'ActivityPushed': {
        const { activityId, deviceId, pushedAt } = event;
        const settlement = settlementOf(event);
        return board.one(activityId, deviceId, (lane) => heard(lane, settlement, millis(pushedAt)));
      }
      case 'DeviceRegistered': {
        const { deviceId, platform, liveActivitiesCapable, registeredAt } = event;
        board.device(deviceId, platform, liveActivitiesCapable);
        const atMs = millis(registeredAt);
        // When activities are switched off, iOS ends those on the phone by itself.
        if (platform === 'ios' && !liveActivitiesCapable)
          return board.of(deviceId, (lane) =>
            gone(lane, { code: 'activities_off', withFarewell: false, atMs }),
          );
        return board.of(deviceId, (lane) => {
          if (!isRestartable(lane, atMs)) return unheld(lane);
          return restarted(lane, { notBeforeMs: this.turnOf(board, deviceId, recorded, atMs), atMs });
        });
      }
      case 'DeviceTokensChanged':
        return board.of(event.deviceId, unheld);
      case 'DeviceDeactivated': {
        const { deviceId, reason, deactivatedAt } = event;
        const isTakenAway = reason === 'removed' || reason === 'moved';
        return board.of(deviceId, (lane) =>
          // An iPhone's activities have their own tokens, whose death their own pushes detect.
          isTakenAway || lane.platform === 'android'
            ? gone(lane, {
                code: `device_${reason}`,
                withFarewell: isTakenAway && !this.isOld(recorded),
                atMs: millis(deactivatedAt),
              })
            : lane,
        );
      }
      default:
        event satisfies never;
    }
  }

  private begin(board: Board, recorded: Recorded, event: ActivityStarted): void {
    const { activityId, accountId, recipients = [], sequence, startedAt } = event;
    const expiresAtMs = millis(event.expiresAt);
    if (expiresAtMs < this.clock.ms() - forgottenMs) return;
    const isRemade = this.isOld(recorded);
    for (const deviceId of event.deviceIds) {
      const platform = board.platformOf(deviceId);
      if (!platform || board.has(activityId, deviceId)) continue;
      const notBeforeMs = this.turnOf(board, deviceId, recorded, millis(startedAt));
      board.add({
        activityId,
        deviceId,
        accountId,
        recipients,
        correlationId: recorded.metadata.correlationId,
        lane: begun({ platform, sequence, expiresAtMs, notBeforeMs, isRemade }),
        doubtful: isRemade,
        isTouched: true,
      });
    }
  }

  /** When the device may start one more activity. An event that is processed again takes no second turn. */
  private turnOf(board: Board, deviceId: string, recorded: Recorded, atMs: number): number {
    return this.isOld(recorded) ? atMs : board.turn(deviceId, this.clock.ms());
  }
}

const unheld = (lane: Lane): Lane => (lane.held === noAddress ? resumed(lane) : lane);

const updateOf = ({ sequence, apnsPriority, priorityReason, updatedAt }: ActivityUpdated) => ({
  sequence,
  priority: apnsPriority,
  isRoutine: priorityReason === 'routine' || priorityReason === 'budget_exhausted',
  atMs: millis(updatedAt),
});

const endOf = ({ sequence, endedAt, dismissAfterSeconds }: ActivityEnded) => ({
  sequence,
  dismissAtMs: millis(endedAt) + dismissAfterSeconds * 1_000,
  atMs: millis(endedAt),
});
