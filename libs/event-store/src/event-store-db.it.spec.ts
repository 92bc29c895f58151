import { type EmulatorProcess, startEmulatorProcess } from '@carillon/testkit';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutcomeUnknown, type RawEvent, StoreUnavailable } from './event-store';
import { keepsTheContract, newEvent, newEvents, someStream, until } from './event-store.contract.spec';
import { openEventStore } from './event-store-db';

describe.each(['own', 'official'] as const)(
  'the event store over the wire, with the %s writer and reader',
  (kind) => {
    // The contract can also be run against another server, if no other client writes to it.
    let url = process.env['EVENTSTORE_URL'];
    let emulator: EmulatorProcess | undefined;
    beforeAll(async () => {
      if (url) return;
      emulator = await startEmulatorProcess();
      ({ url } = emulator);
    });
    afterAll(() => emulator?.stop());

    keepsTheContract(() => openEventStore(url!, { writer: kind, reader: kind }));
  },
);

describe('one client per process', () => {
  const url = 'esdb://127.0.0.1:1?tls=false';

  it('is shared by all opens of the same URL, and another URL is refused while it is open', async () => {
    const first = openEventStore(url);
    const second = openEventStore(url);
    expect(() => openEventStore('esdb://127.0.0.1:2?tls=false')).toThrow('one appending client per process');
    await first.close();
    await first.close();
    expect(() => openEventStore('esdb://127.0.0.1:2?tls=false')).toThrow('one appending client per process');
    await second.close();
    await openEventStore('esdb://127.0.0.1:2?tls=false').close();
  });

  it('is unusable after it was closed', async () => {
    const store = openEventStore(url);
    await store.close();
    await expect(store.read('thing-1')).rejects.toThrow(StoreUnavailable);
    await expect(store.append('thing-1', newEvents(1), 'any')).rejects.toThrow(StoreUnavailable);
  });
});

describe('a store without a server', () => {
  it('is unavailable after ten seconds of retries', async () => {
    const store = openEventStore('esdb://127.0.0.1:1?tls=false');
    const began = Date.now();
    await Promise.all([
      expect(store.append('thing-1', newEvents(1), 'no_stream')).rejects.toThrow(StoreUnavailable),
      expect(store.read('thing-1')).rejects.toThrow(StoreUnavailable),
      expect(store.readAll(undefined, 10)).rejects.toThrow(StoreUnavailable),
    ]);
    expect(Date.now() - began).toBeGreaterThan(8_000);
    await store.close();
  });
});

describe('a store that is killed and restarted', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-killed-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it.each(['own', 'official'] as const)(
    'has every append of the %s writer once',
    async (writer) => {
      let emulator = await startEmulatorProcess({ dataDir });
      const { port, url } = emulator;
      const store = openEventStore(url, { writer });
      // Many and big: they fill the queues that a lost connection takes with it.
      const writers = 200;
      const broken: unknown[] = [];
      const note = (error: unknown): void => void broken.push(error);
      process.on('unhandledRejection', note);
      let stop = false;
      let appended = 0;
      const written = Array.from({ length: writers }, async () => {
        const stream = someStream();
        const ids: string[] = [];
        for (let expected: bigint | 'no_stream' = 'no_stream'; !stop;) {
          const events = [newEvent('Counted', { text: 'x'.repeat(30_000) }), newEvent('Counted')];
          const { revision } = await store.append(stream, events, expected);
          expected = revision;
          ids.push(...events.map(({ id }) => id));
          appended += 1;
        }
        return { stream, ids };
      });
      for (let round = 1; round <= 3; round += 1) {
        await until(() => appended > round * 2 * writers);
        await emulator.kill('SIGKILL');
        emulator = await startEmulatorProcess({ dataDir, port });
      }
      const before = appended;
      await until(() => appended > before + writers);
      stop = true;
      for (const { stream, ids } of await Promise.all(written))
        expect((await store.read(stream)).map(({ id }) => id)).toEqual(ids);
      process.off('unhandledRejection', note);
      expect(broken).toEqual([]);
      await store.close();
      await emulator.stop();
    },
    60_000,
  );

  it.each([
    ['own', 'leader'],
    ['own', 'follower'],
    ['official', 'follower'],
  ] as const)(
    'notifies the listener of a subscription once, by the %s reader at a %s',
    async (reader, follow) => {
      let emulator = await startEmulatorProcess({ dataDir });
      const { port } = emulator;
      const store = openEventStore(emulator.url.replace('esdb:', 'esdb+discover:'), {
        follow,
        reader,
      });
      const stream = someStream();
      const after = await store.head();
      const seen: RawEvent[] = [];
      let drops = 0;
      const subscription = store.subscribe(after, {
        event: (event) => seen.push(event),
        position: () => {},
        dropped: () => (drops += 1),
      });
      await store.append(stream, newEvents(1), 'no_stream');
      await until(() => seen.length === 1);
      await emulator.kill('SIGKILL');
      await until(() => drops === 1);
      await subscription.close();
      expect(drops).toBe(1);
      emulator = await startEmulatorProcess({ dataDir, port });
      const again = store.subscribe(seen[0]!.position, {
        event: (event) => seen.push(event),
        position: () => {},
        dropped: () => {},
      });
      await store.append(stream, newEvents(1), 0n);
      await until(() => seen.length === 2);
      await again.close();
      await store.close();
      await emulator.stop();
    },
    60_000,
  );

  it('does not hang on a server that is frozen', async () => {
    const emulator = await startEmulatorProcess({ dataDir });
    const store = openEventStore(emulator.url, { patienceSeconds: 3 });
    const stream = someStream();
    await store.append(stream, newEvents(1), 'no_stream');
    emulator.signal('SIGSTOP');
    const append = store.append(stream, newEvents(1), 0n);
    const read = store.read(stream);
    await expect(read).rejects.toThrow(StoreUnavailable);
    // The request is in the connection: the server may still execute it.
    await expect(append).rejects.toThrow(OutcomeUnknown);
    emulator.signal('SIGCONT');
    const events = newEvents(1);
    await until(async () => (await store.read(stream)).length > 0, 30_000);
    // The request in the connection may be executed before this one, after it, or never.
    const { revision } = await store.append(stream, events, 'any');
    expect((await store.read(stream, revision))[0]!.id).toBe(events[0]!.id);
    await store.close();
    await emulator.stop();
  }, 90_000);
});
