import { randomBytes } from 'node:crypto';
import { eventually, type House, type HouseAccount, startGateway, startHouse } from '@carillon/testkit';

const pepper = randomBytes(32).toString('base64');
let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
    env: { CARILLON_PEPPER: pepper },
  });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const create = async (person: HouseAccount, name: string, more: object = {}) =>
  (
    await person.session('POST', '/tokens', {
      body: { name, scopes: ['inbox:read', 'tokens:manage'], ...more },
      token: await person.signIn(),
    })
  ).body;
const namesIn = (answer: { body: { tokens: { name: string }[] } }) =>
  answer.body.tokens.map(({ name }) => name);

describe('the list of tokens', () => {
  it('shows each with all that may be known of it, and no secret', async () => {
    const person = await house.anotherAccount();
    // Not with the token itself, whose use may be shown at once.
    const answer = await person.session('GET', '/tokens');
    expect(answer.body).toEqual({
      tokens: [
        {
          id: expect.stringMatching(/^tok_/),
          name: 'Tests',
          prefix: person.apiToken.slice(0, 'carillon_pat_'.length + 5),
          scopes: expect.arrayContaining(['tokens:manage']),
          expiresAt: null,
          lastUsedAt: null,
          revokedAt: null,
          createdAt: expect.any(String),
          kind: 'token',
        },
      ],
      nextCursor: null,
    });
    expect(JSON.stringify(answer.body)).not.toContain(person.apiToken);
    expect((await person.api('GET', '/tokens')).body.tokens).toHaveLength(1);
  });

  it('goes page by page, newest first', async () => {
    const person = await house.anotherAccount();
    for (const name of ['a', 'b', 'c']) await create(person, name);
    const page = async (query: string) => person.api('GET', `/tokens?${query}`);
    const exact = await page('limit=4');
    expect(namesIn(exact)).toEqual(['c', 'b', 'a', 'Tests']);
    expect(exact.body.nextCursor).toBeNull();
    const first = await page('limit=3');
    expect(namesIn(first)).toEqual(['c', 'b', 'a']);
    const second = await page(`limit=3&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ tokens: [{ name: 'Tests' }], nextCursor: null });
  });

  it('finds them by kind and by how they stand', async () => {
    const person = await house.anotherAccount();
    const now = Date.parse(await house.advance(0));
    await create(person, 'short', { expiresAt: new Date(now + 60_000).toISOString() });
    const { token } = await create(person, 'ended');
    await person.api('DELETE', `/tokens/${token.id}`);
    await house.advance(61);
    const named = async (query: string) => namesIn(await person.api('GET', `/tokens?${query}`));
    expect(await named('')).toEqual(['Tests']);
    expect(await named('status=active&kind=token')).toEqual(['Tests']);
    expect(await named('status=revoked')).toEqual(['ended']);
    expect(await named('status=expired')).toEqual(['short']);
    expect(await named('status=all')).toEqual(['ended', 'short', 'Tests']);
    expect(await named('status=all&kind=oauth')).toEqual([]);
    expect((await person.api('GET', '/tokens?status=revoked')).body.tokens[0]).toMatchObject({
      revokedAt: expect.any(String),
    });
  });

  it('refuses a cursor of another list, of another account, or one that was touched', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    await create(person, 'a');
    const { nextCursor } = (await person.api('GET', '/tokens?limit=1')).body;
    const wrong = [
      person.api('GET', `/tokens?limit=1&status=all&cursor=${nextCursor}`),
      person.api('GET', `/tokens?limit=1&kind=token&cursor=${nextCursor}`),
      other.api('GET', `/tokens?limit=1&cursor=${nextCursor}`),
      person.api('GET', `/tokens?limit=1&cursor=${nextCursor.slice(0, -1)}`),
      person.api('GET', `/tokens?cursor=x`),
      person.api('GET', `/devices?cursor=${nextCursor}`),
    ];
    for (const answer of await Promise.all(wrong))
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_CURSOR' } });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'kind=none',
    'status=',
    `cursor=${'x'.repeat(513)}`,
    'cursor=',
  ])('refuses %s', async (query) => {
    const answer = await house.api('GET', `/tokens?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.issues[0].path).toBe(query.split('=')[0]);
  });

  it('passes over parameters that it does not know', async () =>
    expect((await house.api('GET', '/tokens?order=asc&%F0%9F%94%94=1')).status).toBe(200));
});

