import {
  eventually,
  type House,
  type HouseAccount,
  type TrayItem,
  startHouse,
  whileTimePasses,
} from '@carillon/testkit';

let house: House;
let url: string;
let serviceId: string;
beforeAll(async () => {
  house = await startHouse();
  ({ url, serviceId } = await newService(house.owner, { url: 'https://ci.test/all' }));
}, 120_000);
afterAll(() => house?.close(), 90_000);
beforeEach(() => house.advance(121));
afterEach(() => house.simulator('DELETE', '/faults'));

const newService = async (who: HouseAccount, more: object = {}) => {
  const { body } = await who.api('POST', '/services', { body: { title: 'CI', ...more } });
  return { url: new URL(body.webhookUrl).pathname, serviceId: body.service.id as string };
};
const ring = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  house.http('POST', path, { body, headers });
const bothPhones = async (count: number) => [
  await house.expectPushes(house.phones.ios, count),
  await house.expectPushes(house.phones.android, count),
];
const eventOf = async (who: HouseAccount, id: string) =>
  (await who.api('GET', '/events')).body.events.find((event: { id: string }) => event.id === id);

describe('a request to the URL of a service', () => {
  it('reaches both phones, the inbox, the events and the feed', async () => {
    const answer = await ring(url, {
      title: 'Build finished',
      text: 'main is **green**',
      bodyFormat: 'markdown',
      url: 'https://ci.test/7',
      imageUrl: 'https://ci.test/7.png',
      whatever: { else: ['there', 'is'] },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { ok: true, eventId: expect.stringMatching(/^evt_[0-9a-z]{26}$/), accepted: 2 },
    });
    expect(Object.keys(answer.body).sort()).toEqual(['accepted', 'eventId', 'ok']);
    expect(answer.headers.get('ratelimit-policy')).toBe('"service";q=60;w=60, "account";q=300;w=60');
    expect(answer.headers.get('carillon-position')).toMatch(/^\d+$/);
    const { eventId } = answer.body;
    const [[onIphone], [onAndroid]] = (await bothPhones(1)) as [any[], any[]];
    expect(onIphone.payload).toMatchObject({
      aps: { alert: { title: 'Build finished', body: 'main is green' }, 'thread-id': serviceId },
      carillon: {
        type: 'notification',
        id: eventId,
        url: 'https://ci.test/7',
        imageUrl: 'https://ci.test/7.png',
      },
    });
    expect(onIphone.headers['apns-collapse-id']).toBe(eventId);
    const event = await eventOf(house.owner, eventId);
    expect(Number(onIphone.headers['apns-expiration'])).toBe(
      Math.floor(Date.parse(event.createdAt) / 1000) + 86_400,
    );
    expect(onAndroid).toMatchObject({ provider: 'fcm', verdict: { status: 200 }, shown: true });

    expect(event).toEqual({
      id: eventId,
      serviceId,
      serviceTitle: 'CI',
      title: 'Build finished',
      body: 'main is **green**',
      imageUrl: 'https://ci.test/7.png',
      url: 'https://ci.test/7',
      status: 'delivered',
      deliveredCount: 2,
      error: null,
      createdAt: expect.any(String),
    });
    const inbox = (await house.api('GET', `/inbox/notifications?projectId=${serviceId}`)).body;
    expect(inbox.items[0]).toMatchObject({
      id: `event:${eventId}`,
      origin: 'event',
      projectId: serviceId,
      projectName: 'CI',
      sourceName: 'CI',
      preview: 'main is green',
    });
    const detail = (await house.api('GET', `/inbox/notifications/event:${eventId}`)).body;
    expect(detail).toMatchObject({ status: 'delivered', body: 'main is **green**' });
    expect(detail.pushReceipts).toHaveLength(2);
    expect((await house.api('POST', `/inbox/notifications/event:${eventId}/read`)).status).toBe(200);
    const feed = (await house.api('GET', '/activity-feed')).body;
    expect(feed.items[0]).toMatchObject({ kind: 'notification', sourceName: 'CI', title: 'Build finished' });
  });

  it('may be plain text or a form, and takes title and link from its service', async () => {
    for (const [body, type] of [
      ['main is green', 'text/plain'],
      ['message=main+is+green', 'application/x-www-form-urlencoded'],
      ['main is green', 'application/x-www-form-urlencoded'],
      ['{"message":"main is green"}', 'application/json; charset=utf-8'],
    ] as const) {
      const { status, body: answer } = await ring(url, body, { 'content-type': type });
      expect(status).toBe(200);
      expect(await eventOf(house.owner, answer.eventId)).toMatchObject({
        title: 'CI',
        body: 'main is green',
        url: 'https://ci.test/all',
      });
    }
    await bothPhones(4);
  });

  it('of an account without a phone is in its inbox', async () => {
    const other = await house.anotherAccount();
    const service = await newService(other);
    const { body } = await ring(service.url, { text: 'hello' });
    expect(body).toEqual({ ok: true, eventId: expect.any(String), accepted: 0 });
    expect(await eventOf(other, body.eventId)).toMatchObject({ status: 'no_devices', deliveredCount: 0 });
    const detail = (await other.api('GET', `/inbox/notifications/event:${body.eventId}`)).body;
    expect(detail.status).toBe('no_devices');
  });

  it('waits ten seconds for a provider that stays away, and is told the truth', async () => {
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns' },
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    const key = { 'idempotency-key': 'slow' };
    const other = { phone: house.phones.android, shows: (shown: TrayItem) => shown.body === 'slow' };
    const { body } = await whileTimePasses(house, ring(url, { text: 'slow' }, key), other, 4);
    expect(body.accepted).toBe(1);
    expect(await eventOf(house.owner, body.eventId)).toMatchObject({ status: 'accepted', deliveredCount: 1 });
    await house.simulator('DELETE', '/faults');
    await house.advance(16 * 60);
    await eventually(
      async () => (await eventOf(house.owner, body.eventId)).status === 'delivered' || undefined,
      () => 'the event was never delivered',
    );
    expect((await ring(url, { text: 'slow' }, key)).body).toEqual(body);
    await house.expectPushes(house.phones.android, 1);
    expect(
      (await house.received(house.phones.ios)).filter(({ verdict }) => verdict.status === 200),
    ).toHaveLength(1);
  });

  it('shows what went wrong', async () => {
    const other = await house.anotherAccount();
    const kept = await other.addPhone('ios');
    const lost = await other.addPhone('ios');
    await house.simulator('POST', `/phones/${lost.id}/uninstall`);
    const service = await newService(other);
    const { body } = await ring(service.url, { text: 'hello' });
    expect(body.accepted).toBe(1);
    expect(await eventOf(other, body.eventId)).toMatchObject({
      status: 'partial',
      deliveredCount: 1,
      error: expect.stringMatching(/Unregistered/),
    });
    await house.expectPushes(kept, 1);
    await house.expectPushes(lost, 1);
  });

  it('is called after its service, also when that is renamed', async () => {
    const other = await house.anotherAccount();
    const service = await newService(other);
    await ring(service.url, { text: 'hello' });
    await other.api('PATCH', `/services/${service.serviceId}`, { body: { title: 'Builds' } });
    expect((await other.api('GET', '/inbox/projects')).body.projects).toMatchObject([
      { projectId: service.serviceId, name: 'Builds', unreadCount: 1 },
    ]);
    const { body } = await ring(service.url, { text: 'hello' });
    expect(await eventOf(other, body.eventId)).toMatchObject({ serviceTitle: 'Builds', title: 'Builds' });
  });

  it('does nothing when a link preview looks at it', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await house.http(method, url);
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
    }
    expect((await fetch(house.state.baseUrl + url, { method: 'HEAD' })).status).toBe(405);
  });

  it.each([
    ['an unknown secret', `carillon_hook_${'A'.repeat(38)}`],
    ['another kind of secret', `carillon_pat_${'A'.repeat(38)}`],
    ['no secret', 'x'],
    ['a long one', 'x'.repeat(3000)],
  ])('with %s is 404, whatever it says', async (_what, secret) => {
    for (const [body, type] of [
      ['{"text":"hello"}', 'application/json'],
      ['{', 'text/html'],
    ] as const)
      expect(await ring(`/hooks/${secret}`, body, { 'content-type': type })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND', error: 'There is no such webhook.' },
      });
  });

  it('is no way into the API, nor a token into this', async () => {
    const secret = url.split('/')[2] as string;
    expect((await house.api('GET', '/services', { token: secret })).status).toBe(401);
    expect((await ring(`/hooks/${house.state.apiToken}`, { text: 'a' })).status).toBe(404);
    expect((await ring(`${url}/`, { text: 'a' })).status).toBe(404);
    expect((await ring(`/api/agent${url}`, { text: 'a' })).status).toBe(404);
  });

  it('is refused when it is not right, and leaves nothing', async () => {
    const before = (await house.api('GET', '/activity-feed')).body.total;
    const refused = async (body: unknown, type: string, status: number, code: string) =>
      expect(await ring(url, body, { 'content-type': type })).toMatchObject({ status, body: { code } });
    await refused('{"text":""}', 'application/json', 400, 'VALIDATION_FAILED');
    await refused('{"text":"a","appId":"app_1"}', 'application/json', 400, 'VALIDATION_FAILED');
    await refused(`{"text":"${'x'.repeat(8001)}"}`, 'application/json', 400, 'VALIDATION_FAILED');
    await refused('{}', 'application/json', 400, 'VALIDATION_FAILED');
    await refused('[]', 'application/json', 400, 'INVALID_JSON');
    await refused('<p>a</p>', 'text/html', 415, 'UNSUPPORTED_MEDIA_TYPE');
    await refused('a', 'multipart/form-data; boundary=x', 415, 'UNSUPPORTED_MEDIA_TYPE');
    await refused('x'.repeat(65_537), 'text/plain', 413, 'PAYLOAD_TOO_LARGE');
    await refused('x'.repeat(65_536), 'text/plain', 400, 'VALIDATION_FAILED');
    expect((await house.api('GET', '/activity-feed')).body.total).toBe(before);
  });
});

