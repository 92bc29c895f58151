import type { Context } from '@carillon/bus';
import { Push, operationsOf } from '@carillon/contracts';
import { Database, QueueRunner } from '@carillon/event-store';
import { KeyRing, newId } from '@carillon/signing';
import { contextOf, eventually, newAccount } from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { pushTokenContext } from '../device/devices.projection';
import {
  begin,
  bus,
  clearFaults,
  clock,
  fault,
  log,
  noRowsLeft,
  phone,
  reports,
  rows,
  send,
  service,
  settled,
  simulator,
  stop,
  waitingRow,
} from './testbed';

beforeAll(() => begin(), 60_000);
afterAll(stop, 60_000);
afterEach(clearFaults);

describe('an account with thousands of devices from before there was a limit', () => {
  const count = 7_500;
  let account: string;
  let deviceIds: string[];
  const database = () => service.get(Database);
  const deadLetters = (id: string) =>
    database().query<any>(`SELECT * FROM dead_letters WHERE subject_id = $1`, [id]);

  /** Rows as their projection writes them: most are gone by now, the tokens of the others were never Apple's. */
  beforeAll(async () => {
    account = newAccount();
    deviceIds = Array.from({ length: count }, () => newId('dev', clock.ms()));
    const ring = service.get(KeyRing);
    await database().query(
      `INSERT INTO devices (device_id, account_id, platform, active, push_token, push_environment, token_since,
         live_activities_capable, interactive_live_activities_capable, created_at, last_seen_at)
       SELECT id, $1, 'ios', token IS NOT NULL, token, 'sandbox', now(), false, false, now(), now()
       FROM unnest($2::text[], $3::text[]) AS n (id, token)`,
      [
        account,
        deviceIds,
        deviceIds.map((id, n) => (n % 10 === 0 ? ring.seal(randomUUID(), pushTokenContext(id)) : null)),
      ],
    );
  }, 60_000);
  afterAll(() => database().query(`DELETE FROM devices WHERE account_id = $1`, [account]));

  it('and one notification to them all: other pushes are sent meanwhile, it completes, and no rows remain', async () => {
    const neighbours = await Promise.all(
      (['ios', 'android', 'web'] as const).map((platform) => phone(newAccount(), platform)),
    );
    const flood = await send([{ id: '', deviceId: '', pushToken: '', account }], { deviceIds });
    await eventually(
      async () => ((await rows(flood)).length > 0 ? true : undefined),
      () => 'the flood did not begin',
    );
    const ids = [];
    for (let times = 0; times < 5; times += 1)
      for (const each of neighbours) {
        const id = await send([each]);
        expect(await settled(id)).toMatchObject({ accepted: 1 });
        if (times === 0) expect(await reports(flood)).toEqual([]);
        ids.push(id);
      }

    const report = await settled(flood, 60_000);
    expect(report).toMatchObject({ accepted: 0, final: true, targets: count });
    const noted = (await log.store.read(`delivery_receipts-${flood}`)).map(({ data }) => data as any);
    const receipts = [report, ...noted].flatMap((event) => event.receipts);
    expect(Math.max(...[report, ...noted].map((event) => event.receipts.length))).toBe(500);
    expect(new Set(receipts.map(({ deviceId }) => deviceId))).toEqual(new Set(deviceIds));
    await noRowsLeft(flood);
    expect(await reports(flood)).toHaveLength(1);
    expect((await bus.ask(Push.outcome, { subjectId: flood }, contextOf(account))).value).toEqual({
      accepted: 0,
      targets: count,
      final: true,
      reported: 0,
    });
    expect(await deadLetters(flood)).toEqual([]);
    expect(ids).toHaveLength(15);
  }, 120_000);

  it('sends a push to no more of them than the device limit', async () => {
    const { deviceIds: targets } = (await bus.ask(Push.targets, {}, contextOf(account))).value;
    expect(targets).toHaveLength(500);
  });

  it('with a report too large for the log: it is kept as a dead letter and not retried', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1);
    await database().query(
      `UPDATE deliveries SET state = 'error', error_code = repeat('x', 2000000), checked_at = now()
       WHERE subject_id = $1`,
      [id],
    );
    const [letter] = await eventually(
      async () => ((await deadLetters(id)).length > 0 ? deadLetters(id) : undefined),
      () => 'there is no dead letter',
    );
    expect(letter).toMatchObject({ account_id: iphone.account, reason: 'too_large' });
    expect(letter.content).toEqual([expect.objectContaining({ deviceId: iphone.deviceId })]);
    await noRowsLeft(id);
    expect(await reports(id)).toEqual([]);
    await simulator.call('DELETE', '/faults');
    expect(await settled(await send([iphone]))).toMatchObject({ accepted: 1 });

    // The operator sees the dead letter, and can retry it once it can be stored, or drop it.
    const { deadLetters: list, retryDeadLetter, dropDeadLetter } = operationsOf('push');
    const operator = { ...contextOf(''), caller: { accountId: '', process: 'operator' } };
    const letterById = { id };
    const isListed = async (): Promise<boolean> =>
      (await bus.ask(list, {}, operator)).value.deadLetters.some((each) => each.id === id);
    await expect(bus.ask(list, {}, contextOf(iphone.account))).rejects.toMatchObject({
      reason: 'operator.required',
    });
    expect((await bus.ask(list, {}, operator)).value.deadLetters).toContainEqual({
      service: 'push',
      queue: 'deliveries',
      id,
      accountId: iphone.account,
      reason: 'too_large',
      attempts: 1,
      since: expect.any(String),
    });
    // The count is exact, however many more there are than a list shows.
    await database().query(
      `INSERT INTO dead_letters (subject_id, account_id, reason, content)
       SELECT 'many ' || n, 'usr_many', 'too_large', '[]' FROM generate_series(1, 1500) n`,
    );
    expect(await service.get(QueueRunner).statuses()).toContainEqual(
      expect.objectContaining({ queue: 'deliveries', dead: 1_501 }),
    );
    await database().query(`DELETE FROM dead_letters WHERE account_id = 'usr_many'`);
    const again = (): object => ({ ...operator, commandId: randomUUID() });
    await expect(bus.ask(retryDeadLetter, letterById, again() as Context)).rejects.toMatchObject({
      reason: 'dead_letter.failed_again',
    });
    expect(await isListed()).toBe(true);
    await database().query(
      `UPDATE dead_letters SET content = jsonb_set(content, '{0,errorCode}', '"short"') WHERE subject_id = $1`,
      [id],
    );
    await bus.ask(retryDeadLetter, letterById, again() as Context);
    expect(await reports(id)).toHaveLength(1);
    expect(await isListed()).toBe(false);
    await expect(bus.ask(dropDeadLetter, letterById, again() as Context)).rejects.toMatchObject({
      reason: 'dead_letter.not_found',
    });
    const acts = (await log.store.read('operation-installation')).map(({ data }) => data);
    expect(acts.filter((act) => (act as { target: string }).target === id)).toEqual(
      Array(2).fill(expect.objectContaining({ action: 'dead_letter.retry', service: 'push' })),
    );
  });
});
