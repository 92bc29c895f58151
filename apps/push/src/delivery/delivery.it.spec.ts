import { Push } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { newId } from '@carillon/signing';
import { contextOf, eventually, newAccount } from '@carillon/testkit';
import {
  activeOf,
  begin,
  bus,
  clearFaults,
  clock,
  fault,
  noRowsLeft,
  phone,
  type Received,
  received,
  recorded,
  reports,
  rows,
  send,
  service,
  settled,
  signalOf,
  signals,
  simulator,
  start,
  stop,
  waitingRow,
} from './testbed';

beforeAll(() => begin(), 60_000);
afterAll(stop, 60_000);
afterEach(clearFaults);

describe('a notification', () => {
  it('is accepted for two phones and reported once', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await send(phones, { url: 'https://ci.example.test/1', projectId: 'web' });
    const report = await settled(id);

    expect(report).toMatchObject({ subjectId: id, accountId: account, accepted: 2, final: true });
    expect(report.receipts.map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ['accepted', null],
      ['accepted', null],
    ]);
    expect(await reports(id)).toHaveLength(1);
    await eventually(
      async () => ((await rows(id)).length === 0 ? true : undefined),
      () => 'rows were left',
    );
    expect(await signalOf(id)).toEqual({ accepted: 2, final: true, position: expect.any(String) });
    // A request that has missed the signal gets the same answer.
    const { position } = await bus.ask(Push.outcome, { subjectId: id }, contextOf(account));
    expect(position).toBe((await signalOf(id)).position);

    const [[onIphone], [onAndroid]] = (await Promise.all(phones.map(received))) as [Received[], Received[]];
    expect(onIphone).toMatchObject({
      shown: true,
      headers: { 'apns-push-type': 'alert', 'apns-collapse-id': id },
      payload: {
        aps: { alert: { title: 'Build finished', body: 'main is green' }, 'thread-id': 'web' },
        carillon: { type: 'notification', id, url: 'https://ci.example.test/1' },
      },
    });
    expect(onAndroid).toMatchObject({ shown: true, payload: { data: { type: 'notification', id } } });
  });

  it('is reported in its interim state on request', async () => {
    const account = newAccount();
    const phones = [await phone(account, 'ios'), await phone(account, 'android')];
    await fault({ phoneId: phones[0]!.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send(phones);
    await waitingRow(id, (row) => row.failures === 1);
    await eventually(
      async () =>
        (await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value.accepted === 1 ||
        undefined,
      () => 'one should be accepted',
    );
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 1,
      targets: 2,
      final: false,
      reported: null,
    });
    const once = (await bus.ask(Push.report, { subjectId: id }, contextOf(account))).value;
    expect(once).toEqual({ accepted: 1, targets: 2, final: false, reported: 1 });
    expect((await bus.ask(Push.report, { subjectId: id }, contextOf(account))).value).toEqual(once);

    await simulator.call('DELETE', '/faults');
    await clock.advance(3_000);
    await settled(id);
    expect((await reports(id)).map(({ accepted, final }) => [accepted, final])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 2,
      targets: 2,
      final: true,
      reported: 1,
    });
    await expect(bus.ask(Push.outcome, { subjectId: id }, contextOf(newAccount()))).rejects.toMatchObject({
      reason: 'delivery.not_found',
    });
    await expect(
      bus.ask(Push.report, { subjectId: newId('anot', clock.ms()) }, contextOf(account)),
    ).rejects.toMatchObject({ reason: 'delivery.not_found' });
  });

  it('in a burst over a cold connection is sent completely, each push once', async () => {
    await simulator.call('POST', '/reset');
    await service.close();
    await start();
    const account = newAccount();
    const iphone = await phone(account, 'ios');
    const ids = await Promise.all(Array.from({ length: 150 }, () => send([iphone])));
    for (const id of ids) expect(await settled(id, 20_000)).toMatchObject({ accepted: 1 });
    const pushes = await received(iphone);
    expect(pushes.filter(({ verdict }) => verdict.status === 200)).toHaveLength(150);
  });
});

