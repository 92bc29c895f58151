import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from './event-store';
import type { Keys } from './keys';
import { kindOf, unfit } from './unfit';

/** The event store cannot be used with these settings, and waiting does not help. The message says what to do. */
export class StoreUnfit extends Error {
  override readonly name = 'StoreUnfit';
}

const pauseMs = 500;

/**
 * Resolves when the store answers, permits reading its log, and holds the events of this installation. Waits for a
 * store that is not ready yet, and reports why, until the signal aborts. Throws `StoreUnfit`.
 */
export async function usable(
  store: EventStore,
  keys: Keys,
  { waiting, signal }: { waiting?: (why: string) => void; signal?: AbortSignal } = {},
): Promise<void> {
  for (;;) {
    try {
      await store.readAll(undefined, 1);
      if (await keys.openOldest()) return;
      throw new StoreUnfit(
        'The event store holds events that CARILLON_KEYS does not open: those of another installation, or the ring has ' +
          'lost its oldest key. Give the keys that this store was begun with, or name another store in EVENTSTORE_URL.',
      );
    } catch (error) {
      if (error instanceof StoreUnfit) throw error;
      const why = unfit(error);
      if (why) throw new StoreUnfit(why, { cause: error });
      signal?.throwIfAborted();
      waiting?.(`The event store does not answer yet: ${kindOf(error)}`);
      await sleep(pauseMs, undefined, signal ? { signal } : {});
    }
  }
}
