import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  eventually,
  type House,
  type HouseAccount,
  type HouseAnswer,
  type NameServer,
  startHouse,
  startNames,
} from '@carillon/testkit';

let house: House;
let names: NameServer;
beforeAll(async () => {
  names = await startNames({
    'bot.test': ['93.184.216.34'],
    'xn--bcher-kva.test': ['93.184.216.34'],
    'inside.test': ['10.0.0.7'],
    'half.test': ['93.184.216.34', '169.254.169.254'],
    'allowed.test': ['10.7.0.1'],
  });
  house = await startHouse({
    limits: 'off',
    env: {
      CARILLON_WEBHOOK_DNS: names.address,
      CARILLON_WEBHOOK_ALLOW_CIDRS: '10.7.0.0/16',
    },
  });
}, 120_000);
afterAll(async () => {
  await house?.close();
  await names?.stop();
}, 90_000);

const missing = 'whk_0123456789abcdefghjkmnpqrs';
const bot = { name: 'Bot', url: 'https://bot.test/replies' };
const create = (who: HouseAccount, more: object = {}) =>
  who.api('POST', '/webhooks', { body: { ...bot, ...more } });
const made = async (who: HouseAccount, more: object = {}) => {
  const answer = await create(who, more);
  expect(answer.status).toBe(201);
  return answer.body as { webhook: any; signingSecret: string };
};
const patch = (who: HouseAccount, id: string, body: object) => who.api('PATCH', `/webhooks/${id}`, { body });
const listed = async (who: HouseAccount, query = '') =>
  (await who.api('GET', `/webhooks${query}`)).body.webhooks as any[];
const defaults = async (who: HouseAccount) =>
  (await listed(who)).filter(({ isDefault }) => isDefault).map(({ id }) => id);
const says = (status: number, code: string, more: object = {}) => ({ status, body: { code, ...more } });
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
const tokenWith = async (who: HouseAccount, scopes: string[]) =>
  (await who.session('POST', '/tokens', { body: { name: 'Few', scopes } })).body.secret as string;

