import { Bus, readNewestWith, stored } from '@carillon/bus';
import { withheldTypes } from '@carillon/contracts';
import {
  agreePartitions,
  defaultPartitions,
  Feed,
  Keys,
  Log,
  Newest,
  openEventStore,
  usable,
  type WaitOptions,
} from '@carillon/event-store';
import { KeyRing } from '@carillon/signing';
import { logger } from './logging';
import { measureLog } from './measure';
import { numberSetting, setting } from '@carillon/settings';

/**
 * A resource that all services of one process share: the connection to NATS, or the event store's client and
 * subscription. The first `take` opens it, and the last `release` closes it.
 */
class Shared<Part> {
  private part: Promise<Part> | undefined;
  private users = 0;

  constructor(
    private readonly open: () => Promise<Part>,
    private readonly shut: (part: Part) => Promise<void>,
  ) {}

  async take(): Promise<Part> {
    this.users += 1;
    const part = (this.part ??= this.open());
    try {
      return await part;
    } catch (error) {
      this.users -= 1;
      // A later `take` tries to open it again.
      if (this.part === part) this.part = undefined;
      throw error;
    }
  }

  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0 || !this.part) return;
    const part = this.part;
    this.part = undefined;
    await this.shut(await part);
  }
}

export const sharedBus = new Shared<Bus>(
  () => Bus.open(undefined, 'carillon'),
  (bus) => bus.close(),
);

export interface EventLog {
  readonly log: Log;
  readonly feed: Feed;
  readonly keyRing: KeyRing;
  readonly stopMeasuring: () => void;
}

/** How a process that starts waits for the event store or Postgres, when they do not answer. */
export const startWaits = {
  tell: (part: 'event-store' | 'postgres', why: string): void =>
    logger('start').warn({ part, why }, 'The start waits for a part that does not answer'),
  /** Ends the wait, such as at a stop. */
  over: new AbortController(),
  of: (part: 'event-store' | 'postgres'): Required<WaitOptions> => ({
    waiting: (why) => startWaits.tell(part, why),
    signal: startWaits.over.signal,
  }),
};

export const sharedLog = new Shared<EventLog>(
  async () => {
    const keyRing = KeyRing.parse(setting('CARILLON_KEYS'));
    const store = openEventStore(setting('EVENTSTORE_URL'));
    const keys = Keys.fromRing(keyRing, store);
    const partitions = numberSetting('CARILLON_PARTITIONS', defaultPartitions, { max: 256 });
    try {
      await usable(store, keys, startWaits.of('event-store'));
      await agreePartitions(store, partitions);
    } catch (error) {
      await store.close();
      throw error;
    }
    const target = logger('log');
    const log = new Log(
      store,
      keys,
      ({ commandId }) => stored(commandId),
      ({ id, stream, type, position, unreadable, metadata: { accountId } }) =>
        target.error(
          { id, stream, type, position: String(position), accountId, unreadable },
          'Failed to decrypt an event: its personal fields are null, or the whole event is ignored',
        ),
      setting('CARILLON_NEW_EVENTS', '') === 'write' ? new Set() : withheldTypes(),
      partitions,
    );
    const newest = new Newest(store);
    readNewestWith(() => newest.position());
    const feed = Feed.of(log, logger('log'));
    return { log, feed, keyRing, stopMeasuring: measureLog(log, feed) };
  },
  async ({ log, feed, stopMeasuring }) => {
    readNewestWith(undefined);
    stopMeasuring();
    await feed.close();
    await log.store.close();
  },
);
