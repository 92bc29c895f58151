import { Bus, stored } from '@carillon/bus';
import { Feed, Keys, Log, openEventStore } from '@carillon/event-store';
import { KeyRing } from '@carillon/signing';
import { logger } from './logging';
import { setting } from '@carillon/settings';

/**
 * What all services of one process share: one connection to NATS, one client and one subscription of the event store.
 * Opened by the first that needs it, closed when the last has let go.
 */
class Shared<Part> {
  private part: Promise<Part> | undefined;
  private users = 0;

  constructor(
    private readonly open: () => Promise<Part>,
    private readonly shut: (part: Part) => Promise<void>,
  ) {}

  take(): Promise<Part> {
    this.users += 1;
    this.part ??= this.open();
    return this.part;
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
}

export const sharedLog = new Shared<EventLog>(
  async () => {
    const keyRing = KeyRing.parse(setting('CARILLON_KEYS'));
    const store = openEventStore(setting('EVENTSTORE_URL'));
    const log = new Log(store, Keys.fromRing(keyRing, store), ({ commandId }) => stored(commandId));
    return { log, feed: Feed.of(log, logger('log')), keyRing };
  },
  async ({ log, feed }) => {
    await feed.close();
    await log.store.close();
  },
);
