import { type House, type HouseAccount, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
    env: {
      CARILLON_ACCOUNT_PER_MINUTE: '77',
      CARILLON_SERVICE_PER_MINUTE: '11',
    },
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const ours = { 'sec-fetch-site': 'same-origin' };
const send = async (person: HouseAccount, title: string) =>
  `notification:${
    (await person.api('POST', '/notifications', { body: { title, body: 'text' } })).body.notification.id
  }`;
const consoleOf = async ({ email, password }: HouseAccount) => {
  const body = { email, password, client: 'browser' };
  const signedIn = await house.http('POST', '/api/session/login/password', { body });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] as string;
  return (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    house.http(method, `/api/session${path}`, { headers: { cookie, ...headers }, body });
};

describe('what the account pays and may do', () => {
  it('is nothing, and what this installation allows', async () =>
    expect((await house.api('GET', '/billing')).body).toEqual({
      configured: false,
      plan: 'free',
      priceMonthly: 0,
      features: { deviceRouting: true },
      limits: { devices: null, notificationsPerMonth: null, servicePerMinute: 11, accountPerMinute: 77 },
      usage: { notificationsRemaining: null },
    }));
});

describe('a console', () => {
  it('shows what an agent sees of the inbox, the devices and the tokens', async () => {
    const person = await house.anotherAccount();
    const browser = await consoleOf(person);
    const [first, second] = [await send(person, 'a'), await send(person, 'b')];
    await house.advance(10);
    for (const path of [
      '/inbox/projects',
      '/inbox/notifications?limit=1',
      '/inbox/notifications?unread=true&q=b',
      `/inbox/notifications/${first}`,
      '/devices',
    ]) {
      const shown = await browser('GET', path);
      expect(shown.status).toBe(200);
      expect(shown.body).toEqual((await person.api('GET', path)).body);
      expect((await person.session('GET', path)).body).toEqual(shown.body);
    }
    expect((await browser('GET', '/tokens')).body.tokens).toMatchObject([{ name: 'Tests' }]);
    const { nextCursor } = (await browser('GET', '/inbox/notifications?limit=1')).body;
    expect(
      (await browser('GET', `/inbox/notifications?limit=1&cursor=${nextCursor}`)).body.items,
    ).toMatchObject([{ id: first }]);
    expect(second).not.toBe(first);
  });

  it('marks items as an agent does, and both see it at once', async () => {
    const person = await house.anotherAccount();
    const browser = await consoleOf(person);
    const id = await send(person, 'a');
    const read = await browser('POST', `/inbox/notifications/${id}/read`, ours);
    expect(read.body).toEqual({ ok: true, readAt: expect.any(String) });
    expect((await person.api('GET', `/inbox/notifications/${id}`)).body.readAt).toBe(read.body.readAt);
    expect((await browser('POST', `/inbox/notifications/${id}/read`, ours)).body.idempotent).toBe(true);
    expect((await browser('POST', `/inbox/notifications/${id}/unread`, ours, {})).body).toEqual({
      ok: true,
      readAt: null,
    });
    const { readThroughToken } = (await browser('GET', '/inbox/notifications')).body;
    expect(
      (await browser('POST', '/inbox/notifications/read-all', ours, { readThroughToken })).body,
    ).toMatchObject({ ok: true, updated: 1 });
    expect((await person.api('GET', '/inbox/projects')).body.totalUnread).toBe(0);
  });

  it('changes nothing for a page of another site', async () => {
    const person = await house.anotherAccount();
    const browser = await consoleOf(person);
    const id = await send(person, 'a');
    const { id: deviceId } = (
      await person.session('POST', '/devices', {
        body: {
          installId: 'install',
          platform: 'ios',
          pushToken: 'ab'.repeat(32),
          pushEnvironment: 'sandbox',
          appBuild: '1',
          liveActivitiesCapable: false,
          interactiveLiveActivitiesCapable: false,
        },
      })
    ).body.device;
    const foreign = [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.test' }];
    for (const headers of foreign as Record<string, string>[])
      for (const [method, path] of [
        ['POST', `/inbox/notifications/${id}/read`],
        ['POST', `/inbox/notifications/${id}/unread`],
        ['POST', '/inbox/notifications/read-all'],
        ['DELETE', `/devices/${deviceId}`],
      ] as const)
        expect(await browser(method, path, headers)).toMatchObject({
          status: 403,
          body: { code: 'CSRF_REJECTED' },
        });
    expect((await browser('GET', '/inbox/projects')).body.totalUnread).toBe(1);
    expect((await browser('GET', '/devices')).body.devices).toHaveLength(1);
    const form = { ...ours, 'content-type': 'application/x-www-form-urlencoded' };
    expect(await browser('POST', `/inbox/notifications/${id}/read`, form, 'a=b')).toMatchObject({
      status: 415,
    });
    expect((await browser('DELETE', `/devices/${deviceId}`, ours)).status).toBe(200);
  });

  it("does not show another account's items", async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const browser = await consoleOf(other);
    const id = await send(person, 'a');
    const { readThroughToken } = (await person.session('GET', '/inbox/notifications')).body;
    expect((await browser('GET', '/inbox/notifications')).body.items).toEqual([]);
    for (const [method, path] of [
      ['GET', `/inbox/notifications/${id}`],
      ['POST', `/inbox/notifications/${id}/read`],
      ['POST', `/inbox/notifications/${id}/unread`],
    ] as const)
      expect(await browser(method, path, ours)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await browser('POST', '/inbox/notifications/read-all', ours, { readThroughToken })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_READ_TOKEN' },
    });
  });
});

