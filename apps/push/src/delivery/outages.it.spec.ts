import { eventually, newAccount } from '@carillon/testkit';
import {
  activeOf,
  begin,
  clearFaults,
  clock,
  fault,
  type Phone,
  phone,
  received,
  receivedCount,
  repeatedAs,
  reports,
  send,
  service,
  settled,
  simulator,
  start,
  stop,
  takenWith,
  transports,
  waitingRow,
} from './testbed';

beforeAll(() => begin(), 60_000);
afterAll(stop, 60_000);
afterEach(clearFaults);

describe.each(transports)('a provider of phones that are %s, with an outage,', (platform) => {
  it('that answers 503 once gets a retry two seconds later, with the same id', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable' }, 1);
    const id = await send([rung]);
    await waitingRow(id, (row) => row.failures === 1);
    await clock.advance(1_000);
    expect(await received(rung)).toHaveLength(1);
    await clock.advance(1_500);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(rung);
    expect(pushes.map(({ verdict }) => verdict.status)).toEqual([503, takenWith[platform]]);
    expect(new Set(pushes.map((push) => repeatedAs(platform, push))).size).toBe(1);
  });

  it('that keeps failing gets a retry every quarter of an hour, and none after a day', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { status: 500, reason: 'InternalServerError' });
    const id = await send([rung]);
    for (const [failures, ms] of [
      [1, 2_000],
      [2, 10_000],
      [3, 16 * 60_000],
    ] as const) {
      await waitingRow(id, (row) => row.failures === failures);
      await clock.advance(ms);
    }
    await waitingRow(id, (row) => row.failures === 4);
    await clock.advance(24 * 3_600_000);
    expect((await settled(id)).receipts).toEqual([
      expect.objectContaining({ status: 'error', errorCode: expect.any(String) }),
    ]);
    expect(await received(rung)).toHaveLength(4);
  });

  it('that accepts the push and loses the connection gets it again with the same id, and the phone shows it once', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { cut: 'after' }, 1);
    const id = await send([rung]);
    await waitingRow(id, (row) => row.ambiguous);
    await clock.advance(2_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(rung);
    expect(pushes).toHaveLength(2);
    const [first, second] = pushes.map((push) => repeatedAs(platform, push));
    expect(first).toBe(second);
    const { phone: shown } = await simulator.call('GET', `/phones/${rung.id}`);
    expect(shown.tray.filter((entry: { id: string }) => entry.id === id)).toHaveLength(1);
  });
});

describe('a provider', () => {
  it('that refuses streams gets an immediate retry', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { refuseStream: true }, 2);
    const id = await send([iphone]);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    expect((await received(iphone)).map(({ verdict }) => verdict.status)).toEqual([0, 0, 200]);
  });

  it('that sends GOAWAY gets a retry', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { goaway: true }, 1);
    const id = await send([iphone]);
    await waitingRow(id, (row) => row.failures === 1 && row.ambiguous);
    await clock.advance(2_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
  });

  it('that throttles gets a retry at the requested time, or a minute later when the library hides that time', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await fault({ phoneId: iphone.id }, { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 }, 1);
    const first = await send([iphone]);
    const row = await waitingRow(first, ({ throttles }) => throttles === 1);
    expect(row.due_at.getTime() - clock.ms()).toBeLessThanOrEqual(7_000);
    await clock.advance(7_000);
    await settled(first);

    const android = await phone(newAccount(), 'android');
    await fault({ phoneId: android.id }, { reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 7 }, 1);
    const second = await send([android]);
    const wait = await waitingRow(second, ({ throttles }) => throttles === 1);
    expect(wait.due_at.getTime() - clock.ms()).toBeGreaterThan(50_000);
    await clock.advance(8_000);
    expect(await reports(second)).toEqual([]);
    await clock.advance(53_000);
    expect(await settled(second)).toMatchObject({ accepted: 1 });
  });
});

describe('an expired provider token', () => {
  it('is renewed once for many concurrent pushes', async () => {
    await simulator.call('POST', '/reset');
    await service.close();
    await start();
    const iphone = await phone(newAccount(), 'ios');
    await settled(await send([iphone]));
    // All pushes are sent before the first is answered.
    await fault({ provider: 'apns' }, { status: 403, reason: 'ExpiredProviderToken', latencyMs: 1_000 }, 40);
    const ids = await Promise.all(Array.from({ length: 40 }, () => send([iphone])));
    for (const id of ids) expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(iphone);
    expect(new Set(pushes.map(({ headers }) => headers['authorization'])).size).toBe(2);
    expect(pushes.some(({ verdict }) => verdict.reason === 'TooManyProviderTokenUpdates')).toBe(false);
  });

  it('at Google is exchanged once for all pushes', async () => {
    const before = (await simulator.call('GET', '/stats')).oauth.requests;
    const android = await phone(newAccount(), 'android');
    await fault({ phoneId: android.id }, { status: 401, reason: 'UNAUTHENTICATED', latencyMs: 1_000 }, 10);
    const ids = await Promise.all(Array.from({ length: 10 }, () => send([android])));
    for (const id of ids) expect(await settled(id)).toMatchObject({ accepted: 1 });
    expect((await simulator.call('GET', '/stats')).oauth.requests - before).toBeLessThanOrEqual(2);
  });
});

