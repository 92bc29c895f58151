import {
  type EmulatorProcess,
  startEmulatorProcess,
  startStoreProxy,
  type StoreProxy,
} from '@carillon/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventStore,
  OutcomeUnknown,
  type RawEvent,
  StoreRefused,
  StoreUnavailable,
} from './event-store';
import { newEvent, newEvents, someStream, until } from './event-store.contract.spec';
import { openEventStore } from './event-store-db';

/** How the adapter handles behaviour observed on real servers. A proxy imitates it in front of the emulator. */
describe('the event store, as a real server answers', () => {
  let emulator: EmulatorProcess;
  let proxy: StoreProxy;
  let store: EventStore;
  beforeAll(async () => {
    emulator = await startEmulatorProcess();
  });
  afterAll(() => emulator?.stop());
  beforeEach(async () => {
    proxy = await startStoreProxy(emulator.port);
    store = openEventStore(proxy.url);
    await store.append(someStream(), newEvents(1), 'no_stream');
  });
  afterEach(async () => {
    await store.close();
    await proxy.stop();
  });

  /** Another subscription in this process. */
  async function follower() {
    const seen: RawEvent[] = [];
    const drops: unknown[] = [];
    const subscription = store.subscribe(await store.head(), {
      event: (event) => seen.push(event),
      position: () => {},
      dropped: (error) => drops.push(error),
    });
    /** Resolves when the subscription delivers a new event, or was dropped with an error in `drops`. */
    const hears = async (): Promise<void> => {
      const [event] = newEvents(1);
      await store.append(someStream(), [event!], 'no_stream');
      await until(() => drops.length > 0 || seen.some(({ id }) => id === event!.id));
    };
    await hears();
    return { drops, hears, close: () => subscription.close() };
  }

  const idsOf = async (stream: string): Promise<string[]> => (await store.read(stream)).map(({ id }) => id);

  it('one refused call does not drop the subscriptions of others', async () => {
    const neighbour = await follower();
    for (const code of [2, 3, 9]) {
      proxy.refuseReads(1, code);
      const refused: unknown = await store.readAll(1n, 10).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StoreRefused);
      expect(refused).toMatchObject({
        code,
        message: expect.stringContaining('refused to read $all: unknown: '),
      });
    }
    await neighbour.hears();
    expect(neighbour.drops).toEqual([]);
    expect(proxy.clients).toBe(1);
    await neighbour.close();
  });

  it('a refused subscription gets the reason, and drops no other', async () => {
    const neighbour = await follower();
    proxy.refuseReads(1, 2);
    const told = await new Promise<Error>((dropped) => {
      store.subscribe(1n, { event: () => {}, position: () => {}, dropped });
    });
    expect(told).toBeInstanceOf(StoreRefused);
    expect(told.message).toContain('refused to follow $all: unknown');
    await neighbour.hears();
    expect(neighbour.drops).toEqual([]);
    expect(proxy.clients).toBe(1);
    await neighbour.close();
  });

  it('a read that timed out is retried, and drops no subscription', async () => {
    const neighbour = await follower();
    for (const code of [4, 10]) {
      proxy.refuseReads(2, code);
      expect((await store.readAll(undefined, 10)).events.length).toBeGreaterThan(0);
    }
    await neighbour.hears();
    expect(neighbour.drops).toEqual([]);
    expect(proxy.clients).toBe(1);
    await neighbour.close();
  });

  it('calls that a stopping server ends with 13 lose and duplicate no event, and no append fails', async () => {
    for (const code of [13, 14, 1]) {
      const { clients } = proxy;
      const neighbour = await follower();
      proxy.delayAppends(100);
      const appends = Array.from({ length: 40 }, () => ({ stream: someStream(), events: newEvents(2) }));
      const appended = Promise.all(
        appends.map(({ stream, events }) => store.append(stream, events, 'no_stream')),
      );
      await sleep(50);
      proxy.endCalls(code);
      await appended;
      for (const { stream, events } of appends)
        expect(await idsOf(stream)).toEqual(events.map(({ id }) => id));
      await until(() => neighbour.drops.length > 0);
      expect(neighbour.drops).toHaveLength(1);
      expect(proxy.clients).toBe(clients + 1);
      proxy.delayAppends(0);
      await neighbour.close();
    }
  });

  it('an error that ends the call of all appends is not treated as the answer to each', async () => {
    const neighbour = await follower();
    proxy.delayAppends(100);
    const appends = Array.from({ length: 10 }, () => ({ stream: someStream(), events: newEvents(1) }));
    const appended = Promise.all(
      appends.map(({ stream, events }) => store.append(stream, events, 'no_stream')),
    );
    await sleep(50);
    proxy.endCalls(2, 'appends');
    await appended;
    for (const { stream, events } of appends) expect(await idsOf(stream)).toEqual(events.map(({ id }) => id));
    await neighbour.hears();
    expect(neighbour.drops).toEqual([]);
    expect(proxy.clients).toBe(1);
    await neighbour.close();
  });

  it('an append that is stored but answered as timed out succeeds', async () => {
    const neighbour = await follower();
    proxy.answerTimedOut(2);
    const stream = someStream();
    const [event] = newEvents(1);
    const { revision, position } = await store.append(stream, [event!], 'no_stream');
    expect(await store.read(stream)).toMatchObject([{ id: event!.id, revision, position }]);
    expect(proxy.clients).toBe(1);
    await neighbour.hears();
    expect(neighbour.drops).toEqual([]);
    await neighbour.close();
  });

  it('appends for which the server is not ready are sent again over a new connection, and stored once', async () => {
    const before = proxy.appends;
    proxy.answerNotReady(2);
    const appends = Array.from({ length: 10 }, () => ({ stream: someStream(), events: newEvents(1) }));
    await Promise.all(appends.map(({ stream, events }) => store.append(stream, events, 'no_stream')));
    for (const { stream, events } of appends) expect(await idsOf(stream)).toEqual(events.map(({ id }) => id));
    expect(proxy.appends - before).toBeGreaterThanOrEqual(12);
    expect(proxy.clients).toBe(2);
  });

  it('an append for which the server is never ready is not refused', async () => {
    const hasty = openEventStore(proxy.url, { patienceSeconds: 1 });
    proxy.answerNotReady(1_000);
    await expect(hasty.append(someStream(), newEvents(1), 'no_stream')).rejects.toThrow(OutcomeUnknown);
    await hasty.close();
  });

  it('an append that is always answered as timed out is never reported as not stored', async () => {
    const hasty = openEventStore(proxy.url, { patienceSeconds: 1 });
    const stream = someStream();
    const events = newEvents(1);
    proxy.answerTimedOut(1_000);
    await expect(hasty.append(stream, events, 'no_stream')).rejects.toThrow(OutcomeUnknown);
    proxy.answerTimedOut(0);
    expect(await idsOf(stream)).toEqual([events[0]!.id]);
    await hasty.close();
  });

  it('the same append sent twice concurrently is stored once, and both calls succeed', async () => {
    const neighbour = await follower();
    proxy.dropEqual();
    proxy.delayAppends(300);
    const stream = someStream();
    const events = newEvents(2);
    const before = proxy.appends;
    const [one, other] = await Promise.all([
      store.append(stream, events, 'no_stream'),
      store.append(stream, events, 'no_stream'),
    ]);
    expect(one).toEqual(other);
    expect(await idsOf(stream)).toEqual(events.map(({ id }) => id));
    // The first one, the dropped one, and its retry.
    expect(proxy.appends - before).toBe(3);
    expect(proxy.clients).toBe(1);
    await neighbour.hears();
    expect(neighbour.drops).toEqual([]);
    await neighbour.close();
  });

  it('an append that is acknowledged without a position gets its position', async () => {
    proxy.leavePositionOut(1);
    const stream = someStream();
    const appended = await store.append(stream, newEvents(2), 'no_stream');
    expect(appended).toEqual({ revision: 1n, position: (await store.readLast(stream))!.position });
  });

  it('a repeated append whose events were deleted is not reported as unavailable', async () => {
    for (const makeGone of [
      (stream: string) => store.delete(stream),
      (stream: string) => store.truncateBefore(stream, 2n),
    ]) {
      const stream = someStream();
      const events = newEvents(2);
      const { revision } = await store.append(stream, events, 'no_stream');
      // Another append recreates the stream: the event at the first readable revision is a different one.
      await makeGone(stream);
      await store.append(stream, [newEvent('Other')], 'any');
      proxy.leavePositionOut(1);
      const again = await store.append(stream, events, 'no_stream');
      expect(again).toEqual({ revision, position: await store.head() });
    }
  });

  it('an append that has timed out is never sent', async () => {
    const hasty = openEventStore(proxy.url, { patienceSeconds: 1 });
    proxy.delayAppends(3_000);
    const appends = await Promise.all(
      Array.from({ length: 550 }, async () => {
        const stream = someStream();
        const error: unknown = await hasty
          .append(stream, newEvents(1), 'no_stream')
          .catch((one: unknown) => one);
        return { stream, error };
      }),
    );
    const unknown = appends.filter(({ error }) => error instanceof OutcomeUnknown);
    const unavailable = appends.filter(({ error }) => error instanceof StoreUnavailable);
    expect(unknown.length).toBeGreaterThan(0);
    expect(unavailable).toHaveLength(appends.length - unknown.length);
    expect(unavailable.length).toBeGreaterThan(0);
    // After the answers slots are free again: queued appends would be sent now.
    proxy.delayAppends(0);
    await store.append(someStream(), newEvents(1), 'no_stream');
    await sleep(500);
    for (const { stream } of unavailable) expect(await idsOf(stream)).toEqual([]);
    for (const { stream } of unknown) expect(await idsOf(stream)).toHaveLength(1);
    await hasty.close();
  });

  it('a server that stops as real ones do, and restarts 7.5 s after the signal, only delays appends', async () => {
    let stop = false;
    const written = Array.from({ length: 10 }, async () => {
      const stream = someStream();
      const ids: string[] = [];
      for (let expected: bigint | 'no_stream' = 'no_stream'; !stop;) {
        const [event] = newEvents(1);
        expected = (await store.append(stream, [event!], expected)).revision;
        ids.push(event!.id);
      }
      return { stream, ids };
    });
    await sleep(300);
    proxy.stopSlowly();
    await sleep(7_500);
    proxy.startAgain();
    const before = proxy.appends;
    await until(() => proxy.appends > before + 50);
    stop = true;
    for (const { stream, ids } of await Promise.all(written)) expect(await idsOf(stream)).toEqual(ids);
  }, 60_000);
});
