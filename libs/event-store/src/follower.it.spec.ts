import { KeyRing } from '@carillon/signing';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventStore } from './event-store';
import { newEvent, until } from './event-store.contract.spec';
import { Feed } from './feed';
import type { Follower } from './follower';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);

let store: EventStore;
let feed: Feed;
const stopping = new AbortController();
beforeEach(async () => {
  store = inMemoryEventStore();
  feed = new Feed(new Log(store, Keys.fromRing(ring, store)), undefined);
  await feed.begun;
  feed.want(() => true);
});
afterEach(() => feed.close());
afterAll(() => stopping.abort());

/** Follows the events of one thing, and counts the batches it gets. */
class Consumer {
  readonly seen: string[] = [];
  batches = 0;
  readonly follower: Follower;

  constructor(about: string) {
    this.follower = feed.follow(feed.position, ({ stream }) => stream === about);
    void this.consume(about);
  }

  private async consume(about: string): Promise<void> {
    while (!feed.closed) {
      const { events, position } = await this.follower.next(100, stopping.signal);
      this.batches += 1;
      // Takes a while, like a transaction.
      await nextTurn();
      this.seen.push(...events.filter(({ stream }) => stream === about).map(({ id }) => id));
      this.follower.ack(position);
    }
  }
}

const append = async (stream: string, count = 1): Promise<bigint> => {
  const events = Array.from({ length: count }, () => newEvent('Happened'));
  return (await store.append(stream, events, 'any')).position;
};
const known = (position: bigint) => until(() => feed.position >= position);

it('an event wakes only the followers that want it, once per turn of the event loop', async () => {
  const doors = new Consumer('door-1');
  const bells = Array.from({ length: 20 }, () => new Consumer('bell-1'));
  await append('door-1');
  await append('bell-1');
  await known(await append('clock-1'));
  await until(() => [doors, ...bells].every(({ seen }) => seen.length === 1));
  const before = bells.map(({ batches: pages }) => pages);
  const { batches: pages } = doors;
  for (let event = 0; event < 10; event += 1) void append('door-1');
  const last = await append('clock-1');
  await until(() => doors.seen.length === 11);
  await known(last);
  expect(doors.batches).toBe(pages + 1);
  expect(bells.map((bell) => bell.batches)).toEqual(before);
  // No follower is behind: the events did not concern them.
  for (const { follower } of bells) expect(follower.position).toBe(last);
});

it('a follower is never ahead of delivered but unapplied events', async () => {
  const follower = feed.follow(feed.position, ({ stream }) => stream === 'door-1');
  const began = await append('clock-1');
  await known(began);
  follower.ack((await follower.next(100, stopping.signal)).position);
  expect(follower.position).toBe(began);
  const wanted = await append('door-1');
  await known(wanted);
  expect(follower.position).toBeLessThan(wanted);
  const batch = await follower.next(100, stopping.signal);
  await known(await append('clock-1'));
  expect(batch.events).toHaveLength(1);
  expect(follower.position).toBeLessThan(wanted);
  follower.ack(batch.position);
  expect(follower.position).toBe(feed.position);
});

it('a follower idle for longer than the ring reaches back reads no unwanted events', async () => {
  const doors = new Consumer('door-1');
  await append('door-1');
  await until(() => doors.seen.length === 1);
  for (let round = 0; round < 30; round += 1) await known(await append('clock-1', 1_000));
  store.readAll = () => Promise.reject(new Error('nothing is to be read'));
  await append('door-1');
  await until(() => doors.seen.length === 2);
});
