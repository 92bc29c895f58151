import { KeyRing } from '@carillon/signing';
import { type EmulatorProcess, startEmulatorProcess } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from './event-store';
import { newEvent, newEvents, someStream, until } from './event-store.contract';
import { openEventStore } from './event-store-db';
import { Feed } from './feed';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const logOf = (store: EventStore): Log => new Log(store, Keys.fromRing(ring, store));

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
      const page = await feed
        .next(consumer.position, max, { signal: stopping.signal })
        .catch(() => undefined);
      if (!page) continue;
      consumer.ids.push(...page.events.map(({ id }) => id));
      consumer.position = page.position;
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
    const consumer = consume(feed, 0n);
    await until(() => consumer.ids.length === 1);
    await store.setMaxCount('thing-1', 5);
    const head = await store.head();
    await until(() => consumer.position === head);
    expect(feed.position).toBe(head);
    await Promise.all([consumer.stop(), feed.close()]);
  });

  it('returns an empty page at the timeout', async () => {
    const feed = Feed.of(logOf(inMemoryEventStore()));
    expect(await feed.next(0n, 10, { waitMs: 30 })).toEqual({ events: [], position: 0n });
    await feed.close();
    expect(await feed.next(0n, 10)).toEqual({ events: [], position: 0n });
  });
});

describe('the feed over the wire', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-feed-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('delivers each event once when the store is killed and restarted', async () => {
    let emulator: EmulatorProcess = await startEmulatorProcess({ dataDir });
    const { port, url } = emulator;
    const store = openEventStore(url);
    const warnings: object[] = [];
    const warn = (fields: object): void => void warnings.push(fields);
    const feed = Feed.of(logOf(store), { info: warn, warn, error: warn });
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
