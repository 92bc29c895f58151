import { Database, Projections } from '@carillon/event-store';
import { end, eventually, newAccount, startServiceProcess } from '@carillon/testkit';
import {
  activeOf,
  ask,
  begin,
  cancel,
  cleared,
  clearFaults,
  clock,
  fault,
  noRowsLeft,
  phone,
  pushTypesOf,
  received,
  receivedCount,
  recorded,
  repeatedAs,
  reports,
  rows,
  send,
  service,
  settled,
  start,
  stop,
  transports,
  trayOf,
  typesOf,
  waitingRow,
} from './testbed';

beforeAll(() => begin(), 60_000);
afterAll(stop, 60_000);
afterEach(clearFaults);

describe('a push whose results the database does not take at once', () => {
  /** The database refuses this many statements that save the end of a push to a phone. */
  async function refuseEnds(count: number): Promise<void> {
    await service.get(Database).query(
      `CREATE SEQUENCE refused_ends;
       CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('refused_ends') <= ${count} THEN RAISE EXCEPTION 'too slow' USING ERRCODE = '57014'; END IF;
         RETURN NEW; END $$;
       CREATE TRIGGER refuse_ends BEFORE UPDATE ON deliveries
         FOR EACH ROW WHEN (NEW.state = 'accepted') EXECUTE FUNCTION refuse_end()`,
    );
  }
  afterEach(() =>
    service.get(Database).query(`DROP FUNCTION refuse_end CASCADE; DROP SEQUENCE refused_ends`),
  );

  it.each([
    { when: 'while another phone is being pushed to', latencyMs: 1_500, refused: 1 },
    { when: 'at its end', latencyMs: 0, refused: 2 },
  ])('$when is not sent again', async ({ latencyMs, refused }) => {
    const account = newAccount();
    const [iphone, ipad] = [await phone(account, 'ios'), await phone(account, 'ios')];
    await fault({ phoneId: ipad.id }, { status: 503, reason: 'ServiceUnavailable', latencyMs }, 1);
    await refuseEnds(refused);
    const id = await send([iphone, ipad]);
    await waitingRow(id, (row) => row.failures === 1);
    await eventually(
      async () => (await rows(id)).some(({ state }) => state === 'accepted') || undefined,
      () => 'the accepted push was not saved',
    );
    await clock.advance(11_000);
    expect(await settled(id)).toMatchObject({ accepted: 2 });
    expect(await received(iphone)).toHaveLength(1);
  });
});

describe.each(transports)('after a crash, with a phone that is %s,', (platform) => {
  it('a push under way is released and sent again with the same id', async () => {
    const account = newAccount();
    const rung = await phone(account, platform);
    const android = await phone(account, 'android');
    await service.close();
    const child = await startServiceProcess('push');
    await start();
    // The child process leased the push; the provider accepts it, and the answer comes too late for the child.
    await fault({ phoneId: rung.id }, { latencyMs: 20_000 }, 1);
    const id = await send([rung, android]);
    await receivedCount(rung, 1);
    await end(child, 'SIGKILL');
    const report = await settled(id, 45_000);
    expect(report.accepted).toBe(2);
    const pushes = await received(rung);
    expect(pushes.length).toBeGreaterThan(1);
    expect(new Set(pushes.map((push) => repeatedAs(platform, push))).size).toBe(1);
    expect(await trayOf(rung)).toMatchObject([{ id }]);
    expect(await reports(id)).toHaveLength(1);
  }, 90_000);

  it.each(['the prompt', 'its clearing'])(
    'while %s was under way the prompt leaves the phone',
    async (what) => {
      const rung = await phone(newAccount(), platform);
      await service.close();
      const child = await startServiceProcess('push');
      await start();
      const slow = { latencyMs: 20_000 };
      if (what === 'the prompt')
        await fault({ phoneId: rung.id, pushType: pushTypesOf(platform).prompt }, slow, 1);
      const id = await ask([rung]);
      if (what !== 'the prompt') {
        await settled(id);
        await fault({ phoneId: rung.id, pushType: pushTypesOf(platform).withdraw }, slow, 1);
      } else await receivedCount(rung, 1);
      await cancel(id, rung);
      if (what !== 'the prompt') await receivedCount(rung, 2);
      else
        await eventually(
          async () => (await rows(`withdraw:${id}`)).length > 0 || undefined,
          () => 'the end was not met',
        );
      await end(child, 'SIGKILL');
      expect(await cleared(id, 45_000)).toMatchObject({ reached: 1, cleared: 1 });
      expect(await trayOf(rung)).toEqual([]);
      const types = typesOf(await received(rung));
      expect(types.filter((type) => type === 'prompt')).toHaveLength(1);
      expect(types.at(-1)).toBe('withdraw');
      expect((await recorded(id)).filter(({ type }) => type === 'PushCleared')).toHaveLength(1);
      await noRowsLeft(id);
    },
    90_000,
  );

  it('there are no leases left: a service that is stopped finishes the pushes that it has begun', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { latencyMs: 1_500 });
    const id = await send([rung]);
    await receivedCount(rung, 1);
    await service.close();
    await start();
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await received(rung)).toHaveLength(1);
  });

  it('a settled push without a report is reported', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([rung]);
    await waitingRow(id, (row) => row.failures === 1);
    await service
      .get(Database)
      .query(`UPDATE deliveries SET state = 'accepted', checked_at = now() WHERE subject_id = $1`, [id]);
    expect(await settled(id)).toMatchObject({ accepted: 1, final: true });
  });

  it('of the database alone, no reported push is sent again', async () => {
    const account = newAccount();
    const rung = await phone(account, platform);
    const prompt = await ask([rung]);
    const open = await ask([rung]);
    const ids = [await send([rung]), await send([rung]), prompt, open];
    for (const id of ids) await settled(id);
    await cancel(prompt, rung);
    await cleared(prompt);
    const before = (await received(rung)).length;
    const database = service.get(Database);
    await service.get(Projections).stop();
    await database.query(`TRUNCATE deliveries, devices, prompts, projection_checkpoints`);
    await service.close();
    await start();
    const late = await send([rung]);
    expect(await settled(late, 20_000)).toMatchObject({ accepted: 1 });
    expect(await received(rung)).toHaveLength(before + 1);
    await eventually(
      async () =>
        (await service.get(Database).query(`SELECT 1 FROM deliveries`)).length === 0 ? true : undefined,
      () => 'rows were left',
    );
    expect(await activeOf(rung)).toBe(true);
    // A prompt from before the crash is still known.
    await cancel(open, rung);
    expect(await cleared(open)).toMatchObject({ reached: 1, cleared: 1 });
  }, 60_000);
});