const mirrors = [
  ['GET', '/inbox/projects'],
  ['GET', '/inbox/notifications'],
  ['POST', '/inbox/notifications/read-all'],
  ['GET', '/inbox/notifications/notification:anot_0123456789abcdefghjkmnpqrs'],
  ['POST', '/inbox/notifications/notification:anot_0123456789abcdefghjkmnpqrs/read'],
  ['POST', '/inbox/notifications/notification:anot_0123456789abcdefghjkmnpqrs/unread'],
  ['GET', '/devices'],
  ['DELETE', '/devices/dev_0123456789abcdefghjkmnpqrs'],
  ['GET', '/tokens'],
] as const;

describe('without a person', () => {
  it.each(mirrors)('%s %s says no', async (method, path) => {
    expect(await house.session(method, path, { token: null })).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
    expect(await house.session(method, path, { token: house.owner.apiToken })).toMatchObject({
      status: 403,
      body: { code: 'HUMAN_SESSION_REQUIRED' },
    });
  });
});

describe('a console of services', () => {
  it('makes one, shows what came in, gives it a new URL and takes it away', async () => {
    const person = await house.anotherAccount();
    const other = await consoleOf(await house.anotherAccount());
    const browser = await consoleOf(person);
    const made = await browser('POST', '/services', ours, { title: 'Doorbell' });
    expect(made.status).toBe(201);
    const { id } = made.body.service;
    const at = new URL(made.body.webhookUrl).pathname;
    const received = await house.http('POST', at, {
      body: 'ding',
      headers: { 'content-type': 'text/plain' },
    });
    expect(received.status).toBe(200);

    for (const path of ['/services', `/services/${id}`, '/events', '/activity-feed']) {
      const shown = await browser('GET', path);
      expect(shown.status).toBe(200);
      expect(shown.body).toEqual((await person.api('GET', path)).body);
      expect(JSON.stringify(shown.body)).not.toContain('carillon_hook_');
    }
    expect((await browser('GET', '/events')).body.events).toMatchObject([{ serviceId: id, body: 'ding' }]);
    expect((await other('GET', `/services/${id}`)).status).toBe(404);
    expect((await other('POST', `/services/${id}/rotate`, ours)).status).toBe(404);

    expect(await browser('POST', `/services/${id}/rotate`)).toMatchObject({
      body: { code: 'CSRF_REJECTED' },
    });
    expect((await browser('POST', `/services/${id}/rotate`, ours)).status).toBe(200);
    expect((await house.http('POST', at, { body: 'ding' })).status).toBe(404);
    expect((await browser('PATCH', `/services/${id}`, ours, { title: 'Bell' })).body.service.title).toBe(
      'Bell',
    );
    expect((await browser('DELETE', `/services/${id}`, ours)).body).toEqual({ ok: true });
    expect((await browser('GET', '/services')).body.services).toEqual([]);
  });
});

describe('what nobody should send', () => {
  it.each([
    ['GET', '/inbox/notifications/non%20sense', undefined, 'INVALID_ID'],
    ['GET', '/inbox/notifications/%00', undefined, 'INVALID_ID'],
    ['POST', `/inbox/notifications/${'x'.repeat(201)}/read`, undefined, 'INVALID_ID'],
    ['GET', '/inbox/notifications?limit=0', undefined, 'VALIDATION_FAILED'],
    ['GET', '/inbox/notifications?unread=perhaps', undefined, 'VALIDATION_FAILED'],
    ['GET', '/inbox/notifications?cursor=AAAA', undefined, 'INVALID_CURSOR'],
    ['GET', '/devices?platform=windows', undefined, 'VALIDATION_FAILED'],
    ['POST', '/inbox/notifications/read-all', {}, 'VALIDATION_FAILED'],
    ['POST', '/inbox/notifications/read-all', { readThroughToken: 'x' }, 'INVALID_READ_TOKEN'],
    ['POST', '/inbox/notifications/read-all', { readThroughToken: ['x'] }, 'VALIDATION_FAILED'],
    ['POST', '/inbox/notifications/read-all', '[]', 'INVALID_JSON'],
    ['POST', '/inbox/notifications/read-all', '{', 'INVALID_JSON'],
  ])('%s %s %j is %s', async (method, path, body, code) =>
    expect(await house.session(method, path, body === undefined ? {} : { body })).toMatchObject({
      status: 400,
      body: { code },
    }),
  );
});