describe('a rejected credential', () => {
  it('holds its pushes, deactivates no token, and resumes when it is accepted again', async () => {
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const android = await phone(account, 'android');
    await fault({ provider: 'apns' }, { status: 403, reason: 'InvalidProviderToken' });
    const first = await send([iphone, android]);
    await waitingRow(first, (row) => row.held !== null);
    expect(await received(iphone)).toHaveLength(1);

    const second = await send([iphone]);
    await waitingRow(second, (row) => row.held !== null);
    expect(await received(iphone)).toHaveLength(1);
    expect(await received(android)).toHaveLength(1);
    expect(await activeOf(iphone)).toBe(true);

    // One push probes every minute; unproven phones wait ten seconds longer than proven ones.
    await clock.advance(71_000);
    await receivedCount(iphone, 2);
    expect(await received(iphone)).toHaveLength(2);
    await simulator.call('DELETE', '/faults');
    await clock.advance(71_000);
    expect(await settled(first)).toMatchObject({ accepted: 2 });
    expect(await settled(second)).toMatchObject({ accepted: 1 });
    expect(await activeOf(iphone)).toBe(true);
  });
});

describe('phones with foreign addresses', () => {
  const foreign = async (account: string, count = 1): Promise<Phone[]> => {
    const phones: Phone[] = [];
    for (let n = 0; n < count; n += 1) {
      const made = await phone(account, 'android');
      await fault({ phoneId: made.id }, { status: 403, reason: 'SENDER_ID_MISMATCH' });
      phones.push(made);
    }
    return phones;
  };
  const rested = (id: string): Promise<any> => waitingRow(id, (row) => row.failures > 0);

  it('of one account do not hold the pushes of other accounts, whether those are being accepted or not', async () => {
    await clock.advance(120_000);
    const phones = await foreign(newAccount(), 6);
    for (const each of phones) expect(await rested(await send([each]))).toMatchObject({ held: null });
    const neighbour = await phone(newAccount(), 'android');
    expect(await settled(await send([neighbour]))).toMatchObject({ accepted: 1 });
    for (const each of phones) expect(await activeOf(each)).toBe(true);
  });

  it('of many accounts make the credential doubtful, but accounts without such phones are pushed to at once', async () => {
    const known = await phone(newAccount(), 'android');
    await settled(await send([known]));
    // What still waits from before is accepted with the first, and long ago with the second.
    for (let times = 0; times < 2; times += 1) await clock.advance(120_000);
    const bad = (await Promise.all([0, 1, 2].map(() => foreign(newAccount())))).flat();
    const held: string[] = [];
    for (const each of bad) {
      const id = await send([each]);
      await rested(id);
      held.push(id);
    }
    const late = await send([(await foreign(bad[0]!.account))[0]!]);
    await waitingRow(late, (row) => row.held === 'fcm');
    for (const each of [known, await phone(newAccount(), 'android')])
      expect(await settled(await send([each]))).toMatchObject({ accepted: 1 });
    // Held pushes are retried once one is accepted; from then on each address has its own backoff.
    expect(await rested(late)).toMatchObject({ held: null });
  });

  it('have their own backoff, and are deactivated when others are accepted and they never are', async () => {
    const [bad] = await foreign(newAccount());
    const good = await phone(newAccount(), 'android');
    const id = await send([bad!]);
    await rested(id);
    // Other pushes to the same address wait as well.
    const other = await send([bad!]);
    await waitingRow(other, (row) => row.due_at.getTime() > clock.ms() + 30_000);
    expect(await received(bad!)).toHaveLength(1);
    for (const ms of [61_000, 122_000]) {
      await settled(await send([good]));
      await clock.advance(ms);
    }
    for (const each of [id, other])
      expect((await settled(each)).receipts).toEqual([
        expect.objectContaining({ status: 'error', errorCode: expect.any(String) }),
      ]);
    await eventually(
      async () => ((await activeOf(bad!)) ? undefined : true),
      () => 'it is still active',
    );
    expect(await activeOf(good)).toBe(true);
  });
});
