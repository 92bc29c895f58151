import { randomBytes, randomUUID } from 'node:crypto';
import { eventually, type House, type HouseAccount, startHouse } from '@carillon/testkit';

const max = 20;

let house: House;
beforeAll(async () => {
  house = await startHouse({
    receivers: true,
    limits: 'off',
    env: { CARILLON_DEVICES_PER_ACCOUNT: String(max) },
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const registration = (n: number) => ({
  installId: `install-${n}`,
  platform: 'ios',
  deviceName: 'Ada’s phone',
  pushToken: String(n).padStart(2, '0').repeat(32),
  pushEnvironment: 'sandbox',
  pushToStartToken: 'aa'.repeat(32),
  appBuild: '1.0',
  liveActivitiesCapable: true,
  interactiveLiveActivitiesCapable: false,
});
/** Each phone has its own session. */
const register = async (person: HouseAccount, n: number) =>
  person.session('POST', '/devices', { body: registration(n), token: await person.signIn() });
const devices = async (person: HouseAccount) => (await person.api('GET', '/devices')).body.devices;
const removal = [
  ['an agent', (person: HouseAccount, id: string) => person.api('DELETE', `/devices/${id}`)],
  ['the person', (person: HouseAccount, id: string) => person.session('DELETE', `/devices/${id}`)],
] as const;

describe('a device', () => {
  it.each(removal)('that %s removed is listed no more and gets no push', async (_who, remove) => {
    const person = await house.anotherAccount();
    const [kept, gone] = [await person.addPhone('ios'), await person.addPhone('android')];
    expect(await remove(person, gone.deviceId)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await devices(person)).toMatchObject([{ id: kept.deviceId, active: true }]);
    const sent = await person.api('POST', '/notifications', { body: { title: 'a', body: 'b' } });
    expect(sent.body.accepted).toBe(1);
    await house.expectPushes(kept, 1);
    await house.expectPushes(gone, 0);
    expect(
      await person.api('POST', '/notifications', {
        body: { title: 'a', body: 'b', deviceIds: [gone.deviceId] },
      }),
    ).toMatchObject({ status: 404, body: { code: 'DEVICE_NOT_FOUND' } });
  });

  it('is removed once, however often that is asked', async () => {
    const person = await house.anotherAccount();
    const { id } = (await register(person, 1)).body.device;
    const answers = await Promise.all(removal.map(([, remove]) => remove(person, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await person.api('DELETE', `/devices/${id}`)).body).toEqual({ ok: true });
  });

  it('is restored with its id when its app opens', async () => {
    const person = await house.anotherAccount();
    const { device } = (await register(person, 2)).body;
    await person.api('DELETE', `/devices/${device.id}`);
    // Its addresses are deleted, so new tokens alone do not restore it.
    expect(
      await person.session('PUT', `/devices/${device.id}/tokens`, {
        body: { pushToken: 'ff'.repeat(32), environment: 'sandbox' },
      }),
    ).toMatchObject({ status: 404 });
    expect(await devices(person)).toEqual([]);
    const again = await register(person, 2);
    expect(again).toMatchObject({ status: 200, body: { device: { id: device.id, active: true } } });
    expect(await devices(person)).toMatchObject([{ id: device.id, active: true }]);
  });

  it('that is only unreachable stays listed, until it is removed', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const { id } = (await register(person, 3)).body.device;
    await register(other, 3);
    expect(await devices(person)).toMatchObject([{ id, active: false }]);
    expect((await person.api('DELETE', `/devices/${id}`)).status).toBe(200);
    expect(await devices(person)).toEqual([]);
    expect(await devices(other)).toMatchObject([{ active: true }]);
  });

  it('loses its address to the device that registers it next', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const { id } = (await register(person, 4)).body.device;
    await person.api('DELETE', `/devices/${id}`);
    expect((await register(other, 4)).status).toBe(201);
    expect(await devices(person)).toEqual([]);
    expect((await register(person, 4)).status).toBe(200);
    expect(await devices(other)).toMatchObject([{ active: false }]);
  });

  it('of another account cannot be removed', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const { id } = (await register(person, 5)).body.device;
    for (const [, remove] of removal)
      expect(await remove(other, id)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await devices(person)).toMatchObject([{ id, active: true }]);
  });

  it.each([
    ['dev_00000000000000000000000000', 404, 'NOT_FOUND'],
    ['dev_x', 404, 'NOT_FOUND'],
    ['tok_00000000000000000000000000', 404, 'NOT_FOUND'],
    ['%00', 400, 'INVALID_ID'],
    [`dev_${'x'.repeat(200)}`, 400, 'INVALID_ID'],
    ['dev_%F0%9F%94%94', 400, 'INVALID_ID'],
  ])('%s is answered %i', async (id, status, code) => {
    for (const [, remove] of removal)
      expect(await remove(house.owner, id)).toMatchObject({ status, body: { code } });
  });
});

describe('ringing one device', () => {
  const ring = (person: HouseAccount, id: string) => person.session('POST', `/devices/${id}/test`);

  it('sends a push to it alone, also in its quiet hours, and it is in the inbox', async () => {
    const person = await house.anotherAccount();
    const all = [
      await person.addPhone('ios'),
      await person.addPhone('android'),
      await person.addPhone('web'),
    ];
    const quietHours = { from: '00:00', to: '00:00', timezone: 'UTC' };
    await person.session('PUT', '/quiet-hours', { body: { quietHours } });
    const ids: string[] = [];
    // Each press is a push of its own.
    for (const rung of [...all, all[0]!]) {
      const { status, body } = await ring(person, rung.deviceId);
      expect([status, body]).toMatchObject([
        201,
        { accepted: 1, notification: { title: 'This device rings' } },
      ]);
      const [push] = await house.expectPushes(rung, 1);
      expect(JSON.stringify(push)).toContain(body.notification.id);
      ids.unshift(`notification:${body.notification.id}`);
    }
    for (const phone of all) await house.expectPushes(phone, 0);
    const { items } = (await person.api('GET', '/inbox/notifications')).body;
    expect(items).toMatchObject(ids.map((id) => ({ id, sourceName: 'Carillon' })));
  });

  it('whose app is gone says that no push was accepted, and is refused from then on', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    await house.simulator('POST', `/phones/${phone.id}/uninstall`);
    house.ignorePushes(phone);
    expect(await ring(person, phone.deviceId)).toMatchObject({ status: 201, body: { accepted: 0 } });
    await eventually(
      async () => (await devices(person))[0].active === false || undefined,
      () => 'the device stays active',
    );
    expect(await ring(person, phone.deviceId)).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_NOT_FOUND' },
    });
    expect((await person.api('GET', '/inbox/notifications')).body.items).toHaveLength(1);
  });

  it('of another account, a removed or unknown one is not there, and nothing is sent', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const [theirs, gone] = [await other.addPhone('ios'), await person.addPhone('android')];
    await person.session('DELETE', `/devices/${gone.deviceId}`);
    for (const id of [theirs.deviceId, gone.deviceId, 'dev_00000000000000000000000000'])
      expect(await ring(person, id)).toMatchObject({ status: 404, body: { code: 'DEVICE_NOT_FOUND' } });
    expect(await ring(person, 'tok_00000000000000000000000000')).toMatchObject({ status: 404 });
    expect(await ring(person, '%00')).toMatchObject({ status: 400, body: { code: 'INVALID_ID' } });
    expect(
      await person.session('POST', `/devices/${theirs.deviceId}/test`, { body: { title: 'Mine' } }),
    ).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await other.api('POST', `/devices/${theirs.deviceId}/test`)).toMatchObject({ status: 404 });
    for (const who of [person, other])
      expect((await who.api('GET', '/inbox/notifications')).body.items).toEqual([]);
    await house.expectPushes(theirs, 0);
  });
});

