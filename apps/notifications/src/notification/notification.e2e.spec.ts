import {
  eventually,
  type House,
  type HouseAccount,
  type TrayItem,
  startHouse,
  trayOf,
  whileTimePasses,
} from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);
afterEach(() => house.simulator('DELETE', '/faults'));

const built = { title: 'Build finished', body: 'main is green' };
const send = (more: object = {}, headers: Record<string, string> = {}) =>
  house.api('POST', '/notifications', { body: { ...built, ...more }, headers });
const bothPhones = async (count: number) => [
  await house.expectPushes(house.phones.ios, count),
  await house.expectPushes(house.phones.android, count),
];
const clearTrays = () => house.simulator('POST', '/reset');
const sentWhileTimePasses = (title: string, stepSeconds?: number, headers?: Record<string, string>) => {
  const other = { phone: house.phones.android, shows: (shown: TrayItem) => shown.title === title };
  return whileTimePasses(house, send({ title }, headers), other, stepSeconds);
};

describe('a notification', () => {
  it('reaches both phones and the inbox', async () => {
    const answer = await send({
      url: 'https://ci.example.test/1',
      projectId: 'web',
      projectName: 'Web shop',
    });

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      accepted: 2,
      notification: {
        ...built,
        id: expect.stringMatching(/^anot_[0-9a-z]{26}$/),
        url: 'https://ci.example.test/1',
        imageUrl: null,
      },
    });
    const [[onIphone], [onAndroid]] = (await bothPhones(1)) as [any[], any[]];
    expect(onIphone).toMatchObject({
      provider: 'apns',
      verdict: { status: 200 },
      shown: true,
      payload: { aps: { alert: built }, carillon: { type: 'notification', id: answer.body.notification.id } },
    });
    expect(onAndroid).toMatchObject({ provider: 'fcm', verdict: { status: 200 }, shown: true });
    expect(await trayOf(house, house.phones.ios)).toContainEqual(expect.objectContaining(built));

    const inbox = await house.api('GET', '/inbox/notifications');
    expect(inbox.body.items[0]).toMatchObject({
      id: `notification:${answer.body.notification.id}`,
      title: built.title,
      preview: built.body,
      projectId: 'web',
      projectName: 'Web shop',
      readAt: null,
    });
    const detail = await house.api('GET', `/inbox/notifications/${inbox.body.items[0].id}`);
    expect(detail.body).toMatchObject({ body: built.body, status: 'delivered' });
    expect(detail.body.pushReceipts).toHaveLength(2);
    expect(detail.body.pushReceipts.map((receipt: { status: string }) => receipt.status)).toEqual([
      'accepted',
      'accepted',
    ]);
  });

  it('goes only to the named device', async () => {
    const answer = await send({ deviceIds: [house.phones.ios.deviceId] });
    expect(answer.body.accepted).toBe(1);
    await house.expectPushes(house.phones.ios, 1);
    expect(await house.received(house.phones.android)).toEqual([]);
  });

  it('is refused for a device that is not there, and leaves nothing', async () => {
    const before = (await house.api('GET', '/inbox/projects')).body;
    const answer = await send({ deviceIds: ['dev_0123456789abcdefghjkmnpqrs'] });
    expect(answer).toMatchObject({ status: 404, body: { code: 'DEVICE_NOT_FOUND' } });
    expect((await house.api('GET', '/inbox/projects')).body).toEqual(before);
  });

  it('of an account without a phone is in its inbox', async () => {
    const other = await house.anotherAccount();
    const answer = await other.api('POST', '/notifications', { body: built });
    expect(answer.body).toMatchObject({
      accepted: 0,
      message: 'No active device. The notification is in the inbox.',
    });
    const inbox = await other.api('GET', '/inbox/notifications');
    expect(inbox.body.items).toEqual([expect.objectContaining({ title: built.title })]);
    const detail = await other.api('GET', `/inbox/notifications/${inbox.body.items[0].id}`);
    expect(detail.body.status).toBe('no_devices');
  });

  it('says 404 for what does not exist yet, and 400 for contradictions', async () => {
    expect(await send({ appId: 'app_0123456789abcdefghjkmnpqrs' })).toMatchObject({
      status: 404,
      body: { code: 'APP_NOT_FOUND' },
    });
    expect(await send({ deviceGroupId: 'dgr_0123456789abcdefghjkmnpqrs' })).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_GROUP_NOT_FOUND' },
    });
    expect(
      await send({ deviceGroupId: 'dgr_0123456789abcdefghjkmnpqrs', deviceIds: [house.phones.ios.deviceId] }),
    ).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });
});

