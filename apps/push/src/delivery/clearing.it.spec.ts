import { Push } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { streamTail } from '@carillon/signing';
import { contextOf, eventually, streamMetadata, newAccount } from '@carillon/testkit';
import {
  activeOf,
  ask,
  begin,
  bus,
  cancel,
  canceling,
  cleared,
  clearFaults,
  clock,
  fault,
  interactions,
  log,
  noRowsLeft,
  phone,
  pushTypesOf,
  question,
  type Received,
  received,
  receivedCount,
  recorded,
  rows,
  send,
  service,
  settled,
  signalOf,
  simulator,
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

const silentOn = {
  ios: (id: string) => ({
    headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
    payload: { aps: { 'content-available': 1 }, carillon: { type: 'withdraw', id } },
  }),
  web: (id: string) => ({
    headers: { urgency: 'normal' },
    payload: { notification: { silent: true, tag: id, data: { kind: 'withdraw', id } } },
  }),
};
const promptOn = {
  ios: (id: string) => ({
    headers: { 'apns-push-type': 'alert', 'apns-collapse-id': id },
    payload: {
      aps: { category: 'CARILLON_APPROVAL', 'interruption-level': 'time-sensitive' },
      carillon: { type: 'prompt', id },
    },
  }),
  web: (id: string) => ({
    headers: { urgency: 'high', topic: id },
    payload: { notification: { tag: id, data: { kind: 'prompt', category: 'CARILLON_APPROVAL' } } },
  }),
};

describe.each(transports)('clearing a push from phones, of which one is %s,', (platform) => {
  const clear = async (id: string, account: string) =>
    (await bus.ask(Push.clear, { subjectId: id }, contextOf(account))).value;

  it('sends the command to each provider that accepted the push, and only once', async () => {
    const account = newAccount();
    const phones = [await phone(account, platform), await phone(account, 'android')];
    const id = await send(phones);
    await settled(id);
    expect(await clear(id, account)).toEqual({ reached: 2, cleared: 2 });
    expect(await clear(id, account)).toEqual({ reached: 2, cleared: 2 });
    const [, silent] = await receivedCount(phones[0]!, 2);
    expect(silent).toMatchObject(silentOn[platform](id));
    expect((await received(phones[1]!)).map(({ payload }) => payload.data?.type)).toEqual([
      'notification',
      'withdraw',
    ]);
    for (const { id: phoneId } of phones)
      expect((await simulator.call('GET', `/phones/${phoneId}`)).phone.tray).toEqual([]);
    expect((await recorded(id)).filter(({ type }) => type === 'PushCleared')).toHaveLength(1);
  });

  it('stops a push that still waits for its retry', async () => {
    const account = newAccount();
    const [waiting, had] = [await phone(account, platform), await phone(account, 'android')];
    await fault({ phoneId: waiting.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await send([waiting, had]);
    await waitingRow(id, (row) => row.failures === 1);
    await eventually(
      async () => (await rows(id)).some((row) => row.state === 'accepted') || undefined,
      () => 'the other should have it',
    );
    expect(await clear(id, account)).toEqual({ reached: 1, cleared: 1 });
    await simulator.call('DELETE', '/faults');
    await clock.advance(3_600_000);
    const report = await settled(id);
    expect(report.receipts.map(({ status, errorCode }) => [status, errorCode]).sort()).toEqual([
      ['accepted', null],
      ['error', 'superseded'],
    ]);
    expect(await received(waiting)).toHaveLength(1);
  });

  it.each([
    ['is under way', { latencyMs: 8_000 }, 2],
    ['may have got through', { cut: 'after' }, 1],
  ])(
    'takes it off a phone, too, whose push %s',
    async (_, effect, accepted) => {
      const account = newAccount();
      const [had, other] = [await phone(account, 'android'), await phone(account, platform)];
      await fault({ phoneId: other.id, pushType: pushTypesOf(platform).notification }, effect, 1);
      const id = await send([had, other]);
      await receivedCount(other, 1);
      await eventually(
        async () => (await rows(id)).some((row) => row.state === 'accepted') || undefined,
        () => 'one should have it',
      );
      expect(await clear(id, account)).toEqual({ reached: 1, cleared: 1 });
      expect(await settled(id, 30_000)).toMatchObject({ accepted });
      const clearings = async () => (await recorded(id)).filter(({ type }) => type === 'PushCleared');
      await eventually(
        async () => {
          await clock.advance(2_000);
          return (await clearings()).length > 1 || undefined;
        },
        () => 'the other was not cleared',
        30_000,
      );
      expect(await clearings()).toMatchObject([
        { reached: 1, cleared: 1, left: [other.deviceId] },
        { reached: 2, cleared: 2 },
      ]);
      for (const each of [had, other]) expect(await trayOf(each)).toEqual([]);
      await noRowsLeft(id);
      expect(await clear(id, account)).toEqual({ reached: 2, cleared: 2 });
    },
    60_000,
  );

  it('that no provider accepts changes nothing', async () => {
    const account = newAccount();
    const rung = await phone(account, platform);
    const id = await send([rung]);
    await settled(id);
    await fault({ phoneId: rung.id }, { status: 400, reason: 'BadCollapseId' });
    expect(await clear(id, account)).toEqual({ reached: 1, cleared: 0 });
    expect((await recorded(id)).map(({ type }) => type)).toEqual(['PushReported']);
    await simulator.call('DELETE', '/faults');
    expect(await clear(id, account)).toEqual({ reached: 1, cleared: 1 });
  });

  it('waits at most ten seconds for a failing provider', async () => {
    const account = newAccount();
    const rung = await phone(account, platform);
    const id = await send([rung]);
    await settled(id);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable' }, 1);
    const asked = clear(id, account);
    await receivedCount(rung, 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await clock.advance(2_000);
    expect(await asked).toEqual({ reached: 1, cleared: 1 });
  });

  it('of another account is refused', async () => {
    const rung = await phone(newAccount(), platform);
    const id = await send([rung]);
    await settled(id);
    await expect(clear(id, newAccount())).rejects.toMatchObject({ reason: 'delivery.not_found' });
  });
});

describe.each(transports)('a prompt to phones, of which one is %s,', (platform) => {
  it('is shown on both phones with its buttons, and reported as a push', async () => {
    const account = newAccount();
    const phones = [await phone(account, platform), await phone(account, 'android')];
    const id = await ask(phones, { primaryLabel: 'Ship it' });
    expect(await settled(id)).toMatchObject({ subjectId: id, accepted: 2, final: true });
    expect(await signalOf(id)).toMatchObject({ accepted: 2, final: true });
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 2,
      targets: 2,
      final: true,
      reported: 2,
    });
    const [[onOne], [onAndroid]] = (await Promise.all(phones.map(received))) as [Received[], Received[]];
    expect(onOne).toMatchObject({ shown: true, ...promptOn[platform](id) });
    // 10 is the default of APNs.
    expect(onOne!.headers['apns-priority'] ?? '10').toBe('10');
    const { 'apns-expiration': until, ttl } = onOne!.headers;
    expect(Number(ttl ?? Number(until) - clock.ms() / 1000)).toBeLessThanOrEqual(3_600);
    expect(onAndroid).toMatchObject({
      shown: true,
      payload: { data: { type: 'prompt', id }, android: { priority: 'high' } },
    });
    for (const each of phones)
      expect(await trayOf(each)).toMatchObject([
        {
          promptId: id,
          title: 'Deploy?',
          body: 'Deploy main to production?',
          actionDigest: `sha256:${'0'.repeat(64)}`,
          actions: [
            { answer: 'approved', label: 'Ship it' },
            { answer: 'denied', label: 'Deny' },
          ],
        },
      ]);
  });

  it('without settled pushes has an outcome, and is reported in its interim state', async () => {
    const account = newAccount();
    const rung = await phone(account, platform);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await ask([rung]);
    await waitingRow(id, (row) => row.failures === 1);
    const about = { subjectId: id };
    expect((await bus.ask(Push.outcome, about, contextOf(account))).value).toMatchObject({ reported: null });
    expect((await bus.ask(Push.report, about, contextOf(account))).value).toMatchObject({
      accepted: 0,
      final: false,
      reported: 0,
    });
    await expect(bus.ask(Push.outcome, about, contextOf(newAccount()))).rejects.toMatchObject({
      reason: 'delivery.not_found',
    });
  });

  it('that is shown as a live activity is not pushed here', async () => {
    const account = newAccount();
    const rung = await phone(account, platform);
    const id = await ask([rung], { presentation: 'live_activity' });
    const end = { ...canceling(id, account), presentation: 'live_activity' as const };
    await log.appendTo(interactions, streamTail(id), [end], 0n, streamMetadata(account));
    // A later event has been processed.
    await settled(await send([rung]));
    expect(typesOf(await received(rung))).toEqual(['notification']);
    expect((await bus.ask(Push.outcome, { subjectId: id }, contextOf(account))).value).toEqual({
      accepted: 0,
      targets: 0,
      final: true,
      reported: 0,
    });
  });

  it('that ends is cleared from all phones, once, by a silent push to each', async () => {
    const account = newAccount();
    const phones = [await phone(account, platform), await phone(account, 'android')];
    const id = await ask(phones);
    await settled(id);
    await cancel(id, phones[0]!);
    expect(await cleared(id)).toMatchObject({ accountId: account, reached: 2, cleared: 2 });
    await noRowsLeft(id);
    const [onOne, onAndroid] = (await Promise.all(phones.map(received))) as [Received[], Received[]];
    expect([typesOf(onOne), typesOf(onAndroid)]).toEqual([
      ['prompt', 'withdraw'],
      ['prompt', 'withdraw'],
    ]);
    expect(onOne[1]).toMatchObject(silentOn[platform](id));
    expect(onAndroid[1]).toMatchObject({ payload: { android: { priority: 'normal' } } });
    for (const each of phones) expect(await trayOf(each)).toEqual([]);
    expect(await service.get(Database).query(`SELECT 1 FROM prompts WHERE prompt_id = $1`, [id])).toEqual([]);
  });

  it('with a phone removed meanwhile is cleared from the others', async () => {
    const account = newAccount();
    const phones = [await phone(account, platform), await phone(account, 'android')];
    const id = await ask(phones);
    await settled(id);
    await simulator.call('POST', `/phones/${phones[0]!.id}/uninstall`);
    await cancel(id, phones[0]!);
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 1 });
    expect(await trayOf(phones[1]!)).toEqual([]);
    await eventually(
      async () => ((await activeOf(phones[0]!)) ? undefined : true),
      () => 'the phone that is gone is still active',
    );
  });

  it('that reached no phone clears none', async () => {
    const rung = await phone(newAccount(), platform);
    await simulator.call('POST', `/phones/${rung.id}/uninstall`);
    const id = await ask([rung]);
    await settled(id);
    await cancel(id, rung);
    expect(await cleared(id)).toMatchObject({ reached: 0, cleared: 0 });
    expect(await received(rung)).toHaveLength(1);
    await noRowsLeft(id);
  });

  it('that ends while a push waits for its retry does not ring any more, and is cleared from the phone that has it', async () => {
    const account = newAccount();
    const [waiting, had] = [await phone(account, platform), await phone(account, 'android')];
    await fault({ phoneId: waiting.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await ask([waiting, had]);
    await waitingRow(id, (row) => row.failures === 1);
    await receivedCount(had, 1);
    await cancel(id, had);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    await simulator.call('DELETE', '/faults');
    await clock.advance(3_600_000);
    expect((await settled(id)).receipts.map(({ status, errorCode }) => [status, errorCode]).sort()).toEqual([
      ['accepted', null],
      ['error', 'superseded'],
    ]);
    expect(new Set((await received(waiting)).map(({ verdict }) => verdict.status))).toEqual(new Set([503]));
    expect(typesOf(await received(had))).toEqual(['prompt', 'withdraw']);
    await noRowsLeft(id);
  });

  it('with an ambiguous push before its end is cleared from that phone, too', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { cut: 'after' }, 1);
    const id = await ask([rung]);
    await waitingRow(id, (row) => row.ambiguous);
    expect(await trayOf(rung)).toHaveLength(1);
    await cancel(id, rung);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    expect(await trayOf(rung)).toEqual([]);
    expect((await settled(id)).receipts).toMatchObject([{ status: 'unknown', errorCode: 'superseded' }]);
  });

  it('that a crashed process may have sent is cleared from that phone, too', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable' }, 1);
    const id = await ask([rung]);
    await waitingRow(id, (row) => row.failures === 1);
    await service.get(Database).query(`UPDATE deliveries SET doubtful = true WHERE subject_id = $1`, [id]);
    await cancel(id, rung);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    expect((await settled(id)).receipts).toMatchObject([{ status: 'unknown', errorCode: 'superseded' }]);
  });

  it('that ends during its push is cleared after the push, and from the other phone at once', async () => {
    const account = newAccount();
    const [slow, quick] = [await phone(account, platform), await phone(account, 'android')];
    await fault({ phoneId: slow.id, pushType: pushTypesOf(platform).prompt }, { latencyMs: 8_000 }, 1);
    const id = await ask([slow, quick]);
    await receivedCount(slow, 1);
    await receivedCount(quick, 1);
    await cancel(id, quick);
    expect(typesOf(await receivedCount(quick, 2))).toEqual(['prompt', 'withdraw']);
    expect((await recorded(id)).some(({ type }) => type === 'PushCleared')).toBe(false);
    expect(typesOf(await received(slow))).toEqual(['prompt']);
    expect(await settled(id, 30_000)).toMatchObject({ accepted: 2 });
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 2 });
    expect(typesOf(await received(slow))).toEqual(['prompt', 'withdraw']);
    for (const each of [slow, quick]) expect(await trayOf(each)).toEqual([]);
    await noRowsLeft(id);
  }, 60_000);

  it('with a push that fails after its end is not retried', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable', latencyMs: 2_000 }, 1);
    const id = await ask([rung]);
    await receivedCount(rung, 1);
    await cancel(id, rung);
    expect((await settled(id)).receipts).toMatchObject([{ status: 'error', errorCode: 'superseded' }]);
    expect(await cleared(id)).toMatchObject({ reached: 0, cleared: 0 });
    await clock.advance(60_000);
    expect(await received(rung)).toHaveLength(1);
  });

  it('that has ended before it is processed does not ring', async () => {
    const rung = await phone(newAccount(), platform);
    const asked = question([rung]);
    const id = asked.interactionId;
    const events = [asked, canceling(id, rung.account)];
    await service.get(Projections).stop();
    await log.appendTo(interactions, streamTail(id), events, 'no_stream', streamMetadata(rung.account));
    await service.close();
    await start();
    expect(await settled(id)).toMatchObject({ accepted: 0 });
    expect(await cleared(id)).toMatchObject({ reached: 0, cleared: 0 });
    expect(await received(rung)).toEqual([]);
    await noRowsLeft(id);
  });

  it('is not sent any more once it has expired', async () => {
    const rung = await phone(newAccount(), platform);
    await fault({ phoneId: rung.id }, { status: 503, reason: 'ServiceUnavailable' });
    const id = await ask([rung], { expiresAt: new Date(clock.ms() + 30_000).toISOString() });
    await waitingRow(id, (row) => row.failures === 1);
    await clock.advance(31_000);
    expect((await settled(id)).receipts).toMatchObject([{ status: 'error' }]);
  });

  it('is cleared by a failing provider once its outage is over', async () => {
    const account = newAccount();
    const phones = [await phone(account, platform), await phone(account, 'android')];
    const id = await ask(phones);
    await settled(id);
    await fault({ phoneId: phones[0]!.id }, { status: 503, reason: 'ServiceUnavailable' }, 3);
    await cancel(id, phones[0]!);
    expect(
      await eventually(
        async () => ((await trayOf(phones[1]!)).length === 0 ? true : undefined),
        () => 'one phone in trouble holds up the other',
      ),
    ).toBe(true);
    for (const [failures, ms] of [
      [1, 2_000],
      [2, 10_000],
      [3, 16 * 60_000],
    ] as const) {
      await waitingRow(`withdraw:${id}`, (row) => row.failures === failures);
      await clock.advance(ms);
    }
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 2 });
    expect(await trayOf(phones[0]!)).toEqual([]);
  });

  it('to an offline phone is not shown when the phone is online again', async () => {
    const account = newAccount();
    const phones = [await phone(account, platform), await phone(account, 'android')];
    for (const { id } of phones) await simulator.call('PATCH', `/phones/${id}`, { online: false });
    const id = await ask(phones);
    await settled(id);
    await cancel(id, phones[0]!);
    expect(await cleared(id)).toMatchObject({ reached: 2, cleared: 2 });
    for (const { id } of phones) await simulator.call('PATCH', `/phones/${id}`, { online: true });
    for (const each of phones) expect(await trayOf(each)).toEqual([]);
  });
});