describe('a reply webhook', () => {
  it('is saved with what is said and the rest as usual', async () => {
    const person = await house.anotherAccount();
    const answer = await create(person);
    expect(answer.status).toBe(201);
    const { webhook, signingSecret } = answer.body;
    expect(Buffer.from(signingSecret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(webhook).toEqual({
      isDefault: false,
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      ...bot,
      preset: 'generic',
      headers: [],
      events: ['interaction.answered', 'interaction.expired', 'interaction.canceled'],
      enabled: true,
      createdAt: expect.any(String),
      updatedAt: webhook.createdAt,
    });
    expect(await person.api('GET', `/webhooks/${webhook.id}`)).toMatchObject({
      status: 200,
      body: { webhook, deliveries: [], nextCursor: null },
    });
    expect((await person.api('GET', '/webhooks')).body).toEqual({ webhooks: [webhook], nextCursor: null });
  });

  it('is saved with all that can be said', async () => {
    const person = await house.anotherAccount();
    const given = {
      name: ' Slack ',
      url: 'https://bücher.test:8443/x?y=z',
      preset: 'slack',
      headers: [{ name: 'Authorization', value: 'Bearer a b' }],
      events: ['interaction.expired'],
      enabled: false,
      isDefault: true,
      signingSecret: secretOf(24),
    };
    const { webhook, signingSecret } = await made(person, given);
    const { signingSecret: brought, ...rest } = given;
    expect(signingSecret).toBe(brought);
    expect(webhook).toMatchObject({
      ...rest,
      name: 'Slack',
      headers: [{ name: 'Authorization', value: '********' }],
    });
    expect(await listed(person)).toEqual([webhook]);
  });

  it('is changed field by field', async () => {
    const person = await house.anotherAccount();
    const { webhook } = await made(person, { headers: [{ name: 'X-Key', value: 'k' }] });
    await house.advance(1);
    const renamed = await patch(person, webhook.id, { name: ' Robot ' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { webhook: { ...webhook, name: 'Robot', updatedAt: expect.any(String) } },
    });
    expect(renamed.body.webhook.updatedAt > webhook.updatedAt).toBe(true);
    await house.advance(1);
    expect((await patch(person, webhook.id, { name: 'Robot' })).body).toEqual(renamed.body);
    const news = {
      url: 'https://bot.test/other',
      preset: 'grok',
      events: ['interaction.canceled', 'interaction.answered'],
      enabled: false,
    };
    const changed = (await patch(person, webhook.id, news)).body.webhook;
    expect(changed).toMatchObject({
      ...news,
      name: 'Robot',
      headers: [{ name: 'X-Key', value: '********' }],
    });
    expect((await person.api('GET', `/webhooks/${webhook.id}`)).body.webhook).toEqual(changed);
    expect(await listed(person)).toEqual([changed]);
    expect(await patch(person, webhook.id, {})).toMatchObject(says(400, 'EMPTY_UPDATE'));
  });

  it('keeps the values of headers that come back without one', async () => {
    const person = await house.anotherAccount();
    const { webhook } = await made(person, {
      headers: [
        { name: 'X-One', value: 'one' },
        { name: 'X-Two', value: 'two' },
      ],
    });
    const headersOf = async (headers: object[]) => {
      const answer = await patch(person, webhook.id, { headers });
      return answer.status === 200 ? answer.body.webhook.headers.map(({ name }: any) => name) : answer.body;
    };
    expect(await headersOf([{ name: 'x-one' }, { name: 'X-TWO', value: '********' }])).toEqual([
      'x-one',
      'X-TWO',
    ]);
    expect(await headersOf([{ name: 'X-Three', value: 'three' }, { name: 'X-Two' }])).toEqual([
      'X-Three',
      'X-Two',
    ]);
    for (const value of [undefined, '********'])
      expect(await headersOf([{ name: 'X-Two' }, { name: 'X-One', value }])).toMatchObject({
        code: 'VALIDATION_FAILED',
        issues: [{ path: 'headers.1.value', code: 'required' }],
      });
    expect(await headersOf([])).toEqual([]);
    expect(await headersOf([{ name: 'X-Two' }])).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('gets another secret, also one of the caller', async () => {
    const person = await house.anotherAccount();
    const { webhook, signingSecret } = await made(person);
    const rotate = (body?: object) => person.api('POST', `/webhooks/${webhook.id}/rotate-secret`, { body });
    const seen = new Set([signingSecret]);
    for (const body of [undefined, {}, { revokeOld: true }, { signingSecret: secretOf(64) }]) {
      const { status, body: answer } = await rotate(body);
      expect(status).toBe(200);
      expect(answer.webhook.id).toBe(webhook.id);
      expect(seen.has(answer.signingSecret)).toBe(false);
      seen.add(answer.signingSecret);
    }
    expect((await rotate({ signingSecret: secretOf(64) })).body.signingSecret).toBe(secretOf(64));
    for (const wrong of [secretOf(23), secretOf(65), 'whsec_', 'secret', `${secretOf(32)} `, 7, null])
      expect(await rotate({ signingSecret: wrong })).toMatchObject(says(400, 'VALIDATION_FAILED'));
    expect(await rotate({ revokeOld: 'yes' })).toMatchObject(says(400, 'VALIDATION_FAILED'));
    expect(await rotate({ secret: secretOf(32) })).toMatchObject(says(400, 'VALIDATION_FAILED'));
  });

  it('is gone when it is deleted', async () => {
    const person = await house.anotherAccount();
    const { webhook } = await made(person);
    expect(await person.api('DELETE', `/webhooks/${webhook.id}`)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['PATCH', '', { isDefault: true }],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', {}],
    ] as const)
      expect(await person.api(method, `/webhooks/${webhook.id}${path}`, { body })).toMatchObject(
        says(404, 'NOT_FOUND'),
      );
    expect(await listed(person)).toEqual([]);
  });

  it('of another account is not there, wherever it is named', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const { webhook } = await made(person, { isDefault: true });
    const service = (await other.api('POST', '/services', { body: { title: 'CI' } })).body.service;
    const mine = (await made(other)).webhook;
    const { nextCursor } = (await person.api('GET', '/webhooks?limit=1')).body;
    expect(nextCursor).toBeNull();
    for (const id of [webhook.id, missing]) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'Mine now' }],
        ['PATCH', '', { isDefault: true }],
        ['PATCH', '', { isDefault: false }],
        ['PATCH', '', { url: 'https://inside.test/' }],
        ['PATCH', '', { headers: [{ name: 'Host' }] }],
        ['DELETE', '', undefined],
        ['POST', '/rotate-secret', { revokeOld: true }],
      ] as const) {
        expect(await other.api(method, `/webhooks/${id}${path}`, { body })).toMatchObject(
          says(404, 'NOT_FOUND'),
        );
        expect(await other.session(method, `/webhooks/${id}${path}`, { body })).toMatchObject(
          says(404, 'NOT_FOUND'),
        );
      }
      const named = { defaultReplyWebhookId: id };
      for (const answer of [
        await other.api('POST', '/services', { body: { title: 'CI', ...named } }),
        await other.api('PATCH', `/services/${service.id}`, { body: named }),
      ])
        expect(answer).toMatchObject(says(404, 'WEBHOOK_NOT_FOUND'));
    }
    expect(await listed(other)).toEqual([mine]);
    expect(await listed(person)).toEqual([webhook]);
  });

  it.each([
    ['%00', 400, 'INVALID_ID'],
    ['..%2f', 400, 'INVALID_ID'],
    ['x'.repeat(201), 400, 'INVALID_ID'],
    ['whk_1', 404, 'NOT_FOUND'],
    ['__proto__', 404, 'NOT_FOUND'],
    ['svc_0123456789abcdefghjkmnpqrs', 404, 'NOT_FOUND'],
  ])('is not named by %s', async (id, status, code) => {
    for (const method of ['GET', 'DELETE'])
      expect(await house.api(method, `/webhooks/${id}`)).toMatchObject(says(status, code));
    expect(await house.api('POST', `/webhooks/${id}/rotate-secret`)).toMatchObject(says(status, code));
  });

  it('needs the scopes of services', async () => {
    const person = await house.anotherAccount();
    const { webhook } = await made(person);
    const all = (await person.api('GET', '/auth/status')).body.token.scopes as string[];
    const without = (scope: string) =>
      tokenWith(
        person,
        all.filter((each) => each !== scope),
      );
    const [reads, writes] = [await without('services:write'), await without('services:read')];
    for (const [method, path, token, required] of [
      ['GET', '', writes, 'services:read'],
      ['GET', `/${webhook.id}`, writes, 'services:read'],
      ['POST', '', reads, 'services:write'],
      ['PATCH', `/${webhook.id}`, reads, 'services:write'],
      ['DELETE', `/${webhook.id}`, reads, 'services:write'],
      ['POST', `/${webhook.id}/rotate-secret`, reads, 'services:write'],
    ] as const) {
      const body = method === 'POST' || method === 'PATCH' ? { nonsense: 1 } : undefined;
      expect(await person.api(method, `/webhooks${path}`, { token, body })).toMatchObject(
        says(403, 'INSUFFICIENT_SCOPE', { required: [required] }),
      );
      expect((await person.api(method, `/webhooks${path}`, { token: null })).status).toBe(401);
    }
    expect((await person.api('GET', '/webhooks', { token: reads })).status).toBe(200);
  });

  it('is the same for the person as for the agent', async () => {
    const person = await house.anotherAccount();
    const answer = await person.session('POST', '/webhooks', { body: { ...bot, isDefault: true } });
    expect(answer.status).toBe(201);
    const { webhook } = answer.body;
    expect(await listed(person)).toEqual([webhook]);
    expect((await person.session('GET', '/webhooks')).body).toEqual({
      webhooks: [webhook],
      nextCursor: null,
    });
    expect((await person.session('GET', `/webhooks/${webhook.id}`)).body.webhook).toEqual(webhook);
    const changed = await person.session('PATCH', `/webhooks/${webhook.id}`, { body: { enabled: false } });
    expect(changed.body.webhook).toMatchObject({ id: webhook.id, enabled: false });
    expect(
      (await person.session('POST', `/webhooks/${webhook.id}/rotate-secret`)).body.signingSecret,
    ).toMatch(/^whsec_/);
    expect((await person.session('DELETE', `/webhooks/${webhook.id}`)).body).toEqual({ ok: true });
    expect((await person.session('GET', '/webhooks', { token: null })).status).toBe(401);
  });
});