describe('an idempotency key at the URL of a service', () => {
  it('rings once, however often it comes', async () => {
    const first = await ring(url, { text: 'once' }, { 'idempotency-key': 'build-1' });
    const second = await ring(url, { text: 'once' }, { 'idempotency-key': 'build-1' });
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await ring(url, { text: 'twice' }, { 'idempotency-key': 'build-1' })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    await bothPhones(1);
  });

  it('makes one event of many requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ring(url, { text: 'at once' }, { 'idempotency-key': 'build-2' })),
    );
    for (const answer of answers)
      if (answer.status !== 200)
        expect(answer).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
    const ids = answers.filter(({ status }) => status === 200).map(({ body }) => body.eventId);
    expect(new Set(ids).size).toBe(1);
    await bothPhones(1);
  });

  it('means nothing to another service', async () => {
    const other = await newService(house.owner);
    const headers = { 'idempotency-key': 'build-3' };
    const [mine, theirs] = [
      await ring(url, { text: 'a' }, headers),
      await ring(other.url, { text: 'a' }, headers),
    ];
    expect(theirs.status).toBe(200);
    expect(theirs.body.eventId).not.toBe(mine.body.eventId);
    await bothPhones(2);
  });

  it('is free again after a day', async () => {
    const account = await house.anotherAccount();
    const service = await newService(account);
    const ids = new Set<string>();
    for (let day = 0; day < 3; day += 1) {
      const { body } = await ring(service.url, { text: 'daily' }, { 'idempotency-key': 'daily' });
      ids.add(body.eventId);
      const again = await ring(service.url, { text: 'daily' }, { 'idempotency-key': 'daily' });
      expect(again.body.eventId).toBe(body.eventId);
      await house.advance(86_400);
    }
    expect(ids.size).toBe(3);
  });

  it('must have the right form', async () =>
    expect(await ring(url, { text: 'a' }, { 'idempotency-key': 'x'.repeat(256) })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_IDEMPOTENCY_KEY' },
    }));
});

