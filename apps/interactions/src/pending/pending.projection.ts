import {
  type InteractionAsked,
  type InteractionEnded,
  profileEventTypes,
  type PushReported,
  type Streams,
} from '@carillon/contracts';
import {
  type Handled,
  ignore,
  ignoring,
  inBatch,
  type On,
  Projection,
  type Sql,
} from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { neededDays } from '@carillon/runtime';
import { isId } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { addAccepted, countAccepted, type Started } from './accepted.entity';
import { endPrompts } from './endings.entity';
import { ForgottenPrompts } from './forgotten-prompts.worker';
import { addPrompts } from './prompts.entity';

type Followed = Streams<'interaction' | 'delivery' | 'lane' | 'account'>;
const on = {
  interaction: {
    InteractionAsked: inBatch,
    InteractionAnswered: inBatch,
    InteractionCanceled: inBatch,
    InteractionExpired: inBatch,
  },
  delivery: {
    PushReported: inBatch,
    PushCleared: ignore,
  },
  lane: {
    ActivityTokenRegistered: ignore,
    ActivityPushed: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;
type PendingEvent = Handled<Followed, typeof on>;

/** Projects the prompts, pending and ended, for every account that can answer them. */
@Injectable()
export class PendingProjection extends Projection<Followed, typeof on> {
  readonly name = 'prompts';
  override readonly partitioned = 'accounts';
  readonly tables = ['prompts'];
  readonly on = on;
  override readonly neededDays = neededDays();

  constructor(@Inject(ForgottenPrompts) private readonly forgotten: ForgottenPrompts) {
    super();
  }

  override accountOf({ event }: Recorded<PendingEvent>): string {
    return event.accountId;
  }

  /** Ignores pushes that are not of prompts. */
  override concerns({ event }: Recorded<PendingEvent>): boolean {
    if (event.type === 'PushReported') return isId(event.subjectId, 'int');
    if (event.type === 'ActivityPushed') return event.operation === 'start' && event.outcome === 'accepted';
    return true;
  }

  /**
   * Writes the asked prompts first. The order of ends and providers' results does not matter, since they change
   * different columns.
   */
  override async apply(sql: Sql, events: readonly Recorded<PendingEvent>[]): Promise<void> {
    const asked: InteractionAsked[] = [];
    const ended: InteractionEnded[] = [];
    const reported = new Map<string, PushReported>();
    const started = new Map<string, Started>();
    const forgotten: Recorded<PendingEvent>[] = [];
    for (const recorded of events) {
      const { event } = recorded;
      switch (event.type) {
        case 'InteractionAsked':
          asked.push(event);
          break;
        case 'InteractionAnswered':
        case 'InteractionCanceled':
        case 'InteractionExpired':
          ended.push(event);
          break;
        case 'PushReported':
          reported.set(event.subjectId, event);
          break;
        case 'ActivityPushed':
          started.set(event.activityId, {
            readers: event.readers,
            deviceIds: [...(started.get(event.activityId)?.deviceIds ?? []), event.deviceId],
          });
          break;
        case 'AccountForgotten':
          forgotten.push(recorded);
          break;
        default:
          event satisfies never;
      }
    }
    if (asked.length > 0) await addPrompts(sql, asked);
    if (ended.length > 0) await endPrompts(sql, ended);
    if (reported.size > 0) await countAccepted(sql, [...reported.values()]);
    for (const [activityId, at] of started) await addAccepted(sql, activityId, at);
    for (const cause of forgotten) await this.forgotten.forget(sql, cause.event.accountId, cause);
  }
}