describe('what is no reply webhook', () => {
  const key = { name: 'X-Key', value: 'v' };
  it.each<[string, object]>([
    ['nothing', { name: undefined, url: undefined }],
    ['no name', { name: '' }],
    ['a name of 81', { name: 'x'.repeat(81) }],
    ['a name with a bell', { name: 'bell \u0007' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['null for a name', { name: null }],
    ['a number for a name', { name: 7 }],
    ['no address', { url: '' }],
    ['null for an address', { url: null }],
    ['plain http', { url: 'http://bot.test/' }],
    ['a script', { url: 'javascript:alert(1)' }],
    ['an address of 2049', { url: `https://bot.test/${'x'.repeat(2032)}` }],
    ['a user in the address', { url: 'https://ann:pw@bot.test/' }],
    ['a fragment', { url: 'https://bot.test/#x' }],
    ['port 0', { url: 'https://bot.test:0/' }],
    ['port 65536', { url: 'https://bot.test:65536/' }],
    ['a relative address', { url: '/replies' }],
    ['an address with a line break', { url: 'https://bot.test/\r\nHost: x' }],
    ['an address with a zone', { url: 'https://[fe80::1%25eth0]/' }],
    ['a preset that is none', { preset: 'discord' }],
    ['null for a preset', { preset: null }],
    ['no events', { events: [] }],
    ['an event twice', { events: ['interaction.answered', 'interaction.answered'] }],
    ['an event that is none', { events: ['interaction.asked'] }],
    ['null for events', { events: null }],
    ['a text for enabled', { enabled: 'true' }],
    ['null for isDefault', { isDefault: null }],
    ['a short secret', { signingSecret: secretOf(23) }],
    ['a long secret', { signingSecret: secretOf(65) }],
    ['a secret of another form', { signingSecret: 'x'.repeat(40) }],
    ['a secret with a blank', { signingSecret: ` ${secretOf(32)}` }],
    ['null for a secret', { signingSecret: null }],
    ['null for headers', { headers: null }],
    ['an object for headers', { headers: { 'X-Key': 'v' } }],
    ['eleven headers', { headers: Array.from({ length: 11 }, (_, n) => ({ ...key, name: `X-${n}` })) }],
    ['a header twice', { headers: [key, { ...key, name: 'x-kEY' }] }],
    ['a header without a name', { headers: [{ value: 'v' }] }],
    ['a header without a value', { headers: [{ name: 'X-Key' }] }],
    ['a header with the hidden value', { headers: [{ name: 'X-Key', value: '********' }] }],
    ['a header with an empty value', { headers: [{ name: 'X-Key', value: '' }] }],
    ['a header with more than a value', { headers: [{ ...key, more: 1 }] }],
    ['a header name of 65', { headers: [{ ...key, name: 'x'.repeat(65) }] }],
    ['a header value of 1025', { headers: [{ ...key, value: 'x'.repeat(1025) }] }],
    ['a header value with CR and LF', { headers: [{ ...key, value: 'a\r\nX-Evil: 1' }] }],
    ['a header value with LF', { headers: [{ ...key, value: 'a\nX-Evil: 1' }] }],
    ['a header value with NUL', { headers: [{ ...key, value: 'a\u0000b' }] }],
    ['a header value with a tab', { headers: [{ ...key, value: 'a\tb' }] }],
    ['a header value with a blank at its end', { headers: [{ ...key, value: 'a ' }] }],
    ['a header value beyond ASCII', { headers: [{ ...key, value: 'é' }] }],
    ['a header value with a line separator', { headers: [{ ...key, value: 'a\u2028b' }] }],
    ['a header name with a colon', { headers: [{ ...key, name: 'X: Y' }] }],
    ['a header name with CR and LF', { headers: [{ ...key, name: 'X\r\nHost' }] }],
    ['a header name with a blank', { headers: [{ ...key, name: 'Host ' }] }],
    [
      '__proto__ as a field of a header',
      { headers: [JSON.parse('{"name":"X","value":"v","__proto__":{}}')] },
    ],
    ['an unknown field', { secret: secretOf(32) }],
    ['an id of its own', { id: missing }],
    ...[
      'Host',
      'content-length',
      'CONTENT-TYPE',
      'Transfer-Encoding',
      'Connection',
      'Upgrade',
      'TE',
      'Trailer',
      'Expect',
      'Keep-Alive',
      'Cookie',
      'Proxy-Authorization',
      'Sec-WebSocket-Key',
      'Webhook-Id',
      'webhook-signature',
      'X-Forwarded-For',
      'Forwarded',
      'User-Agent',
    ].map((name): [string, object] => [`the header ${name}`, { headers: [{ ...key, name }] }]),
  ])('has %s', async (_, more) => {
    const answer = await create(house.owner, more);
    expect(answer).toMatchObject(says(400, 'VALIDATION_FAILED'));
    expect(answer.body.issues.length).toBeGreaterThan(0);
  });

  it('has left nothing behind, also where it was a change', async () => {
    expect(await listed(house.owner)).toEqual([]);
    const { webhook } = await made(house.owner);
    for (const body of [
      { name: null },
      { url: 'http://bot.test/' },
      { headers: [{ name: 'Host', value: 'x' }] },
      { headers: [{ name: 'X', value: 'a\r\nb' }] },
      { events: [] },
      { isDefault: null },
      { signingSecret: secretOf(32) },
      { id: missing, name: 'x' },
      { name: 'x', createdAt: '2026-01-01T00:00:00Z' },
    ])
      expect(await patch(house.owner, webhook.id, body)).toMatchObject(says(400, 'VALIDATION_FAILED'));
    expect(await listed(house.owner)).toEqual([webhook]);
    await house.api('DELETE', `/webhooks/${webhook.id}`);
  });
});

describe('where replies may not go', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.7/',
    'https://localhost/',
    'https://localhost./',
    'https://inside.test/',
    'https://half.test/',
    'https://bot.test:22/',
    'https://bot.test:80/',
    'https://bot.test:5432/',
    'https://bot.test:2525/',
  ])('%s', async (url) => {
    expect(await create(house.owner, { url })).toMatchObject(says(422, 'DESTINATION_NOT_ALLOWED'));
    const { webhook } = await made(house.owner);
    expect(await patch(house.owner, webhook.id, { url, name: 'x' })).toMatchObject(
      says(422, 'DESTINATION_NOT_ALLOWED'),
    );
    expect((await house.api('GET', `/webhooks/${webhook.id}`)).body.webhook).toEqual(webhook);
    await house.api('DELETE', `/webhooks/${webhook.id}`);
  });

  it('is not where the operator allows it, nor where nobody knows yet', async () => {
    for (const url of ['https://allowed.test/', 'https://10.7.9.9:8443/', 'https://not-yet.test/']) {
      const { webhook } = await made(house.owner, { url });
      expect(webhook.url).toBe(url);
      await house.api('DELETE', `/webhooks/${webhook.id}`);
    }
  });
});

