import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventStore,
  type NewEvent,
  type RawEvent,
  type StoredMetadata,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';

const metadata: StoredMetadata = {
  commandId: 'c1',
  correlationId: 'r1',
  accountId: 'acc_1',
  actor: { accountId: 'acc_1' },
};

export const newEvent = (type: string, data: object = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata,
});

export const newEvents = (count: number): NewEvent[] =>
  Array.from({ length: count }, (_, index) => newEvent('Counted', { index }));

/** Waits until a condition holds. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await isSo()); await sleep(10))
    if (Date.now() > end) throw new Error(`Not so within ${withinMs} ms: ${isSo.toString()}`);
}

export const someStream = (): string => `thing-${randomUUID()}`;

const textOf = ({ stream, revision, type }: Pick<RawEvent, 'stream' | 'revision' | 'type'>): string =>
  `${stream}/${revision}/${type}`;

/** The contract of every adapter. */
export function keepsTheContract(open: () => EventStore): void {
  let store: EventStore;
  beforeAll(() => {
    store = open();
  });
  afterAll(() => store.close());

  describe('appending and reading', () => {
    it('reads the appended events', async () => {
      const stream = someStream();
      const events = [newEvent('Opened', { name: 'Ä', nested: { list: [1, null] } }), newEvent('Closed')];
      const { revision, position } = await store.append(stream, events, 'no_stream');
      expect(revision).toBe(1n);
      const read = await store.read(stream);
      expect(read.map(textOf)).toEqual([`${stream}/0/Opened`, `${stream}/1/Closed`]);
      expect(read[0]).toMatchObject({ id: events[0]!.id, data: events[0]!.data, metadata });
      expect(read[1]!.position).toBe(position);
      expect(read[0]!.position).toBeLessThan(position);
      expect(Math.abs(Date.parse(read[0]!.at) - Date.now())).toBeLessThan(60_000);
    });

    it('reads from a revision, and the last event only', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(5), 'no_stream');
      expect((await store.read(stream, 3n)).map(({ revision }) => revision)).toEqual([3n, 4n]);
      expect(await store.read(stream, 5n)).toEqual([]);
      expect((await store.read(stream, 1n, 2)).map(({ revision }) => revision)).toEqual([1n, 2n]);
      expect((await store.read(stream, undefined, 1)).map(({ revision }) => revision)).toEqual([0n]);
      expect((await store.readLast(stream))?.revision).toBe(4n);
    });

    it('reads thousands of streams at once', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(2), 'no_stream');
      const read = await Promise.all(
        Array.from({ length: 3_000 }, (_, n) => store.read(n % 2 ? stream : someStream())),
      );
      expect(read.every((events, n) => events.length === (n % 2 ? 2 : 0))).toBe(true);
    }, 60_000);

    it('reads nothing of a stream that does not exist', async () => {
      expect(await store.read(someStream())).toEqual([]);
      expect(await store.readLast(someStream())).toBeUndefined();
    });

    it('refuses data that is no JSON before any event is stored', async () => {
      const stream = someStream();
      await expect(store.append(stream, [newEvent('Opened', { big: 1n })], 'no_stream')).rejects.toThrow(
        TypeError,
      );
      expect(await store.read(stream)).toEqual([]);
    });

    it('refuses an event without a type, a UUID or data before any event is stored', async () => {
      const stream = someStream();
      const good = newEvent('Opened');
      for (const bad of [
        { ...good, type: '' },
        { ...good, id: 'order-7' },
        { ...good, id: '00000000-0000-0000-0000-000000000000' },
        { ...good, data: undefined },
      ])
        await expect(store.append(stream, [newEvent('Opened'), bad], 'no_stream')).rejects.toThrow(TypeError);
      expect(await store.read(stream)).toEqual([]);
    });
  });

  describe('the expected revision', () => {
    it('accepts only an append at the current revision', async () => {
      const stream = someStream();
      await expect(store.append(stream, newEvents(1), 0n)).rejects.toThrow(WrongExpectedRevision);
      await store.append(stream, newEvents(1), 'no_stream');
      await expect(store.append(stream, newEvents(1), 'no_stream')).rejects.toThrow(WrongExpectedRevision);
      await expect(store.append(stream, newEvents(1), 5n)).rejects.toMatchObject({ stream, expected: 5n });
      await store.append(stream, newEvents(2), 0n);
      await expect(store.append(stream, newEvents(1), 1n)).rejects.toThrow(WrongExpectedRevision);
      expect((await store.append(stream, newEvents(1), 'any')).revision).toBe(3n);
    });

    it('accepts exactly one of many concurrent appends', async () => {
      const stream = someStream();
      const tries = await Promise.allSettled(
        Array.from({ length: 30 }, () => store.append(stream, newEvents(1), 'no_stream')),
      );
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.read(stream)).toHaveLength(1);
    });
  });

  describe('a repeated append', () => {
    it('is stored once, at an exact revision', async () => {
      const stream = someStream();
      const first = newEvents(2);
      const second = newEvents(2);
      const appended = await store.append(stream, first, 'no_stream');
      expect(await store.append(stream, first, 'no_stream')).toEqual(appended);
      const later = await store.append(stream, second, 1n);
      expect(await store.append(stream, first, 'no_stream')).toEqual(appended);
      expect(await store.append(stream, second, 1n)).toEqual(later);
      expect(await store.read(stream)).toHaveLength(4);
    });

    it('is stored once when sent twice concurrently', async () => {
      const stream = someStream();
      const events = newEvents(2);
      const [one, other] = await Promise.all([
        store.append(stream, events, 'no_stream'),
        store.append(stream, events, 'no_stream'),
      ]);
      expect(one).toEqual(other);
      expect(await store.read(stream)).toHaveLength(2);
    });

    it('has a position that followers reach, also when its events were deleted', async () => {
      for (const makeGone of [
        (stream: string) => store.delete(stream),
        (stream: string) => store.truncateBefore(stream, 2n),
      ]) {
        const stream = someStream();
        const events = newEvents(2);
        const appended = await store.append(stream, events, 'no_stream');
        await makeGone(stream);
        const again = await store.append(stream, events, 'no_stream').catch((error: unknown) => error);
        // A store may no longer know deleted events; then the append is stored again instead of refused.
        expect(again).toMatchObject({ revision: expect.any(BigInt), position: expect.any(BigInt) });
        const { position } = again as typeof appended;
        expect(position).toBeGreaterThanOrEqual(appended.position);
        expect(position).toBeLessThanOrEqual(await store.head());
      }
    });

    it('is refused when only some of its events are the same', async () => {
      const stream = someStream();
      const first = newEvents(2);
      await store.append(stream, first, 'no_stream');
      await expect(store.append(stream, [first[0]!, newEvent('Other')], 'no_stream')).rejects.toThrow(
        WrongExpectedRevision,
      );
    });
  });

  describe('a deleted stream', () => {
    it('reads as empty, and its revisions continue when it is used again', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(3), 'no_stream');
      await store.delete(stream);
      await store.delete(stream);
      expect(await store.read(stream)).toEqual([]);
      expect(await store.readLast(stream)).toBeUndefined();
      const again = await store.append(stream, newEvents(1), 'no_stream');
      expect(again.revision).toBe(3n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([3n]);
    });

    it('need not have existed', async () => {
      await store.delete(someStream());
    });
  });

  describe('a stream that is deleted for ever', () => {
    it('can be neither read nor begun again, and a second deletion changes nothing', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(3), 'no_stream');
      expect(await store.deleteForEver(stream, 2n)).toBe(true);
      expect(await store.deleteForEver(stream, 2n)).toBe(true);
      await expect(store.read(stream)).rejects.toThrow(StreamDeleted);
      await expect(store.readLast(stream)).rejects.toThrow(StreamDeleted);
      for (const expected of ['no_stream', 'any', 2n] as const)
        await expect(store.append(stream, newEvents(1), expected)).rejects.toThrow(StreamDeleted);
    });

    it('stays while it has a newer event than the one that was named', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(3), 'no_stream');
      expect(await store.deleteForEver(stream, 1n)).toBe(false);
      expect(await store.read(stream)).toHaveLength(3);
      expect(await store.deleteForEver(someStream(), 0n)).toBe(false);
    });

    it('may be a truncated one', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(3), 'no_stream');
      await store.truncateBefore(stream, 2n);
      expect(await store.deleteForEver(stream, 2n)).toBe(true);
      await expect(store.truncateBefore(stream, 2n)).rejects.toThrow(StreamDeleted);
    });
  });

  describe('a stream with a maximum count', () => {
    it('keeps its newest events', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(2), 'no_stream');
      await store.setMaxCount(stream, 3);
      await store.setMaxCount(stream, 3);
      await store.append(stream, newEvents(4), 1n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([3n, 4n, 5n]);
    });

    it('may be configured before the first event', async () => {
      const stream = someStream();
      await store.setMaxCount(stream, 1);
      await store.append(stream, newEvents(3), 'no_stream');
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([2n]);
    });

    it('does not restore a deleted stream', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(2), 'no_stream');
      await store.delete(stream);
      await expect(store.setMaxCount(stream, 5)).rejects.toThrow(StreamDeleted);
      expect(await store.read(stream)).toEqual([]);
    });
  });

  describe('a truncated stream', () => {
    it('has no events before that revision, and can be appended to', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(5), 'no_stream');
      await store.truncateBefore(stream, 3n);
      await store.truncateBefore(stream, 3n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([3n, 4n]);
      await store.append(stream, newEvents(1), 4n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([3n, 4n, 5n]);
      expect((await store.readLast(stream))?.revision).toBe(5n);
    });

    it('is never extended by an earlier revision', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(5), 'no_stream');
      await store.truncateBefore(stream, 3n);
      await store.truncateBefore(stream, 1n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([3n, 4n]);
    });

    it('keeps its maximum count', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(5), 'no_stream');
      await store.setMaxCount(stream, 3);
      await store.truncateBefore(stream, 1n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([2n, 3n, 4n]);
      await store.truncateBefore(stream, 4n);
      expect((await store.read(stream)).map(({ revision }) => revision)).toEqual([4n]);
    });

    it('is not restored when it was deleted', async () => {
      const stream = someStream();
      await store.append(stream, newEvents(2), 'no_stream');
      await store.delete(stream);
      await expect(store.truncateBefore(stream, 1n)).rejects.toThrow(StreamDeleted);
    });
  });

  describe('the whole log', () => {
    it('is read in batches, in order, complete, without system events', async () => {
      const start = await store.head();
      const stream = someStream();
      const other = someStream();
      const expected: string[] = [];
      for (let round = 0n; round < 5n; round += 1n) {
        for (const name of [stream, other]) {
          await store.append(name, newEvents(1), round === 0n ? 'no_stream' : round - 1n);
          expected.push(`${name}/${round}/Counted`);
        }
        await store.setMaxCount(other, 100 + Number(round));
      }
      const found: string[] = [];
      for (let after = start, end = false; !end;) {
        const batch = await store.readAll(after, 3);
        expect(batch.events.length).toBeLessThanOrEqual(3);
        found.push(...batch.events.map(textOf));
        after = batch.last ?? after;
        end = batch.end;
      }
      expect(found).toEqual(expected);
      const head = await store.head();
      expect(await store.readAll(head, 3)).toMatchObject({ events: [], end: true });
    });

    it('has its head at the last event that subscriptions deliver, whatever system events follow', async () => {
      const stream = someStream();
      const { position } = await store.append(stream, newEvents(1), 'no_stream');
      for (let count = 1; count <= 50; count += 1) {
        await store.setMaxCount(stream, count);
        if (count % 10 === 1) expect(await store.head()).toBe(position);
      }
      const next = await store.append(stream, newEvents(2), 0n);
      expect(await store.head()).toBe(next.position);
    });

    it('is read backwards in pages, from its end or from a position, complete and to its start', async () => {
      const stream = someStream();
      for (let round = 0n; round < 4n; round += 1n) {
        await store.append(stream, newEvents(2), round === 0n ? 'no_stream' : 2n * round - 1n);
        await store.setMaxCount(stream, 100 + Number(round));
      }
      const found: RawEvent[] = [];
      for (let before: bigint | undefined, end = false; !end;) {
        const page = await store.readAllBackwards(before, 3);
        expect(page.events.length).toBeLessThanOrEqual(3);
        found.push(...page.events);
        before = page.last ?? before;
        end = page.end;
      }
      const forwards: RawEvent[] = [];
      for (let after = 0n, end = false; !end;) {
        const page = await store.readAll(after, 100);
        forwards.push(...page.events);
        after = page.last ?? after;
        end = page.end;
      }
      expect(found).toEqual(forwards.toReversed());
      expect(found.slice(0, 8).map(({ stream }) => stream)).toEqual(Array(8).fill(stream));
      expect(await store.readAllBackwards(found.at(-1)!.position, 3)).toMatchObject({
        events: [],
        end: true,
      });
    });

    it('can be read from its start', async () => {
      await store.append(someStream(), newEvents(1), 'no_stream');
      const [first] = (await store.readAll(undefined, 50)).events;
      expect((await store.readAll(0n, 50)).events[0]).toEqual(first);
      expect(first).toBeDefined();
    });
  });

  describe('a subscription', () => {
    it('delivers existing events, then new ones, each once and in order', async () => {
      const after = await store.head();
      const stream = someStream();
      await store.append(stream, newEvents(40), 'no_stream');
      const seen: bigint[] = [];
      const positions: bigint[] = [];
      const subscription = store.subscribe(after, {
        event: (event) => {
          seen.push(event.revision);
          positions.push(event.position);
        },
        position: (position) => positions.push(position),
        dropped: (error) => {
          throw error;
        },
      });
      await until(() => seen.length >= 40);
      for (let round = 0n; round < 10n; round += 1n) await store.append(stream, newEvents(1), 39n + round);
      await until(() => seen.length >= 50);
      await subscription.close();
      expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => BigInt(index)));
      expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    });

    it('delivers little while it is paused, and all that is left when it is resumed', async () => {
      const after = await store.head();
      const stream = someStream();
      for (let round = 0n; round < 20n; round += 1n)
        await store.append(stream, newEvents(500), round === 0n ? 'no_stream' : round * 500n - 1n);
      const seen: bigint[] = [];
      const subscription = store.subscribe(after, {
        event: (event) => {
          seen.push(event.revision);
          if (seen.length === 100) subscription.pause();
        },
        position: () => {},
        dropped: (error) => {
          throw error;
        },
      });
      await until(() => seen.length >= 100);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(seen.length).toBe(100);
      subscription.resume();
      await until(() => seen.length >= 10_000);
      await subscription.close();
      expect(seen).toEqual(Array.from({ length: 10_000 }, (_, index) => BigInt(index)));
    });

    it('delivers the events of some categories, and the position of the others', async () => {
      const after = await store.head();
      const [wanted, unwanted] = [`wanted-${randomUUID()}`, `wanted_not-${randomUUID()}`];
      await store.append(unwanted, newEvents(3), 'no_stream');
      await store.append(wanted, newEvents(1), 'no_stream');
      const seen: string[] = [];
      let position = 0n;
      const subscription = store.subscribe(
        after,
        {
          event: (event) => {
            seen.push(event.stream);
            position = event.position;
          },
          position: (given) => (position = given),
          dropped: (error) => {
            throw error;
          },
        },
        ['wanted', 'other'],
      );
      await until(() => seen.length === 1);
      const ended = `wanted-${randomUUID()}`;
      const { revision } = await store.append(ended, newEvents(1), 'no_stream');
      await store.deleteForEver(ended, revision);
      await until(() => seen.length === 2);
      const { position: first } = await store.append(unwanted, newEvents(1), 2n);
      await store.append(unwanted, newEvents(63), 3n);
      await until(() => position >= first);
      await store.append(wanted, newEvents(1), 0n);
      await until(() => seen.length === 3);
      await subscription.close();
      expect(seen).toEqual([wanted, ended, wanted]);
    });

    it('advances its position over system events', async () => {
      const stream = someStream();
      const { position: after } = await store.append(stream, newEvents(1), 'no_stream');
      let position = 0n;
      const subscription = store.subscribe(after, {
        event: () => {},
        position: (given) => (position = given),
        dropped: () => {},
      });
      for (let count = 1; position <= after && count < 500; count += 1)
        await store.setMaxCount(stream, count);
      await until(() => position > after);
      await subscription.close();
    });

    it('delivers nothing after it was closed', async () => {
      const stream = someStream();
      const { position: before } = await store.append(stream, newEvents(1), 'no_stream');
      let calls = 0;
      const count = (): void => void (calls += 1);
      const subscription = store.subscribe(await store.head(), {
        event: count,
        position: count,
        dropped: count,
      });
      await subscription.close();
      calls = 0;
      await store.append(stream, newEvents(1), 0n);
      // A new subscription gets the event: the closed one would have had it by then.
      let told = false;
      const witness = store.subscribe(before, {
        event: () => (told = true),
        position: () => {},
        dropped: () => {},
      });
      await until(() => told);
      await witness.close();
      expect(calls).toBe(0);
    });
  });
}
