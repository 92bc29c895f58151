import type { ActivityStarted } from '@carillon/contracts';
import { inMemoryEventStore, Keys, Log } from '@carillon/event-store';
import type { Decider } from '@carillon/eventing';
import { KeyRing, newId, streamTail } from '@carillon/signing';
import { activityProps, activityStarted, streamMetadata } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { Contents } from './contents.service';

const activities: Decider<null, ActivityStarted> = {
  category: 'activity',
  initial: null,
  evolve: () => null,
  personal: { ActivityStarted: ['sourceName', 'props', 'prompt'] },
};
const prompt = {
  id: 'int_1',
  kind: 'yes_no',
  primaryLabel: 'Secret',
  secondaryLabel: null,
  actionDigest: '',
} as const;

async function cached(accountId: string) {
  const store = inMemoryEventStore();
  const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
  const log = new Log(store, Keys.fromRing(ring, store));
  const started = activityStarted({
    activityId: newId('act', 1),
    accountId,
    props: activityProps({ title: 'Secret' }),
    prompt,
  });
  const metadata = streamMetadata(accountId, { accountId });
  await log.appendTo(activities, streamTail(started.activityId), [started], 'any', metadata);
  const raw = await store.read(`activity-${streamTail(started.activityId)}`);
  const [recorded] = await log.open(raw);
  const contents = new Contents(log);
  contents.onEvent(recorded!);
  return {
    contents,
    recorded: recorded!,
    find: () => contents.find(started.activityId, 1),
    /** In another process, of which this one reads. */
    deleteAccount: async () => {
      await Keys.fromRing(ring, store).shred(accountId);
      await log.open([{ ...raw[0]!, type: 'AccountForgotten', data: {} }]);
    },
  };
}

describe('the cached text of an activity', () => {
  it('is dropped when its account is deleted', async () => {
    const { find, deleteAccount } = await cached('usr_1');
    expect(await find()).toMatchObject({ props: { title: 'Secret' }, prompt: { primaryLabel: 'Secret' } });
    await deleteAccount();
    expect(await find()).toBeUndefined();
  });

  it('is not cached again by an event that was decrypted before', async () => {
    const { contents, recorded, find, deleteAccount } = await cached('usr_1');
    await deleteAccount();
    contents.onEvent(recorded);
    expect(await find()).toBeUndefined();
  });
});