describe('the web app of a request', () => {
  it('was refused to the repetition of a request once it was removed', async () => {
    const person = await house.anotherAccount();
    const service = await newService(person);
    const dash = { name: 'Dash', url: 'https://dash.test' };
    const { id: appId } = (await person.api('POST', '/apps', { body: dash })).body.app;
    const request = { text: 'built', appId };
    const first = await ring(service.url, request, { 'idempotency-key': 'build' });
    expect(first.status).toBe(200);
    const shown = async () => (await person.api('GET', '/inbox/notifications')).body.items[0].app;
    expect(await shown()).toEqual({ id: appId, name: 'Dash', origin: 'https://dash.test', iconUrl: null });

    const stranger = await newService(house.owner);
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED', issues: [{ path: 'appId' }] } };
    expect(await ring(stranger.url, request)).toMatchObject(refused);
    expect((await person.api('DELETE', `/apps/${appId}`)).status).toBe(200);
    expect(await shown()).toBeNull();
    expect(await ring(service.url, request)).toMatchObject(refused);
    expect((await ring(service.url, request, { 'idempotency-key': 'build' })).body).toEqual(first.body);
  });
});

describe('a URL that is used too much', () => {
  beforeEach(() => house.beginWindow());

  it('is stopped after 60 in a minute; what was dropped is in the events and rings nobody', async () => {
    const account = await house.anotherAccount();
    const phone = await account.addPhone('ios');
    const service = await newService(account);
    const other = await newService(account);
    const answers = await Promise.all(
      Array.from({ length: 62 }, (_, n) => ring(service.url, { text: `n${n}` })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    const dropped = answers.filter(({ status }) => status !== 200);
    for (const answer of dropped) {
      expect(answer).toMatchObject({
        status: 429,
        body: { code: 'RATE_LIMITED', limit: 60, retryAfter: expect.any(Number) },
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('ratelimit')).toMatch(/^"service";r=0;t=\d+$/);
    }
    await house.expectPushes(phone, 60, 30_000);
    const limited = (await account.api('GET', '/events?status=limited')).body.events;
    expect(limited).toHaveLength(2);
    expect(limited[0]).toMatchObject({
      status: 'limited',
      error: 'service_rate_limited',
      deliveredCount: 0,
      serviceId: service.serviceId,
    });
    const projects = (await account.api('GET', '/inbox/projects')).body;
    expect(projects.totalUnread).toBe(60);
    expect((await account.api('GET', '/activity-feed')).body.total).toBe(60);
    expect((await account.api('GET', `/inbox/notifications/event:${limited[0].id}`)).status).toBe(404);
    // The noise of one service does not stop the others.
    expect((await ring(other.url, { text: 'still here' })).status).toBe(200);
    await house.expectPushes(phone, 1);
  });

  it('may try the same again later under the same key', async () => {
    const account = await house.anotherAccount();
    const service = await newService(account);
    await Promise.all(Array.from({ length: 60 }, () => ring(service.url, { text: 'noise' })));
    const again = () => ring(service.url, { text: 'signal' }, { 'idempotency-key': 'signal' });
    expect((await again()).status).toBe(429);
    await house.advance(121);
    const late = await again();
    expect(late.status).toBe(200);
    expect(late.headers.get('idempotency-replayed')).toBeNull();
  });

  it('does not fill the list of events without end', async () => {
    const account = await house.anotherAccount();
    const service = await newService(account);
    for (let batch = 0; batch < 4; batch += 1)
      await Promise.all(Array.from({ length: 50 }, () => ring(service.url, { text: 'noise' })));
    const page = (await account.api('GET', '/events?status=limited&limit=100')).body.events;
    expect(page).toHaveLength(60);
  });

  it('takes nothing from what its account may send when it is refused', async () => {
    const account = await house.anotherAccount();
    const services = await Promise.all(Array.from({ length: 5 }, () => newService(account)));
    await house.beginWindow();
    const answers = await Promise.all(
      services.flatMap((service) =>
        Array.from({ length: 60 }, (_, n) =>
          ring(service.url, n % 2 ? { text: 7 } : { text: 'a', appId: 'app_none' }),
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect(await account.api('POST', '/notifications', { body: { title: 'a', body: 'b' } })).toMatchObject({
      status: 201,
    });
  });

  it('is stopped by the limit of its account too', async () => {
    const account = await house.anotherAccount();
    const services = [];
    for (let n = 0; n < 6; n += 1) services.push(await newService(account));
    await house.beginWindow();
    for (const service of services.slice(0, 5))
      await Promise.all(Array.from({ length: 60 }, () => ring(service.url, { text: 'a' })));
    const answer = await ring(services[5]!.url, { text: 'one too many' });
    expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', limit: 300 } });
    expect((await account.api('GET', '/events?limit=1')).body.events).toMatchObject([
      { body: 'one too many', status: 'limited', error: 'account_rate_limited' },
    ]);
    expect(await account.api('POST', '/notifications', { body: { title: 'a', body: 'b' } })).toMatchObject({
      status: 429,
    });
  });
});

describe('the lists of what happened', () => {
  it.each([
    '/events?status=lost',
    '/events?status=limited&status=failed',
    '/events?from=yesterday',
    '/events?to=2026-02-30T00:00:00Z',
    '/events?serviceId=a%20b',
    '/events?limit=0',
    '/events?limit=101',
    '/activity-feed?page=0',
    '/activity-feed?page=5001',
    '/activity-feed?page=1.5',
    '/activity-feed?page=x',
    '/activity-feed?kind=everything',
  ])('do not take %s', async (path) =>
    expect(await house.api('GET', path)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } }),
  );

  it('refuse a cursor that was touched or is of another list', async () => {
    const account = await house.anotherAccount();
    const service = await newService(account);
    for (let n = 0; n < 2; n += 1) await ring(service.url, { text: `n${n}` });
    const { events, nextCursor } = (await account.api('GET', '/events?limit=1')).body;
    expect(events).toMatchObject([{ body: 'n1' }]);
    const next = await account.api('GET', `/events?limit=1&cursor=${nextCursor}`);
    expect(next.body).toMatchObject({ events: [{ body: 'n0' }], nextCursor: null });
    for (const query of [
      `cursor=${nextCursor.slice(0, -2)}AA`,
      `cursor=${nextCursor}&status=accepted`,
      'cursor=x',
    ])
      expect(await account.api('GET', `/events?limit=1&${query}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    expect(await house.api('GET', `/events?limit=1&cursor=${nextCursor}`)).toMatchObject({ status: 400 });
  });

  it('have a page past the end, with the total', async () => {
    const account = await house.anotherAccount();
    const service = await newService(account);
    await ring(service.url, { text: 'a' });
    await account.api('POST', '/notifications', { body: { title: 'b', body: 'b' } });
    const first = (await account.api('GET', '/activity-feed')).body;
    expect(first).toMatchObject({
      page: 1,
      pageSize: 20,
      total: 2,
      items: [{ title: 'b' }, { title: 'CI' }],
    });
    expect((await account.api('GET', '/activity-feed?page=5000&kind=notification')).body).toEqual({
      items: [],
      page: 5000,
      pageSize: 20,
      total: 2,
    });
    expect((await account.api('GET', '/activity-feed?kind=response')).body.total).toBe(0);
  });
});

describe('the secret of a URL', () => {
  it('is in no log', async () => {
    const account = await house.anotherAccount();
    const { body } = await account.api('POST', '/services', { body: { title: 'CI' } });
    const path = new URL(body.webhookUrl).pathname;
    const secret = path.split('/')[2] as string;
    await ring(path, { text: 'a' });
    await ring(path, '{', { 'content-type': 'application/json' });
    await ring(path, 'a', { 'content-type': 'text/html' });
    await ring(path, 'x'.repeat(70_000), { 'content-type': 'text/plain' });
    await house.http('GET', path);
    await ring(`${path}/more`, { text: 'a' });
    await ring(`${path}%zz`, { text: 'a' });
    await account.api('POST', `/services/${body.service.id}/rotate`);
    await ring(path, { text: 'a' });
    const lines = house.logs();
    expect(lines.length).toBeGreaterThan(0);
    const told = lines.map(({ text }) => text).join('\n') + house.output();
    expect(told).not.toContain(secret);
    expect(told).not.toContain('carillon_hook_');
  });
});