describe('a push token that cannot be decrypted', () => {
  it('ends its own push with an error, and the other devices are not pushed to again', async () => {
    const account = newAccount();
    const [lost, ...others] = [
      await phone(account, 'ios'),
      await phone(account, 'ios'),
      await phone(account, 'android'),
    ];
    await service
      .get(Database)
      .query(`UPDATE devices SET push_token = 'v1.gone.AA.AA.AA.AA' WHERE device_id = $1`, [lost!.deviceId]);
    const id = await send([lost!, ...others]);
    const report = await settled(id);
    expect(report.accepted).toBe(2);
    expect(report.receipts.find(({ deviceId }) => deviceId === lost!.deviceId)).toMatchObject({
      status: 'error',
      errorCode: 'token_unreadable',
    });
    await noRowsLeft(id);
    for (const each of others) expect(await received(each)).toHaveLength(1);
    // The key may become available again.
    expect(await activeOf(lost!)).toBe(true);
  });
});

describe('a phone', () => {
  it.each(['ios', 'android', 'web'] as const)(
    'without the app (%s) is not pushed to again',
    async (platform) => {
      const account = newAccount();
      const lost = await phone(account, platform);
      const kept = await phone(account, platform);
      await simulator.call('POST', `/phones/${lost.id}/uninstall`);
      const report = await settled(await send([lost, kept]));
      expect(report.accepted).toBe(1);
      expect(report.receipts.find(({ deviceId }) => deviceId === lost.deviceId)).toMatchObject({
        status: 'error',
        errorCode: { ios: 'Unregistered', android: 'registration-token-not-registered', web: 'http_410' }[
          platform
        ],
      });
      await eventually(
        async () => ((await activeOf(lost)) ? undefined : true),
        () => 'it is still active',
      );
      expect((await bus.ask(Push.targets, {}, contextOf(account))).value.deviceIds).toEqual([kept.deviceId]);
      expect(await received(lost)).toHaveLength(1);
    },
  );

  it('that registered after Apple recorded its app as removed is kept', async () => {
    const iphone = await phone(newAccount(), 'ios');
    const database = service.get(Database);
    await simulator.call('POST', `/phones/${iphone.id}/uninstall`);
    await database.query(
      `UPDATE devices SET token_since = now() + interval '1 minute' WHERE device_id = $1`,
      [iphone.deviceId],
    );
    expect((await settled(await send([iphone]))).receipts).toEqual([
      expect.objectContaining({ status: 'error', errorCode: 'Unregistered' }),
    ]);
    expect(await activeOf(iphone)).toBe(true);
  });

  it('with an address unknown to Apple is deactivated', async () => {
    const iphone = await phone(newAccount(), 'ios');
    await simulator.call('DELETE', `/phones/${iphone.id}`);
    expect((await settled(await send([iphone]))).receipts).toEqual([
      expect.objectContaining({ status: 'error', errorCode: 'BadDeviceToken' }),
    ]);
    await eventually(
      async () => ((await activeOf(iphone)) ? undefined : true),
      () => 'it is still active',
    );
  });
});

describe('a push to phones of several accounts', () => {
  it('rings on each, is reported once, and has its recipients', async () => {
    const [anns, bobs] = [await phone(newAccount(), 'ios'), await phone(newAccount(), 'android')];
    const id = await send([anns, bobs], { recipients: [bobs.account] });
    await eventually(
      async () => ((await recorded(id)).length > 0 ? true : undefined),
      () => 'nothing was reported',
    );
    expect(await recorded(id)).toMatchObject([
      { type: 'PushReported', accountId: anns.account, recipients: [bobs.account], accepted: 2, final: true },
    ]);
    expect(bobs.account).not.toBe(anns.account);
  });
});

it('thousands go through quickly', async () => {
  const account = newAccount();
  const phones = [await phone(account, 'ios'), await phone(account, 'android')];
  await settled(await send(phones));
  const count = 1_000;
  const began = Date.now();
  const ids: string[] = [];
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = 0; n < count / 50; n += 1) ids.push(await send(phones));
    }),
  );
  await Promise.all(
    ids.map((id) =>
      eventually(
        () => signals.get(id),
        () => `${id} is not settled`,
        60_000,
      ),
    ),
  );
  const seconds = (Date.now() - began) / 1000;
  process.stdout.write(`push: ${Math.round(count / seconds)} notifications/s to two phones each\n`);
  expect([...ids].every((id) => signals.get(id)!.accepted === 2)).toBe(true);
}, 90_000);