describe('an idempotency key', () => {
  it('gives the stored answer the second time, and rings once', async () => {
    const first = await send({}, { 'idempotency-key': 'deploy-1' });
    const second = await send({}, { 'idempotency-key': '"deploy-1"' });

    expect(first.status).toBe(201);
    expect(first.body.idempotent).toBeUndefined();
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual({ ...first.body, idempotent: true });
    await bothPhones(1);
  });

  it('with another request is refused', async () => {
    await send({}, { 'idempotency-key': 'deploy-2' });
    const other = await send({ title: 'Build failed' }, { 'idempotency-key': 'deploy-2' });
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    await bothPhones(1);
  });

  it('sent many times at once makes one notification', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send({ title: 'Only once' }, { 'idempotency-key': 'deploy-3' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      if (answer.status === 409) {
        expect(answer.body.code).toBe('IDEMPOTENCY_IN_PROGRESS');
        expect(answer.headers.get('retry-after')).toBe('1');
      } else expect(answer).toMatchObject({ status: 200, body: { idempotent: true, accepted: 2 } });
    }
    await bothPhones(1);
    const found = await house.api('GET', '/inbox/notifications?q=only%20ONCE');
    expect(found.body.items).toHaveLength(1);
  });

  it('means nothing to another token', async () => {
    const other = await house.anotherAccount();
    const mine = await send({}, { 'idempotency-key': 'deploy-4' });
    const theirs = await other.api('POST', '/notifications', {
      body: built,
      headers: { 'idempotency-key': 'deploy-4' },
    });
    expect(theirs.status).toBe(201);
    expect(theirs.body.notification.id).not.toBe(mine.body.notification.id);
    await bothPhones(1);
  });

  it('is free again after a day', async () => {
    const other = await house.anotherAccount();
    const ask = () =>
      other.api('POST', '/notifications', { body: built, headers: { 'idempotency-key': 'daily' } });
    const ids = new Set<string>();
    for (let day = 0; day < 4; day += 1) {
      const first = await ask();
      expect(first.status).toBe(201);
      ids.add(first.body.notification.id);
      expect((await ask()).status).toBe(200);
      await house.advance(86_400);
    }
    expect(ids.size).toBe(4);
  });
});

describe('a provider', () => {
  it('that fails once is asked again, and the answer waits for it', async () => {
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns' },
      count: 1,
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    const answer = await sentWhileTimePasses('Once more');
    expect(answer.body.accepted).toBe(2);
    const pushes = await house.expectPushes(house.phones.ios, 2);
    expect(pushes.map((push) => push.verdict.status)).toEqual([503, 200]);
    expect(new Set(pushes.map((push) => push.headers['apns-id'])).size).toBe(1);
    await house.expectPushes(house.phones.android, 1);
  });

  it('that stays away leaves an honest count after ten seconds, and the truth later', async () => {
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns' },
      count: 3,
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    const answer = await sentWhileTimePasses('Slow', 4, { 'idempotency-key': 'slow' });
    expect(answer.body.accepted).toBe(1);
    const id = `notification:${answer.body.notification.id}`;
    const receipts = async () => {
      const { status, pushReceipts } = (await house.api('GET', `/inbox/notifications/${id}`)).body;
      expect(status).toBe('accepted');
      return pushReceipts.map((receipt: { status: string }) => receipt.status).sort();
    };
    await eventually(
      async () => (await receipts()).join() === 'accepted,pending' || undefined,
      () => 'what the provider has accepted is not shown',
    );

    await house.advance(16 * 60);
    await house.advance(16 * 60);
    const late = await eventuallyDetail(id, 'delivered');
    expect(late.pushReceipts.every((receipt: { status: string }) => receipt.status === 'accepted')).toBe(
      true,
    );
    const replay = await send({ title: 'Slow' }, { 'idempotency-key': 'slow' });
    expect(replay.body.accepted).toBe(1);
    await house.expectPushes(house.phones.ios, 4);
    await house.expectPushes(house.phones.android, 1);
  });
});

