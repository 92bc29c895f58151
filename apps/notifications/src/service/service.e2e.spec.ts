import { type House, type HouseAccount, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const missing = 'svc_0123456789abcdefghjkmnpqrs';
const create = (who: HouseAccount, more: object = {}) =>
  who.api('POST', '/services', { body: { title: 'CI', ...more } });
const made = async (who: HouseAccount, more: object = {}) =>
  (await create(who, more)).body as { service: any; webhookUrl: string };
const ring = (url: string, body: unknown = { text: 'hello' }) =>
  house.http('POST', new URL(url).pathname, { body });

describe('a service', () => {
  it('is created with a URL that is shown once', async () => {
    const person = await house.anotherAccount();
    const answer = await create(person, {
      imageUrl: 'https://ci.test/logo.png',
      url: 'https://ci.test/builds',
      defaultReplyWebhookId: null,
    });
    expect(answer.status).toBe(201);
    const { webhookUrl, service } = answer.body;
    expect(webhookUrl).toMatch(new RegExp(`^${house.state.baseUrl}/hooks/carillon_hook_0[0-9A-Za-z]{38}$`));
    expect(service).toEqual({
      id: expect.stringMatching(/^svc_[0-9a-z]{26}$/),
      title: 'CI',
      imageUrl: 'https://ci.test/logo.png',
      url: 'https://ci.test/builds',
      createdAt: expect.any(String),
      updatedAt: service.createdAt,
      familyId: null,
      preset: 'plain',
      eventsPer: 'group',
      oncallGroupId: null,
      oncallFrom: 'info',
      oncallGroupGone: false,
      expectEverySeconds: null,
      graceSeconds: 0,
      hasSenderSecret: false,
      defaultReplyWebhookId: null,
      webhookUrl,
    });
    const { webhookUrl: _, ...plain } = service;
    const read = await person.api('GET', `/services/${service.id}`);
    expect(read).toMatchObject({ status: 200, body: { service: plain } });
    const listed = await person.api('GET', '/services');
    expect(listed.body).toEqual({ services: [plain], nextCursor: null });
    expect(JSON.stringify([read.body, listed.body])).not.toContain('carillon_hook_');
    expect((await ring(webhookUrl)).status).toBe(200);
  });

  it('is changed field by field', async () => {
    const person = await house.anotherAccount();
    const { service } = await made(person, { url: 'https://ci.test' });
    const patch = (body: object) => person.api('PATCH', `/services/${service.id}`, { body });
    await house.advance(1);
    const renamed = await patch({ title: ' Builds ' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { service: { title: 'Builds', url: 'https://ci.test' } },
    });
    expect(renamed.body.service.updatedAt > service.createdAt).toBe(true);
    expect((await patch({ title: 'Builds' })).body).toEqual(renamed.body);
    expect((await patch({ url: null })).body.service).toMatchObject({ title: 'Builds', url: null });
    expect(await patch({})).toMatchObject({ status: 400, body: { code: 'EMPTY_UPDATE' } });
    expect((await person.api('GET', `/services/${service.id}`)).body.service).toMatchObject({
      title: 'Builds',
      url: null,
    });
    expect((await person.api('GET', '/services')).body.services).toMatchObject([
      { title: 'Builds', url: null },
    ]);
  });

  it('is shared with no family, as there is none', async () => {
    const person = await house.anotherAccount();
    const { service } = await made(person);
    const share = (body: object) => person.api('POST', `/services/${service.id}/share`, { body });
    for (let times = 0; times < 2; times += 1)
      expect(await share({ familyId: null })).toMatchObject({
        status: 200,
        body: { service: { id: service.id, familyId: null } },
      });
    expect(await share({ familyId: 'team_0123456789abcdefghjkmnpqrs' })).toMatchObject({
      status: 404,
      body: { code: 'FAMILY_NOT_FOUND' },
    });
    expect(await share({})).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  it('gets another URL, and the old one is dead at once', async () => {
    const person = await house.anotherAccount();
    const { service, webhookUrl } = await made(person);
    for (let times = 0, old = webhookUrl; times < 5; times += 1) {
      expect((await ring(old)).status).toBe(200);
      const rotated = await person.api('POST', `/services/${service.id}/rotate`);
      expect(rotated.status).toBe(200);
      const dead = await ring(old);
      expect(dead).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      const never = await ring(`${house.state.baseUrl}/hooks/carillon_hook_${'0'.repeat(38)}`);
      expect(dead.body).toEqual(never.body);
      old = rotated.body.webhookUrl;
      expect(rotated.body.service).toMatchObject({ id: service.id, webhookUrl: old });
      expect((await ring(old)).status).toBe(200);
    }
  });

  it('rotated many times at once has one URL', async () => {
    const person = await house.anotherAccount();
    const { service } = await made(person);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => person.api('POST', `/services/${service.id}/rotate`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const rung = await Promise.all(answers.map(({ body }) => ring(body.webhookUrl)));
    expect(rung.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
  });

  it('is gone when it is deleted, with its URL; what came in stays', async () => {
    const person = await house.anotherAccount();
    const { service, webhookUrl } = await made(person);
    await ring(webhookUrl);
    expect(await person.api('DELETE', `/services/${service.id}`)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(await ring(webhookUrl)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { title: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/share', { familyId: null }],
      ['POST', '/rotate', undefined],
    ] as const)
      expect(await person.api(method, `/services/${service.id}${path}`, { body })).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
    expect((await person.api('GET', '/services')).body.services).toEqual([]);
    expect((await person.api('GET', '/inbox/notifications')).body.items).toHaveLength(1);
    expect((await person.api('GET', '/events')).body.events).toMatchObject([{ serviceId: service.id }]);
  });

  it('of another account is not there, wherever it is named', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const { service, webhookUrl } = await made(person);
    for (const id of [service.id, missing])
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { title: 'Mine now' }],
        ['DELETE', '', undefined],
        ['POST', '/share', { familyId: null }],
        ['POST', '/share', { familyId: 'team_0123456789abcdefghjkmnpqrs' }],
        ['POST', '/rotate', undefined],
      ] as const)
        expect(await other.api(method, `/services/${id}${path}`, { body })).toMatchObject({
          status: 404,
          body: { code: 'NOT_FOUND' },
        });
    expect((await other.api('GET', '/services')).body.services).toEqual([]);
    await ring(webhookUrl);
    expect((await other.api('GET', `/events?serviceId=${service.id}`)).body.events).toEqual([]);
    const [event] = (await person.api('GET', '/events')).body.events;
    expect((await other.api('GET', `/inbox/notifications/event:${event.id}`)).status).toBe(404);
    expect((await other.api('POST', `/inbox/notifications/event:${event.id}/read`)).status).toBe(404);
    expect((await other.api('GET', '/activity-feed')).body.total).toBe(0);
    expect((await person.api('GET', `/services/${service.id}`)).body.service.title).toBe('CI');
  });

  it.each([
    {},
    { title: '' },
    { title: 7 },
    { title: null },
    { title: 'x'.repeat(81) },
    { title: 'bell \u0007' },
    { title: 'CI', imageUrl: 'http://ci.test/logo.png' },
    { title: 'CI', url: 'javascript:alert(1)' },
    { title: 'CI', url: `https://ci.test/${'x'.repeat(2048)}` },
    { title: 'CI', defaultReplyWebhookId: 7 },
    { title: 'CI', familyId: null },
    { title: 'CI', webhookUrl: 'https://ci.test' },
  ])('is not made of %j', async (body) => {
    const answer = await house.api('POST', '/services', { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  it('is not made with __proto__, and takes no null for its title', async () => {
    expect(
      await house.api('POST', '/services', { body: '{"title":"CI","__proto__":{"familyId":"x"}}' }),
    ).toMatchObject({ status: 400 });
    const { service } = await made(house.owner);
    expect(await house.api('PATCH', `/services/${service.id}`, { body: { title: null } })).toMatchObject({
      status: 400,
    });
    expect(
      await house.api('PATCH', `/services/${service.id}`, { body: { id: missing, title: 'x' } }),
    ).toMatchObject({ status: 400 });
  });

  it('has no reply webhook that nobody has saved', async () => {
    const defaultReplyWebhookId = 'whk_0123456789abcdefghjkmnpqrs';
    expect(await create(house.owner, { defaultReplyWebhookId })).toMatchObject({
      status: 404,
      body: { code: 'WEBHOOK_NOT_FOUND' },
    });
    const { service } = await made(house.owner);
    expect(
      await house.api('PATCH', `/services/${service.id}`, { body: { defaultReplyWebhookId } }),
    ).toMatchObject({ status: 404, body: { code: 'WEBHOOK_NOT_FOUND' } });
  });

  it.each([
    ['%00', 400, 'INVALID_ID'],
    ['..%2f', 400, 'INVALID_ID'],
    ['x'.repeat(201), 400, 'INVALID_ID'],
    ['svc_1', 404, 'NOT_FOUND'],
    ['__proto__', 404, 'NOT_FOUND'],
    ['tok_0123456789abcdefghjkmnpqrs', 404, 'NOT_FOUND'],
  ])('%s names none', async (id, status, code) => {
    for (const method of ['GET', 'DELETE'])
      expect(await house.api(method, `/services/${id}`)).toMatchObject({ status, body: { code } });
  });
});

describe('the list of services', () => {
  it('comes in pages, newest first', async () => {
    const person = await house.anotherAccount();
    for (let n = 0; n < 5; n += 1) await made(person, { title: `n${n}` });
    const seen: string[] = [];
    let path = '/services?limit=2';
    for (let pages = 0; pages < 3; pages += 1) {
      const { services, nextCursor } = (await person.api('GET', path)).body;
      seen.push(...services.map(({ title }: { title: string }) => title));
      if (nextCursor === null) break;
      path = `/services?limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(['n4', 'n3', 'n2', 'n1', 'n0']);
    expect((await person.api('GET', '/services?limit=5')).body.nextCursor).toBeNull();
  });

  it('is filtered by who shares it', async () => {
    const person = await house.anotherAccount();
    await made(person);
    const count = async (query: string) =>
      (await person.api('GET', `/services${query}`)).body.services.length;
    expect(await count('?shared=false')).toBe(1);
    expect(await count('?shared=true')).toBe(0);
    expect(await count('?familyId=team_0123456789abcdefghjkmnpqrs')).toBe(0);
  });

  it('refuses what is no cursor of its own', async () => {
    const person = await house.anotherAccount();
    for (let n = 0; n < 2; n += 1) await made(person);
    const { nextCursor } = (await person.api('GET', '/services?limit=1')).body;
    for (const query of [
      `cursor=${nextCursor.slice(0, -2)}AA`,
      `shared=false&cursor=${nextCursor}`,
      'cursor=x',
    ])
      expect(await person.api('GET', `/services?limit=1&${query}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    const other = await house.anotherAccount();
    for (const path of ['/services', '/events', '/inbox/notifications'])
      expect(await other.api('GET', `${path}?limit=1&cursor=${nextCursor}`)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_CURSOR' },
      });
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'shared=maybe', 'familyId=no%20id'])
      expect((await person.api('GET', `/services?${query}`)).status).toBe(400);
  });

  it('ends at 200 services, also for those who come at once', async () => {
    const person = await house.anotherAccount();
    const answers = [];
    for (let batch = 0; batch < 21; batch += 1)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => create(person)))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(200);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject({ status: 422, body: { code: 'RESOURCE_LIMIT_REACHED', limit: 200 } });
    const [service] = (await person.api('GET', '/services?limit=1')).body.services;
    await person.api('DELETE', `/services/${service.id}`);
    expect((await create(person)).status).toBe(201);
  });
});
