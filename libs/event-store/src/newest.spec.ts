import { newEvent } from './event-store.contract.spec';
import { inMemoryEventStore } from './in-memory';
import { Newest } from './newest';

it('the newest position is never older than the call, and calls during a read share the next one', async () => {
  const store = inMemoryEventStore();
  let reads = 0;
  let go = (): void => {};
  const newest = new Newest({
    head: async () => {
      reads += 1;
      const head = await store.head();
      if (reads === 1) await new Promise<void>((resolve) => (go = resolve));
      return head;
    },
  });
  const first = newest.position();
  while (reads === 0) await Promise.resolve();
  const { position } = await store.append('bell-1', [newEvent('Rung')], 'any');
  const during = [newest.position(), newest.position(), newest.position()];
  await new Promise((resolve) => setImmediate(resolve));
  go();
  expect(await first).toBeLessThan(position);
  expect(await Promise.all(during)).toEqual([position, position, position]);
  expect(reads).toBe(2);
});

it('a failed read fails its own calls only', async () => {
  const store = inMemoryEventStore();
  const { position } = await store.append('bell-1', [newEvent('Rung')], 'any');
  let isAway = true;
  const newest = new Newest({
    head: () => (isAway ? Promise.reject(new Error('The store is away')) : store.head()),
  });
  await expect(newest.position()).rejects.toThrow('The store is away');
  isAway = false;
  expect(await newest.position()).toBe(position);
});
