import type { Decider, EventMetadata } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { randomBytes } from 'node:crypto';
import type { EventStore } from './event-store';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';
import { agreePartitions, divided, partitionOf } from './partition';

interface Said {
  readonly type: 'Said';
  readonly text: string | null;
  readonly accountId?: string;
  readonly recipients?: readonly string[];
}

const talk: Decider<number, Said> = {
  category: 'talk',
  initial: 0,
  evolve: (count) => count + 1,
  personal: { Said: ['text'] },
};
const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const logOf = (store: EventStore): Log => new Log(store, Keys.fromRing(ring, store));
const say = (): Said[] => [{ type: 'Said', text: 'hello' }];
const sayTo = (accountId: string, recipients: readonly string[]) => (): Said[] => [
  { type: 'Said', text: 'hello', accountId, recipients },
];
const [ada, ben] = ['acc_01kb0000004tw7v2c5m8qz9xre', 'acc_01kb0000004ga3n6p1s5d0kyhj'] as const;
const by = (accountId: string): EventMetadata => {
  const commandId = `${accountId}-${randomBytes(8).toString('hex')}`;
  return { commandId, correlationId: commandId, accountId, actor: { accountId } };
};

describe('the partition of an account or a team', () => {
  it.each([
    ['', 16, 11],
    [ada, 16, 4],
    [ben, 16, 0],
    [ada, 256, 164],
    [ada, 1, 0],
  ])('of %p with %i partitions is %i', (id, partitions, expected) =>
    expect(partitionOf(id, partitions)).toBe(expected),
  );

  it('follows from the part of its id that names its streams', () =>
    expect(partitionOf(ada.slice(-16), 16)).toBe(partitionOf(ada, 16)));

  it('is spread evenly', () => {
    const counts = new Array<number>(16).fill(0);
    for (let n = 0; n < 16_000; n += 1) counts[partitionOf(randomBytes(8).toString('hex'), 16)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1_150);
  });
});

describe('events', () => {
  it('name the partition of the account that began their stream, also those of other accounts', async () => {
    const store = inMemoryEventStore();
    await logOf(store).transact(talk, 't1', say, by(ada));
    await logOf(store).transact(talk, 't1', say, by(ben));
    const partitions = (await store.read('talk-t1')).map(({ metadata }) => metadata.partition);
    expect(partitions).toEqual([partitionOf(ada, 16), partitionOf(ada, 16)]);
    expect(partitionOf(ben, 16)).not.toBe(partitionOf(ada, 16));
  });

  it('name the partitions of all accounts that have a copy', async () => {
    const store = inMemoryEventStore();
    await logOf(store).transact(talk, 't1', sayTo(ada, [ben]), by(ada));
    const [event] = await store.read('talk-t1');
    expect(event?.metadata).toMatchObject({
      partition: partitionOf(ada, 16),
      alsoIn: [partitionOf(ben, 16)],
    });
  });

  it('are applied to the rows of some of their accounts where others are written elsewhere', async () => {
    const store = inMemoryEventStore();
    const log = logOf(store);
    await log.transact(talk, 't1', sayTo(ada, [ben]), by(ada));
    const [event] = await log.open(await store.read('talk-t1'));
    const accounts = divided(16, 'accounts');
    const bens = accounts.part(event!, (partition) => partition === partitionOf(ben, 16));
    expect(bens).toMatchObject({ event: { accountId: ada, text: 'hello', readers: [ben] } });
    expect(accounts.ofEvent(bens!)).toEqual([partitionOf(ben, 16)]);
    expect(accounts.part(event!, () => true)).toBe(event);
    expect(accounts.part(event!, () => false)).toBeUndefined();
    expect(divided(16, 'subjects').ofEvent(event!)).toEqual([partitionOf(ada, 16)]);
  });

  it('of a stream that two accounts begin at once name one partition', async () => {
    const store = inMemoryEventStore();
    const expectNew = { expectNew: true };
    await Promise.all([
      logOf(store).transact(talk, 't1', say, by(ada), expectNew),
      logOf(store).transact(talk, 't1', say, by(ben), expectNew),
    ]);
    const [first, second] = await store.read('talk-t1');
    expect(second!.metadata.partition).toBe(first!.metadata.partition);
  });

  it('of a stream from before partitions stay in partition 0', async () => {
    const store = inMemoryEventStore();
    const log = logOf(store);
    await log.transact(talk, 't1', say, by(ada));
    const [{ id: _, metadata, ...old }] = (await store.read('talk-t1')) as [
      Awaited<ReturnType<EventStore['read']>>[0],
    ];
    const { partition: __, ...before } = metadata;
    await store.append(
      'talk-t2',
      [{ ...old, id: '6f6f0ac5-8f0e-4e0b-9a55-0b3f6d1d0c01', metadata: before }],
      'no_stream',
    );
    await log.transact(talk, 't2', say, by(ada));
    const again = await store.readLast('talk-t2');
    expect(again!.metadata.partition).toBe(0);
  });
});

describe('the number of partitions', () => {
  it('is written at the first start, and is the same at the next one', async () => {
    const store = inMemoryEventStore();
    await agreePartitions(store, 16);
    await agreePartitions(store, 16);
    const events = await store.read('partitions-installation');
    expect(events.map(({ data }) => data)).toEqual([{ partitions: 16 }]);
  });

  it('cannot be changed', async () => {
    const store = inMemoryEventStore();
    await agreePartitions(store, 16);
    await expect(agreePartitions(store, 8)).rejects.toThrow(
      'CARILLON_PARTITIONS is 8, but the log was begun with 16 partitions, which cannot be changed: ' +
        'set CARILLON_PARTITIONS to 16.',
    );
  });

  it('is one number when several processes start first at once', async () => {
    const store = inMemoryEventStore();
    const outcomes = await Promise.allSettled([16, 8, 16, 8].map((each) => agreePartitions(store, each)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(await store.read('partitions-installation')).toHaveLength(1);
  });
});
