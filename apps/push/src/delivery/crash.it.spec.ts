import { Database, Projections } from '@carillon/event-store';
import { end, eventually, newAccount, startServiceProcess } from '@carillon/testkit';
import {
  activeOf,
  ask,
  begin,
  cancel,
  cleared,
  clearFaults,
  fault,
  noRowsLeft,
  phone,
  received,
  receivedCount,
  recorded,
  reports,
  rows,
  send,
  service,
  settled,
  start,
  stop,
  trayOf,
  typesOf,
  waitingRow,
} from './testbed';

beforeAll(() => begin(), 60_000);
afterAll(stop, 60_000);
afterEach(clearFaults);

describe('after a crash', () => {
  it('a push under way is released and sent again with the same id', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const android = await phone(account, 'android');
    await service.close();
    const child = await startServiceProcess('push');
    await start();
    // The child process leased the push; the provider accepts it, and the answer comes too late for the child.
    await fault({ phoneId: iphone.id }, { latencyMs: 20_000 }, 1);
    const id = await send([iphone, android]);
    await receivedCount(iphone, 1);
    await end(child, 'SIGKILL');
    const report = await settled(id, 45_000);
    expect(report.accepted).toBe(2);
    const ids = (await received(iphone)).map(({ headers }) => headers['apns-id']);
    expect(new Set(ids).size).toBe(1);
    expect(await reports(id)).toHaveLength(1);
  }, 90_000);

  it.each(['the prompt', 'its clearing'])(
    'while %s was under way the prompt leaves the phone',
    async (what) => {
      const iphone = await phone(newAccount(), 'ios');
      await service.close();
      const child = await startServiceProcess('push');
      await start();
      const slow = { latencyMs: 20_000 };
      if (what === 'the prompt') await fault({ phoneId: iphone.id, pushType: 'alert' }, slow, 1);
      const id = await ask([iphone]);
      if (what !== 'the prompt') {
        await settled(id);
        await fault({ phoneId: iphone.id, pushType: 'background' }, slow, 1);
      } else await receivedCount(iphone, 1);
      await cancel(id, iphone);
      if (what !== 'the prompt') await receivedCount(iphone, 2);
      else
        await eventually(
          async () => (await rows(`withdraw:${id}`)).length > 0 || undefined,
          () => 'the end was not met',
        );
      await end(child, 'SIGKILL');
      expect(await cleared(id, 45_000)).toMatchObject({ reached: 1, cleared: 1 });
      expect(await trayOf(iphone)).toEqual([]);
      const types = typesOf(await received(iphone));
      expect(types.filter((type) => type === 'prompt')).toHaveLength(1);
      expect(types.at(-1)).toBe('withdraw');
      expect((await recorded(id)).filter(({ type }) => type === 'PushCleared')).toHaveLength(1);
      await noRowsLeft(id);
    },
    90_000,
  );

  it('there are no leases left: a service that is stopped finishes the pushes that it has begun', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { latencyMs: 1_500 });
    const id = await send([iphone]);
    await receivedCount(iphone, 1);
    await service.close();
    await start();
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await received(iphone)).toHaveLength(1);
  });

  it('a settled push without a report is reported', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    await service
      .get(Database)
      .query(`UPDATE deliveries SET state = 'accepted', checked_at = now() WHERE subject_id = $1`, [id]);
    expect(await settled(id)).toMatchObject({ accepted: 1, final: true });
  });

  it('of the database alone, no reported push is sent again', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const prompt = await ask([iphone]);
    const open = await ask([iphone]);
    const ids = [await send([iphone]), await send([iphone]), prompt, open];
    for (const id of ids) await settled(id);
    await cancel(prompt, iphone);
    await cleared(prompt);
    const before = (await received(iphone)).length;
    const database = service.get(Database);
    await service.get(Projections).stop();
    await database.query(`TRUNCATE deliveries, devices, prompts, projection_checkpoints`);
    await service.close();
    await start();
    const late = await send([iphone]);
    expect(await settled(late, 20_000)).toMatchObject({ accepted: 1 });
    expect(await received(iphone)).toHaveLength(before + 1);
    await eventually(
      async () =>
        (await service.get(Database).query(`SELECT 1 FROM deliveries`)).length === 0 ? true : undefined,
      () => 'rows were left',
    );
    expect(await activeOf(iphone)).toBe(true);
    // A prompt from before the crash is still known.
    await cancel(open, iphone);
    expect(await cleared(open)).toMatchObject({ reached: 1, cleared: 1 });
  }, 60_000);
});
