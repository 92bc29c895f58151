import type { Decider } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { type EmulatorProcess, startEmulatorProcess } from '@carillon/testkit';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore, Listener } from './event-store';
import { newEvent, newEvents, someStream, until } from './event-store.contract.spec';
import { openEventStore } from './event-store-db';
import { Feed } from './feed';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';
import { categoryOf } from './selection';

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const logOf = (store: EventStore): Log => new Log(store, Keys.fromRing(ring, store));

const all = (): boolean => true;

/** All events that a consumer gets after a position. */
function consume(
  feed: Feed,
  from: bigint,
  max = 100,
): { ids: string[]; position: bigint; stop(): Promise<void> } {
  const stopping = new AbortController();
  const consumer = { ids: [] as string[], position: from, stop: async () => {} };
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const batch = await feed
        .next(consumer.position, max, { signal: stopping.signal })
        .catch(() => undefined);
      if (!batch) continue;
      consumer.ids.push(...batch.events.map(({ id }) => id));
      consumer.position = batch.position;
    }
  })();
  consumer.stop = async () => {
    stopping.abort();
    await done;
  };
  return consumer;
}

describe('the feed', () => {
  it('is one per log', async () => {
    const log = logOf(inMemoryEventStore());
    expect(Feed.of(log)).toBe(Feed.of(log));
    await Feed.of(log).close();
  });

  it('delivers each event once to consumers that are far behind, in the ring, or waiting', async () => {
    const store = inMemoryEventStore();
    const ids: string[] = [];
    const append = async (count: number): Promise<void> => {
      const events = newEvents(count);
      await store.append(someStream(), events, 'no_stream');
      ids.push(...events.map(({ id }) => id));
    };
    await append(1_000);
    const feed = Feed.of(logOf(store));
    feed.want(all);
    const early = consume(feed, 0n);
    await until(() => early.ids.length === 1_000);
    // More than the ring holds.
    for (let round = 0; round < 30; round += 1) await append(1_000);
    await until(() => early.ids.length === ids.length);
    const late = consume(feed, 0n, 500);
    await append(10);
    await until(() => early.ids.length === ids.length && late.ids.length === ids.length);
    expect(early.ids).toEqual(ids);
    expect(late.ids).toEqual(ids);
    await Promise.all([early.stop(), late.stop(), feed.close()]);
  });

  it('advances over system events', async () => {
    const store = inMemoryEventStore();
    await store.append('thing-1', newEvents(1), 'no_stream');
    const feed = Feed.of(logOf(store));
    feed.want(all);
    const consumer = consume(feed, 0n);
    await until(() => consumer.ids.length === 1);
    await store.setMaxCount('thing-1', 5);
    const head = await store.head();
    await until(() => consumer.position === head);
    expect(feed.position).toBe(head);
    await Promise.all([consumer.stop(), feed.close()]);
  });

  it('returns an empty batch at the timeout', async () => {
    const feed = Feed.of(logOf(inMemoryEventStore()));
    expect(await feed.next(0n, 10, { waitMs: 30 })).toEqual({ events: [], position: 0n });
    await feed.close();
    expect(await feed.next(0n, 10)).toEqual({ events: [], position: 0n });
  });
});

