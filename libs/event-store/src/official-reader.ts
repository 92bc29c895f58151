import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  excludeSystemEvents,
  type Position,
  type RecordedEvent,
  streamNameFilter,
} from '@eventstore/db-client';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { RawEvent } from './event-store';
import { prefixOf, type ServerEvents, type ServerSubscription } from './server-subscription';
import { within } from './within';

/** How often a paused subscription is looked at again. */
const pausedMs = 20;

/** A subscription to the log by the official client. */
export class OfficialReader implements ServerSubscription {
  private readonly subscription: AllStreamSubscription;
  private begin = (): void => {};
  private readonly begun = new Promise<void>((resolve) => (this.begin = resolve));
  private isPaused = true;
  private hasBegun = false;
  private isOver = false;

  /** The events after a position, of some categories or all but the store's own. */
  constructor(
    client: EventStoreDBClient,
    from: bigint,
    categories: readonly string[] | undefined,
    private readonly on: ServerEvents,
  ) {
    const checkpointReached = (_: AllStreamSubscription, position: Position) => this.reached(position);
    this.subscription = client.subscribeToAll({
      fromPosition: from === 0n ? 'start' : { commit: from, prepare: from },
      filter: categories
        ? streamNameFilter({ prefixes: categories.map(prefixOf), checkpointReached })
        : excludeSystemEvents({ checkpointReached }),
    });
    this.subscription.on('error', (error: Error) => {
      this.ended(error);
      this.subscription.destroy();
    });
    for (const ended of ['end', 'close'])
      this.subscription.on(ended, () => this.ended(new Error('The store ended the subscription')));
    this.subscription.once('confirmation', () => this.on.confirmed());
  }

  pause(): void {
    this.isPaused = true;
    this.subscription.pause();
  }

  resume(): void {
    this.isPaused = false;
    if (!this.hasBegun) {
      this.hasBegun = true;
      this.subscription.on('data', (resolved: AllStreamResolvedEvent) => this.tell(resolved));
      this.begin();
    }
    this.subscription.resume();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await within(1_000, this.subscription.unsubscribe()).catch(() => {});
    this.subscription.destroy();
  }

  private tell(resolved: AllStreamResolvedEvent): void {
    const position = positionOf(resolved);
    if (!this.isOver && resolved.event && position !== undefined)
      this.on.event(raw(resolved.event, position));
  }

  /** The client reports the position at once, but may still buffer events before it. */
  private async reached({ commit }: Position): Promise<void> {
    await this.begun;
    while (!this.isOver && this.subscription.readableLength > 0)
      await (this.isPaused ? sleep(pausedMs) : nextTurn());
    if (!this.isOver) this.on.position(commit);
  }

  private ended(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.on.ended(error);
  }
}

export const positionOf = ({ event, link, commitPosition }: AllStreamResolvedEvent): bigint | undefined =>
  commitPosition ?? (link ?? event)?.position?.commit;

/** An event of the official client. */
export const raw = (event: RecordedEvent, position: bigint): RawEvent => ({
  id: event.id,
  type: event.type,
  stream: event.streamId,
  revision: event.revision,
  position,
  at: event.created.toISOString(),
  data: event.data,
  metadata: (event.metadata ?? {}) as unknown as RawEvent['metadata'],
});