describe('the session of a phone', () => {
  const change = (person: HouseAccount, id: string, token: string) =>
    person.session('PUT', `/devices/${id}/tokens`, {
      body: { pushToken: randomBytes(32).toString('hex'), environment: 'sandbox' },
      token,
    });
  const enter = async (person: HouseAccount, n: number, given?: string) => {
    const token = given ?? (await person.signIn());
    const { status, body } = await person.session('POST', '/devices', { body: registration(n), token });
    return { status, body, token, id: body.device?.id as string };
  };

  it('does not redirect the pushes of another phone of its account', async () => {
    const person = await house.anotherAccount();
    const [mine, other] = [await enter(person, 20), await enter(person, 21)];
    expect(await change(person, mine.id, other.token)).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_NOT_FOUND' },
    });
    expect((await change(person, mine.id, mine.token)).status).toBe(200);
    expect(await enter(person, 22, mine.token)).toMatchObject({
      status: 403,
      body: { code: 'SESSION_OF_OTHER_DEVICE' },
    });
  });

  it.each(removal)('is over at once when %s removes the phone', async (_who, remove) => {
    const person = await house.anotherAccount();
    const { accessToken: token, refreshToken } = (
      await house.http('POST', '/api/session/login/password', {
        body: { email: person.email, password: person.password, client: 'app' },
      })
    ).body;
    const { id } = await enter(person, 23, token);
    const listed = async (by?: string) =>
      (await person.session('GET', '/sessions', by === undefined ? {} : { token: by })).body.sessions;
    const mine = (await listed(token)).find(({ current }: { current: boolean }) => current).id;
    expect((await remove(person, id)).status).toBe(200);
    expect(await person.session('GET', '/me', { token })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_REVOKED' },
    });
    expect((await house.http('POST', '/api/session/refresh', { body: { refreshToken } })).status).toBe(401);
    expect(await listed()).not.toContainEqual(expect.objectContaining({ id: mine }));
    expect((await enter(person, 23)).status).toBe(200);
  });

  it('ends when a person signs in again on the phone, also after a restart', async () => {
    const person = await house.anotherAccount();
    const former = await enter(person, 24);
    const next = await enter(person, 24);
    expect(next).toMatchObject({ status: 200, id: former.id });
    expect((await change(person, next.id, former.token)).status).toBe(401);
    await house.restart();
    expect((await change(person, next.id, former.token)).status).toBe(401);
    expect((await change(person, next.id, next.token)).status).toBe(200);
  });

  it('still answers prompts, and signs out', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('android');
    const asked = await person.api('POST', '/interactions', {
      body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' },
    });
    await house.expectPushes(phone, 1);
    const promptId = asked.body.interaction.id;
    expect(
      (await house.simulator('POST', `/phones/${phone.id}/press`, { promptId, answer: 'approved' })).body,
    ).toMatchObject({ status: 200, body: { interaction: { status: 'approved' } } });
    const out = await house.simulator('POST', `/phones/${phone.id}/sign-out`, {});
    expect(out.body.session).toEqual({ device: { status: 200, body: { ok: true } } });
    expect(await devices(person)).toEqual([]);
    house.ignorePushes();
  });
});

