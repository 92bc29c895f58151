import { randomUUID } from 'node:crypto';
import { eventually, type EmulatorProcess, startEmulatorProcess } from '@carillon/testkit';
import { openEventStore } from './event-store-db';
import type { EventStore, NewEvent, RawEvent } from './event-store';
import { Extent } from './extent';
import { startScavenges } from './scavenge';

let emulator: EmulatorProcess;
let store: EventStore;
beforeAll(async () => {
  emulator = await startEmulatorProcess();
  store = openEventStore(emulator.url);
});
afterAll(async () => {
  await store?.close();
  await emulator?.stop();
});

const some = (count: number): NewEvent[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: 'Rung',
    data: {},
    metadata: { commandId: 'c', correlationId: 'r', accountId: 'acc_1', actor: {} },
  }));
const read = async (after?: bigint): Promise<string[]> =>
  (await store.readAll(after, 100)).events.map(({ stream, revision }) => `${stream}#${revision}`);

describe('a log that was scavenged', () => {
  it('has no events of deleted streams, and is read and followed from their positions', async () => {
    const removed = await store.append('bell-1', some(2), 'no_stream');
    await store.append('bell-2', some(1), 'no_stream');
    await store.deleteForEver('bell-1', 1n);
    await store.append('bell-2', some(1), 0n);
    expect(await read()).toEqual(['bell-1#0', 'bell-1#1', 'bell-2#0', 'bell-2#1']);

    const [started] = await startScavenges(emulator.url);
    expect(started).toMatchObject({ node: `127.0.0.1:${emulator.port}`, isNew: true });
    await eventually(
      async () => (await read()).length === 2 || undefined,
      () => 'the deleted events are still there',
    );
    expect(await read()).toEqual(['bell-2#0', 'bell-2#1']);
    expect(await read(removed.position)).toEqual(['bell-2#0', 'bell-2#1']);
    // A checkpoint, or the newest published event, may have been removed.
    expect(await new Extent(store).has(removed.position)).toBe(true);
    const heard: RawEvent[] = [];
    const subscription = store.subscribe(removed.position, {
      event: (event) => void heard.push(event),
      position: () => {},
      dropped: () => {},
    });
    await eventually(
      async () => heard.length === 2 || undefined,
      () => 'the subscription hears nothing',
    );
    expect(heard.map(({ stream, revision }) => `${stream}#${revision}`)).toEqual(['bell-2#0', 'bell-2#1']);
    await subscription.close();
  });

  it('is told apart from one that cannot be scavenged', async () => {
    await expect(startScavenges('esdb+discover://127.0.0.1:1?tls=false')).rejects.toThrow('name all nodes');
    await expect(startScavenges('esdb://127.0.0.1:1?tls=false')).rejects.toThrow('127.0.0.1:1 did not start');
  });
});