const eventuallyDetail = async (id: string, status: string) => {
  for (let look = 0; look < 100; look += 1) {
    const { body } = await house.api('GET', `/inbox/notifications/${id}`);
    if (body.status === status) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The item never was ${status}`);
};

describe('a phone that is gone', () => {
  it('counts as not accepted, and is not asked again', async () => {
    const other: HouseAccount = await house.anotherAccount();
    const kept = await other.addPhone('ios');
    const lost = await other.addPhone('ios');
    await house.simulator('POST', `/phones/${lost.id}/uninstall`);

    const first = await other.api('POST', '/notifications', { body: built });
    expect(first.body.accepted).toBe(1);
    const id = `notification:${first.body.notification.id}`;
    const detail = await other.api('GET', `/inbox/notifications/${id}`);
    expect(detail.body.status).toBe('partial');
    expect(detail.body.pushReceipts).toContainEqual(
      expect.objectContaining({ deviceId: lost.deviceId, status: 'error', errorCode: expect.any(String) }),
    );

    const devices = await other.api('GET', '/devices');
    expect(devices.body.devices.find((device: { id: string }) => device.id === lost.deviceId).active).toBe(
      false,
    );
    expect((await other.api('POST', '/notifications', { body: built })).body.accepted).toBe(1);
    await house.expectPushes(kept, 2);
    await house.expectPushes(lost, 1);
  });
});

describe('withdrawing', () => {
  const withdraw = (id: string) => house.api('POST', `/notifications/${id}/withdraw`);

  it('takes it off the phones and marks the inbox copy read', async () => {
    await clearTrays();
    const { notification } = (await send()).body;
    await bothPhones(1);
    const answer = await withdraw(notification.id);

    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, notificationId: notification.id, status: 'withdrawn', accepted: 2 },
    });
    const [[onIphone]] = (await bothPhones(1)) as [any[]];
    expect(onIphone).toMatchObject({ headers: { 'apns-push-type': 'background', 'apns-priority': '5' } });
    expect(await trayOf(house, house.phones.ios)).toEqual([]);
    expect(await trayOf(house, house.phones.android)).toEqual([]);
    const detail = await house.api('GET', `/inbox/notifications/notification:${notification.id}`);
    expect(detail.body).toMatchObject({ status: 'withdrawn', readAt: expect.any(String) });
  });

  it('a second time gives the stored answer and sends nothing', async () => {
    const { notification } = (await send()).body;
    const first = await withdraw(notification.id);
    const second = await withdraw(`notification:${notification.id}`);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    await bothPhones(2);
  });

  it('is partial when only one provider takes the command', async () => {
    const { notification } = (await send()).body;
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns', pushType: 'background' },
      count: 1,
      effect: { status: 400, reason: 'BadCollapseId' },
    });
    house.expectLog(/BadCollapseId/);
    const answer = await withdraw(notification.id);
    expect(answer.body).toMatchObject({ status: 'withdraw_partial', accepted: 1 });
    await bothPhones(2);
  });

  it('changes nothing when no device had it', async () => {
    const other = await house.anotherAccount();
    const { notification } = (await other.api('POST', '/notifications', { body: built })).body;
    const answer = await other.api('POST', `/notifications/${notification.id}/withdraw`);
    expect(answer).toMatchObject({ status: 502, body: { code: 'WITHDRAW_NOT_ACCEPTED' } });
    const detail = await other.api('GET', `/inbox/notifications/notification:${notification.id}`);
    expect(detail.body).toMatchObject({ status: 'no_devices', readAt: null });
  });

  it('stops a phone that still waits for its retry', async () => {
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns' },
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    const answer = await sentWhileTimePasses('Never mind', 4);
    expect(answer.body.accepted).toBe(1);
    await house.simulator('DELETE', '/faults');
    const tried = (await house.received(house.phones.ios)).length;
    expect(tried).toBeGreaterThan(0);

    expect((await withdraw(answer.body.notification.id)).body).toMatchObject({
      status: 'withdrawn',
      accepted: 1,
    });
    await house.advance(60 * 60);
    expect(await house.received(house.phones.ios)).toEqual([]);
    await house.expectPushes(house.phones.android, 2);
  });

  it('is hidden from another account', async () => {
    const other = await house.anotherAccount();
    const { notification } = (await send()).body;
    expect(await other.api('POST', `/notifications/${notification.id}/withdraw`)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    await bothPhones(1);
  });

  it.each([
    ['event:evt_0123456789abcdefghjkmnpqrs', 400, 'INVALID_ID'],
    ['tok_0123456789abcdefghjkmnpqrs', 400, 'INVALID_ID'],
    ['anot_1', 404, 'NOT_FOUND'],
    ['notification:anot_0123456789abcdefghjkmnpqrs', 404, 'NOT_FOUND'],
  ])('%s is no id of one', async (id, status, code) =>
    expect(await withdraw(id)).toMatchObject({ status, body: { code } }),
  );
});

describe('any text', () => {
  it.each([
    ['8,000 emoji', '🔔'.repeat(8000)],
    ['8,000 letters with marks', 'e\u0301'.repeat(4000)],
    ['right to left', 'שלום עולם '.repeat(700)],
    ['control quotes', '"\\'.repeat(4000)],
  ])('%s fits into a push', async (_what, body) => {
    const answer = await send({ body });
    expect(answer).toMatchObject({ status: 201, body: { accepted: 2 } });
    const detail = await house.api('GET', `/inbox/notifications/notification:${answer.body.notification.id}`);
    expect(detail.body.body).toBe(body.normalize('NFC').trim());
    await bothPhones(1);
  });
});
