import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from './event-store';
import type { Keys } from './keys';

/** The event store cannot be used as it is set up, and waiting changes nothing. Says in a sentence what to do. */
export class StoreUnfit extends Error {
  override readonly name = 'StoreUnfit';
}

const pauseMs = 500;

/**
 * Resolves when the store answers, lets us read its log, and holds the events of this installation. Waits for a store
 * that is not ready yet, and tells why, until the signal aborts. Throws `StoreUnfit`.
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

/** What is wrong with the settings, if that is what the error tells. */
function unfit(error: unknown): string | undefined {
  for (const { type, code, message } of causes(error)) {
    if (code === 16)
      return 'The event store does not know this user with this password: look at EVENTSTORE_URL (esdb://user:password@host).';
    if (type === 'access-denied' || code === 7)
      return 'The event store does not let this user read its log: EVENTSTORE_URL must name a user who may read $all.';
    if (typeof message !== 'string') continue;
    if (/certificate|self[- ]signed|altname|CERT_/i.test(message))
      return (
        "The event store's certificate is not trusted: name its authority in EVENTSTORE_URL with tlsCAFile=<file>, and " +
        'the host as the certificate names it.'
      );
    if (/wrong version number|EPROTO|packet length too long/i.test(message))
      return 'The event store does not speak TLS: EVENTSTORE_URL needs ?tls=false, or the store a certificate.';
  }
  return undefined;
}

interface Told {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

function* causes(error: unknown): Iterable<Told> {
  for (let told = error, depth = 0; typeof told === 'object' && told !== null && depth < 8; depth += 1) {
    yield told;
    told = (told as { cause?: unknown }).cause;
  }
}

function kindOf(error: unknown): string {
  const last = [...causes(error)].at(-1)?.message;
  return typeof last === 'string' && last !== '' ? last.slice(0, 200) : String(error).slice(0, 200);
}