describe('revoking another token', () => {
  it('ends it at once, and the second time changes nothing', async () => {
    const person = await house.anotherAccount();
    const { token, secret } = await create(person, 'old');
    expect((await person.api('GET', '/inbox/projects', { token: secret })).status).toBe(200);
    expect(await person.api('DELETE', `/tokens/${token.id}`)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(await person.api('GET', '/inbox/projects', { token: secret })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_REVOKED' },
    });
    const [before] = (await person.api('GET', '/tokens?status=revoked')).body.tokens;
    await house.advance(5);
    expect((await person.api('DELETE', `/tokens/${token.id}`)).body).toEqual({ ok: true });
    expect((await person.api('GET', '/tokens?status=revoked')).body.tokens).toEqual([before]);
  });

  it('by itself is what POST /auth/revoke is for', async () => {
    const person = await house.anotherAccount();
    const { token, secret } = await create(person, 'own');
    for (let times = 0; times < 2; times += 1)
      expect(await person.api('DELETE', `/tokens/${token.id}`, { token: secret })).toMatchObject({
        status: 409,
        body: { code: 'USE_AUTH_REVOKE' },
      });
    expect((await person.api('GET', '/auth/status', { token: secret })).status).toBe(200);
  });

  it("does not reach another account's", async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const { token, secret } = await create(person, 'mine');
    expect(await other.api('DELETE', `/tokens/${token.id}`)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect((await person.api('GET', '/auth/status', { token: secret })).status).toBe(200);
  });

  it.each([
    ['tok_00000000000000000000000000', 404, 'NOT_FOUND'],
    ['tok_x', 404, 'NOT_FOUND'],
    ['dev_00000000000000000000000000', 404, 'NOT_FOUND'],
    ['%00', 400, 'INVALID_ID'],
    ['a b', 400, 'INVALID_ID'],
    ['..%2f..', 400, 'INVALID_ID'],
    [`tok_${'x'.repeat(200)}`, 400, 'INVALID_ID'],
    ['tok_é', 400, 'INVALID_ID'],
  ])('%s is answered %i', async (id, status, code) =>
    expect(await house.api('DELETE', `/tokens/${id}`)).toMatchObject({ status, body: { code } }),
  );

  it('is done by every gateway', async () => {
    const person = await house.anotherAccount();
    const second = await startGateway(house, pepper);
    try {
      const revoked: string[] = [];
      const statusAt = async (base: string, secret: string) =>
        (await fetch(`${base}/api/agent/auth/status`, { headers: { authorization: `Bearer ${secret}` } }))
          .status;
      for (let round = 0; round < 3; round += 1) {
        const { token, secret } = await create(person, `round ${round}`);
        revoked.push(secret);
        // Both remember it.
        expect(await statusAt(second.url, secret)).toBe(200);
        expect(await statusAt(house.state.baseUrl, secret)).toBe(200);
        expect((await person.api('DELETE', `/tokens/${token.id}`)).status).toBe(200);
        expect(await statusAt(house.state.baseUrl, secret)).toBe(401);
        // By signal, long before what it remembers grows old.
        await eventually(
          async () => (await statusAt(second.url, secret)) === 401 || undefined,
          () => 'the other gateway still lets it in',
          4_000,
        );
      }
      for (const secret of revoked) expect(await statusAt(second.url, secret)).toBe(401);
    } finally {
      await second.stop();
    }
  }, 60_000);
});

describe('when a token was last used', () => {
  it('is noted once a minute at most', async () => {
    const person = await house.anotherAccount();
    const lastUse = async () => (await person.session('GET', '/tokens')).body.tokens[0].lastUsedAt;
    const use = () => person.api('GET', '/auth/status');
    expect(await lastUse()).toBeNull();
    await use();
    const noted = (before: string | null) =>
      eventually(
        async () => {
          await use();
          const last = await lastUse();
          return last === before ? undefined : (last as string);
        },
        () => 'the use was not noted',
        20_000,
      );
    const first = await noted(null);
    // The gateway checks the token every five seconds.
    await house.advance(20);
    for (const until = Date.now() + 6_000; Date.now() < until;) {
      await use();
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(await lastUse()).toBe(first);
    await house.advance(40);
    const second = await noted(first);
    expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(60_000);
  }, 90_000);
});