describe('the feed of sealed events', () => {
  const thing = (name: string): Decider<null, { type: string; text: string }> => ({
    category: name,
    initial: null,
    personal: { Told: ['text'] },
    evolve: () => null,
  });
  const metadata = (accountId: string) => ({
    commandId: randomUUID(),
    correlationId: 'test',
    accountId,
    actor: { process: 'test' },
  });
  const told = (log: Log, category: string, accountId: string, count = 1) =>
    log.transact(
      thing(category),
      randomUUID(),
      () => Array.from({ length: count }, () => ({ type: 'Told', text: `for ${accountId}` })),
      metadata(accountId),
    );
  /** A store that counts the keys that are read and the events that are delivered, and holds back keys on demand. */
  const counting = (store: EventStore) => {
    const counts = { keys: [] as string[], delivered: 0 };
    let held: Promise<void> | undefined;
    let release = (): void => {};
    const counted: EventStore = Object.assign(Object.create(store), {
      read: async (...asked: Parameters<EventStore['read']>) => {
        if (asked[0].startsWith('account_key-')) {
          counts.keys.push(asked[0].slice('account_key-'.length));
          await held;
        }
        return store.read(...asked);
      },
      subscribe: (after: bigint, listener: Listener) =>
        store.subscribe(after, {
          ...listener,
          event: (event) => {
            counts.delivered += 1;
            listener.event(event);
          },
        }),
    });
    const hold = (): void => void (held = new Promise((resolve) => (release = resolve)));
    return { counts, store: counted, hold, release: () => release() };
  };

  it('opens only the events of types that a consumer wants', async () => {
    const plain = inMemoryEventStore();
    const writer = logOf(plain);
    const { counts, store } = counting(plain);
    const feed = Feed.of(logOf(store));
    feed.want((category) => category === 'letter');
    await feed.begun;
    const consumer = consume(feed, 0n);
    await told(writer, 'letter', 'usr_a');
    await told(writer, 'diary', 'usr_b');
    const { position } = await told(writer, 'letter', 'usr_a');
    await until(() => consumer.position === position);
    expect(consumer.ids).toHaveLength(2);
    expect(counts.keys).toEqual(['usr_a']);
    await Promise.all([consumer.stop(), feed.close()]);
  });

  it('gives a consumer that comes later also the events that nobody wanted before', async () => {
    const plain = inMemoryEventStore();
    const writer = logOf(plain);
    const { counts, store } = counting(plain);
    const feed = Feed.of(logOf(store));
    feed.want((category) => category === 'letter');
    await feed.begun;
    const early = consume(feed, 0n);
    await told(writer, 'diary', 'usr_b');
    const { position: before } = await told(writer, 'letter', 'usr_a');
    await until(() => early.position === before);
    const unwant = feed.want((category) => category === 'diary');
    const late = consume(feed, 0n);
    const { position } = await told(writer, 'diary', 'usr_b');
    await until(() => early.position === position && late.position === position);
    expect(late.ids).toHaveLength(3);
    expect(counts.keys.sort()).toEqual(['usr_a', 'usr_b']);
    unwant();
    await told(writer, 'diary', 'usr_c');
    const { position: last } = await told(writer, 'letter', 'usr_a');
    await until(() => late.position === last);
    expect(late.ids).toHaveLength(4);
    expect(counts.keys).not.toContain('usr_c');
    await Promise.all([early.stop(), late.stop(), feed.close()]);
  });

  it('opens events only while a consumer reads them, and tells that there are others', async () => {
    const plain = inMemoryEventStore();
    const writer = logOf(plain);
    const { counts, store } = counting(plain);
    const feed = Feed.of(logOf(store));
    let reads = false;
    feed.want((category) => category === 'letter', { reads: () => reads });
    const heard: string[] = [];
    feed.onEvent(({ id }) => heard.push(id));
    await feed.begun;
    const from = feed.position;
    const { position } = await told(writer, 'letter', 'usr_a');
    await until(() => feed.position >= position);
    expect(await feed.next(from, 10)).toMatchObject({ events: [{ unread: true, event: { type: 'Told' } }] });
    expect(feed.hasNoneOf(({ stream }) => stream.startsWith('letter'), from)).toBe(false);
    expect([counts.keys, heard]).toEqual([[], []]);
    reads = true;
    feed.reread();
    expect(await feed.next(from, 10)).toMatchObject({ events: [{ event: { text: 'for usr_a' } }] });
    const { position: last } = await told(writer, 'letter', 'usr_a');
    await until(() => feed.position >= last);
    expect(heard).toHaveLength(1);
    await feed.close();
  });

  it('takes no more from the store while keys are slow, and loses nothing', async () => {
    const plain = inMemoryEventStore();
    const writer = logOf(plain);
    const { counts, store, hold, release } = counting(plain);
    const feed = Feed.of(logOf(store));
    feed.want(all);
    await feed.begun;
    const consumer = consume(feed, feed.position, 1_000);
    hold();
    for (let round = 0; round < 20; round += 1) await told(writer, 'letter', 'usr_a', 1_000);
    await until(() => counts.keys.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // One batch is being opened, and 5,000 events wait.
    expect(counts.delivered).toBeLessThan(6_000);
    expect(consumer.ids).toHaveLength(0);
    release();
    await until(() => consumer.ids.length >= 20_001);
    expect(new Set(consumer.ids).size).toBe(20_001);
    await Promise.all([consumer.stop(), feed.close()]);
  });
});

describe('the feed over the wire', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-feed-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('gets only events of the categories that are wanted, also of one that is wanted later', async () => {
    const emulator = await startEmulatorProcess({});
    const store = openEventStore(emulator.url);
    const delivered: string[] = [];
    const counted: EventStore = Object.assign(Object.create(store), {
      subscribe: (after: bigint, listener: Listener, categories?: readonly string[]) =>
        store.subscribe(
          after,
          {
            ...listener,
            event: (event) => {
              delivered.push(categoryOf(event.stream));
              listener.event(event);
            },
          },
          categories,
        ),
    });
    const append = async (category: string, count = 1): Promise<bigint> =>
      (await store.append(`${category}-${randomUUID()}`, newEvents(count), 'no_stream')).position;
    const feed = Feed.of(logOf(counted));
    feed.want(all, { categories: ['letter'] });
    await feed.begun;
    const early = consume(feed, feed.position);
    await append('diary', 40);
    await append('letter');
    await until(() => early.ids.length === 1);
    feed.want((category) => category === 'diary', { categories: ['diary'] });
    const late = consume(feed, feed.position);
    for (let round = 1; round <= 20; round += 1) {
      await append('diary');
      await append('poem');
      await append('letter');
    }
    await until(() => early.ids.length >= 41 && late.ids.length >= 40);
    // The first diary has 40 entries, which nobody wanted then.
    expect([early.ids.length, late.ids.length]).toEqual([41, 40]);
    expect(new Set(delivered)).toEqual(new Set(['letter', 'diary']));
    await Promise.all([early.stop(), late.stop(), feed.close()]);
    await store.close();
    await emulator.stop();
  });

  it('knows after some seconds, or at once when asked, that the log goes on with events of others', async () => {
    const emulator = await startEmulatorProcess({});
    const store = openEventStore(emulator.url);
    const feed = Feed.of(logOf(store));
    feed.want(all, { categories: ['letter'] });
    await feed.begun;
    const { position } = await store.append(`diary-${randomUUID()}`, newEvents(1), 'no_stream');
    await until(() => feed.isFiltered && feed.position >= position, 30_000);
    const { position: last } = await store.append(`diary-${randomUUID()}`, newEvents(1_200), 'no_stream');
    const looks = [feed.look(), feed.look()];
    expect(looks[0]).toBe(looks[1]);
    await Promise.all(looks);
    await until(() => feed.position >= last);
    await feed.close();
    await store.close();
    await emulator.stop();
  }, 60_000);

  it('delivers each event once when the store is killed and restarted', async () => {
    let emulator: EmulatorProcess = await startEmulatorProcess({ dataDir });
    const { port, url } = emulator;
    const store = openEventStore(url);
    const warnings: object[] = [];
    const warn = (fields: object): void => void warnings.push(fields);
    const feed = Feed.of(logOf(store), { info: warn, warn, error: warn });
    feed.want(all);
    const consumer = consume(feed, await store.head());
    let stop = false;
    const appended = new Set<string>();
    const writers = Array.from({ length: 8 }, async () => {
      const stream = someStream();
      for (let expected: bigint | 'no_stream' = 'no_stream'; !stop;) {
        const event = newEvent('Counted');
        expected = (await store.append(stream, [event], expected)).revision;
        appended.add(event.id);
        if (appended.size % 50 === 0) await store.setMaxCount(stream, 1_000_000 + appended.size);
      }
    });
    for (let round = 1; round <= 3; round += 1) {
      const before = consumer.ids.length;
      await until(() => consumer.ids.length > before + 200);
      await emulator.kill(round === 2 ? 'SIGTERM' : 'SIGKILL');
      emulator = await startEmulatorProcess({ dataDir, port });
    }
    const before = consumer.ids.length;
    await until(() => consumer.ids.length > before + 200);
    stop = true;
    await Promise.all(writers);
    await until(() => consumer.ids.length >= appended.size);
    expect(new Set(consumer.ids).size).toBe(consumer.ids.length);
    expect(new Set(consumer.ids)).toEqual(appended);
    expect(warnings.length).toBeGreaterThanOrEqual(3);
    await Promise.all([consumer.stop(), feed.close()]);
    await store.close();
    await emulator.stop();
  }, 60_000);
});