describe('the default', () => {
  it('moves to the one that says so last', async () => {
    const person = await house.anotherAccount();
    const one = (await made(person, { isDefault: true })).webhook;
    const two = (await made(person)).webhook;
    expect(await defaults(person)).toEqual([one.id]);
    expect((await patch(person, two.id, { isDefault: true })).body.webhook.isDefault).toBe(true);
    expect(await defaults(person)).toEqual([two.id]);
    expect((await person.api('GET', `/webhooks/${one.id}`)).body.webhook.isDefault).toBe(false);
    const three = (await made(person, { isDefault: true })).webhook;
    expect(await defaults(person)).toEqual([three.id]);
    expect((await patch(person, one.id, { isDefault: false })).body.webhook.isDefault).toBe(false);
    expect(await defaults(person)).toEqual([three.id]);
    expect((await patch(person, three.id, { isDefault: false, name: 'No more' })).body.webhook).toMatchObject(
      {
        isDefault: false,
        name: 'No more',
      },
    );
    expect(await defaults(person)).toEqual([]);
  });

  it('is one when many say so at once', async () => {
    const person = await house.anotherAccount();
    const ids = (await Promise.all(Array.from({ length: 6 }, () => made(person, { isDefault: true })))).map(
      ({ webhook }) => webhook.id,
    );
    expect(await defaults(person)).toHaveLength(1);
    const answers = await Promise.all(ids.map((id) => patch(person, id, { isDefault: true })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await defaults(person)).toHaveLength(1);
  });

  it('is none when it is deleted', async () => {
    const person = await house.anotherAccount();
    const { webhook } = await made(person, { isDefault: true });
    await made(person);
    await person.api('DELETE', `/webhooks/${webhook.id}`);
    expect(await defaults(person)).toEqual([]);
  });
});

describe('the list of reply webhooks', () => {
  it('comes in pages, newest first, and by whether they are enabled', async () => {
    const person = await house.anotherAccount();
    for (let n = 0; n < 5; n += 1) await made(person, { name: `n${n}`, enabled: n % 2 === 0 });
    const seen: string[] = [];
    let path = '/webhooks?limit=2';
    for (let pages = 0; pages < 3; pages += 1) {
      const { webhooks, nextCursor } = (await person.api('GET', path)).body;
      seen.push(...webhooks.map(({ name }: { name: string }) => name));
      if (nextCursor === null) break;
      path = `/webhooks?limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(['n4', 'n3', 'n2', 'n1', 'n0']);
    expect((await person.api('GET', '/webhooks?limit=5')).body.nextCursor).toBeNull();
    const named = async (query: string) => (await listed(person, query)).map(({ name }) => name);
    expect(await named('?enabled=true')).toEqual(['n4', 'n2', 'n0']);
    expect(await named('?enabled=false')).toEqual(['n3', 'n1']);
  });

  it('refuses what is no cursor of its own', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    for (let n = 0; n < 2; n += 1) await made(person);
    const { nextCursor } = (await person.api('GET', '/webhooks?limit=1')).body;
    for (const [who, path] of [
      [person, `/webhooks?limit=1&cursor=${nextCursor.slice(0, -2)}AA`],
      [person, `/webhooks?limit=1&enabled=true&cursor=${nextCursor}`],
      [person, `/services?limit=1&cursor=${nextCursor}`],
      [person, '/webhooks?cursor=x'],
      [other, `/webhooks?limit=1&cursor=${nextCursor}`],
    ] as const)
      expect(await who.api('GET', path)).toMatchObject(says(400, 'INVALID_CURSOR'));
    for (const query of ['limit=0', 'limit=101', 'enabled=maybe', 'enabled='])
      expect((await person.api('GET', `/webhooks?${query}`)).status).toBe(400);
  });

  it('ends at twenty, also for those who come at once', async () => {
    const person = await house.anotherAccount();
    const answers = await Promise.all(Array.from({ length: 26 }, () => create(person)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject(says(422, 'RESOURCE_LIMIT_REACHED', { limit: 20 }));
    const [webhook] = await listed(person);
    await person.api('DELETE', `/webhooks/${webhook.id}`);
    await made(person);
    expect(await create(person)).toMatchObject(says(422, 'RESOURCE_LIMIT_REACHED', { limit: 20 }));
  });
});

describe('a service', () => {
  it('may have a reply webhook of its own, until that is deleted', async () => {
    const person = await house.anotherAccount();
    const [one, two] = [(await made(person)).webhook, (await made(person)).webhook];
    const body = { title: 'CI', defaultReplyWebhookId: one.id };
    const { service } = (await person.api('POST', '/services', { body })).body;
    expect(service.defaultReplyWebhookId).toBe(one.id);
    const other = (await person.api('POST', '/services', { body })).body.service;
    const point = (to: string | null) =>
      person.api('PATCH', `/services/${other.id}`, { body: { defaultReplyWebhookId: to } });
    expect((await point(null)).body.service.defaultReplyWebhookId).toBeNull();
    expect((await point(two.id)).body.service.defaultReplyWebhookId).toBe(two.id);

    await person.api('DELETE', `/webhooks/${one.id}`);
    const read = await person.api('GET', `/services/${service.id}`);
    expect(read.body.service.defaultReplyWebhookId).toBeNull();
    const byId = (id: string) => (services: any[]) => services.find((each) => each.id === id);
    const { services } = (await person.api('GET', '/services')).body;
    expect(byId(service.id)(services).defaultReplyWebhookId).toBeNull();
    expect(byId(other.id)(services).defaultReplyWebhookId).toBe(two.id);
    expect(await point(one.id)).toMatchObject(says(404, 'WEBHOOK_NOT_FOUND'));
    // What is read at once becomes what is so.
    await eventually(
      async () => {
        const now = (await person.api('GET', `/services/${service.id}`)).body.service;
        return now.updatedAt > service.updatedAt ? true : undefined;
      },
      () => 'the service was never changed',
      30_000,
    );
  });

  it('that is not there is not found before its webhook is', async () => {
    const person = await house.anotherAccount();
    expect(
      await person.api('PATCH', '/services/svc_0123456789abcdefghjkmnpqrs', {
        body: { defaultReplyWebhookId: missing },
      }),
    ).toMatchObject(says(404, 'NOT_FOUND'));
  });
});

it('no secret is in any answer but its own, nor in any file of the house', async () => {
  const person = await house.anotherAccount();
  const values = ['planted-header-one', 'planted-header-two'];
  const brought = `whsec_${Buffer.from('planted-secret-that-was-brought-here').toString('base64')}`;
  const answers: HouseAnswer[] = [];
  const kept = async (work: Promise<HouseAnswer>) => {
    const answer = await work;
    answers.push(answer);
    return answer;
  };
  const first = await made(person, {
    headers: [{ name: 'X-One', value: values[0] }],
    signingSecret: brought,
  });
  const { id } = first.webhook;
  const path = `/webhooks/${id}`;
  await kept(patch(person, id, { headers: [{ name: 'X-One' }, { name: 'X-Two', value: values[1] }] }));
  // What goes wrong must not tell either.
  await kept(create(person, { headers: [{ name: 'Host', value: values[0] }], signingSecret: brought }));
  await kept(create(person, { url: 'https://inside.test/', signingSecret: brought }));
  await kept(
    create(person, { headers: [{ name: 'X', value: `${values[0]}\r\n` }], signingSecret: `${brought}!` }),
  );
  await kept(person.api('POST', '/webhooks', { body: `{"signingSecret":"${brought}"` }));
  const rotated = (await person.api('POST', `${path}/rotate-secret`)).body.signingSecret as string;
  for (const each of ['/webhooks', path, '/services']) await kept(person.api('GET', each));
  await kept(person.session('GET', path));
  await kept(person.api('DELETE', path));

  const secrets = [...values, ...[brought, rotated].map((secret) => secret.slice('whsec_'.length))];
  const told = JSON.stringify(answers.map(({ body, headers }) => [body, [...headers]]));
  for (const secret of secrets) expect(told).not.toContain(secret);
  await house.stop();
  const files = readdirSync(house.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const holding = (text: string) => files.filter((file) => readFileSync(file).includes(text));
  // The id shows that these are the files where it would be.
  for (const part of ['event-store', 'nats', 'postgres']) expect(holding(id).join()).toContain(part);
  expect(secrets.flatMap(holding)).toEqual([]);
  await house.start();
}, 240_000);