describe('the list of devices', () => {
  it('has pages, the last seen first, without removed devices', async () => {
    const person = await house.anotherAccount();
    const ids: string[] = [];
    for (const n of [10, 11, 12, 13]) {
      ids.unshift((await register(person, n)).body.device.id);
      await house.advance(1);
    }
    await person.api('DELETE', `/devices/${ids.splice(1, 1)[0]}`);
    const page = async (query: string) => (await person.session('GET', `/devices?${query}`)).body;
    const exact = await page('limit=3');
    expect(exact).toMatchObject({ devices: ids.map((id) => ({ id })), nextCursor: null });
    const first = await page('limit=2');
    expect(first.devices).toMatchObject(ids.slice(0, 2).map((id) => ({ id })));
    expect(await page(`limit=2&cursor=${first.nextCursor}`)).toMatchObject({
      devices: [{ id: ids[2] }],
      nextCursor: null,
    });
    expect((await page('platform=android')).devices).toEqual([]);
    expect(
      await person.session('GET', `/devices?active=true&limit=2&cursor=${first.nextCursor}`),
    ).toMatchObject({ status: 400, body: { code: 'INVALID_CURSOR' } });
  });
});

describe('an abusive account', () => {
  const stranger = () => ({
    email: `flood.${randomUUID()}@example.test`,
    name: 'Flood',
    password: `a long password ${randomUUID()}`,
    client: 'app',
  });
  const install = (n: number) => ({
    ...registration(n),
    installId: randomUUID(),
    platform: n % 2 ? 'ios' : 'android',
    pushToken: n % 2 ? randomBytes(32).toString('hex') : `made-up:${randomBytes(60).toString('base64url')}`,
  });

  it('registers devices up to its limit and none beyond, and regains a slot for each device that it removes', async () => {
    const worst = await house.anotherAccount();
    const tokens: string[] = [];
    while (tokens.length < max + 10) tokens.push(await worst.signIn());
    const answers = await Promise.all(
      tokens.map(async (token, n) => {
        // The same install each time: its session is bound to it, even when the registration was refused.
        const mine = install(n);
        for (;;) {
          const { status, body } = await worst.session('POST', '/devices', { body: mine, token });
          if (status !== 409 && status !== 429) return { status, body };
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(max);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { code: 'RESOURCE_LIMIT_REACHED', limit: max },
      });
    const all = (await worst.session('GET', '/devices?limit=100')).body.devices;
    expect(all).toHaveLength(max);
    await worst.session('DELETE', `/devices/${all[0].id}`);
    const token = await worst.signIn();
    expect((await worst.session('POST', '/devices', { body: install(0), token })).status).toBe(201);
    // Nor with a session that already has a device.
    expect(await worst.session('POST', '/devices', { body: install(0), token })).toMatchObject({
      status: 403,
      body: { code: 'SESSION_OF_OTHER_DEVICE' },
    });
    const another = await worst.signIn();
    expect((await worst.session('POST', '/devices', { body: install(0), token: another })).status).toBe(422);
  });

  it('does not prevent any push of another account from being accepted meanwhile', async () => {
    const neighbour = await house.anotherAccount();
    const phones = [await neighbour.addPhone('ios'), await neighbour.addPhone('android')];
    const send = (who: HouseAccount, more: object = {}) =>
      who.api('POST', '/notifications', { body: { title: 'a', body: 'b', ...more } });
    expect((await send(neighbour)).body).toMatchObject({ accepted: 2 });

    const worst = await house.anotherAccount();
    const foreign = await Promise.all([0, 1, 2].map(() => worst.addPhone('android')));
    for (const { id: phoneId } of foreign)
      await house.simulator('POST', '/faults', {
        match: { phoneId },
        effect: { status: 403, reason: 'SENDER_ID_MISMATCH' },
      });
    const slow = await house.receiver();
    slow.ignore();
    slow.says({ does: 'hang' });
    for (const name of ['a', 'b', 'c'])
      await worst.api('POST', '/webhooks', { body: { name, url: slow.url, isDefault: true } });

    let goesOn = true;
    const seen: number[] = [];
    const again = async (work: (turn: number) => Promise<{ status: number }>): Promise<void> => {
      for (let turn = 0; goesOn; turn += 1) seen.push((await work(turn)).status);
    };
    const floods = [
      again(async (turn) => {
        const { email, password } = worst;
        const entered = await house.http('POST', '/api/session/login/password', {
          body: { email, password, client: 'app' },
        });
        if (entered.status !== 200) return entered;
        return worst.session('POST', '/devices', { body: install(turn), token: entered.body.accessToken });
      }),
      // With the session that it uses for everything else.
      again((turn) => worst.session('POST', '/devices', { body: install(turn + 1) })),
      // Pushes to addresses in backoff do not delay others: the next push is sent at once.
      again(async (turn) => {
        void send(worst, { projectId: `project-${turn}` }).then(({ status }) => seen.push(status));
        await new Promise((resolve) => setTimeout(resolve, 20));
        return worst.api('GET', '/inbox/projects');
      }),
      again(async () => {
        const asked = await worst.api('POST', '/interactions', {
          body: { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' },
        });
        if (asked.status !== 201) return asked;
        const { id, actionDigest } = asked.body.interaction;
        return worst.session('POST', `/prompts/${id}/answer`, { body: { answer: 'approved', actionDigest } });
      }),
      again(() => house.http('POST', '/api/session/signup', { body: stranger() })),
    ];
    try {
      for (let times = 0; times < 15; times += 1)
        expect((await send(neighbour)).body).toMatchObject({ accepted: 2 });
    } finally {
      goesOn = false;
      await Promise.all(floods);
    }
    for (const phone of phones) await house.expectPushes(phone, 16);
    for (const phone of foreign) await house.received(phone);
    expect(seen.filter((status) => status >= 500)).toEqual([]);
    expect((await worst.session('GET', '/devices?limit=100')).body.devices.length).toBeLessThanOrEqual(max);
    house.ignorePushes();
  }, 120_000);
});
