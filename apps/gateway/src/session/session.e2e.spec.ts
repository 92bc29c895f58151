import {
  authenticatorCode,
  type House,
  type HouseAccount,
  type HouseAnswer,
  SecurityKey,
  startHouse,
} from '@carillon/testkit';

let house: House;
let person: HouseAccount;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  person = await house.anotherAccount('Ada');
}, 120_000);
afterAll(() => house?.close(), 90_000);

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  house.http('POST', `/api/session${path}`, { body, headers });
const signIn = (more: object = {}) =>
  post('/login/password', { email: person.email, password: person.password, client: 'app', ...more });
const cookieOf = (answer: HouseAnswer) => (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
const ours = { 'sec-fetch-site': 'same-origin' };

describe('the first account', () => {
  it('can be made only once', async () =>
    expect(
      await post('/bootstrap', {
        secret: 'x'.repeat(20),
        email: 'b@example.test',
        name: 'B',
        password: 'long enough password',
      }),
    ).toMatchObject({ status: 410, body: { code: 'BOOTSTRAP_CLOSED' } }));
});

describe('signing up', () => {
  it('takes an address once, also when two come at once and in other letters', async () => {
    const body = (email: string) => ({
      email,
      name: 'Twin',
      password: 'a long enough password',
      client: 'app',
    });
    const answers = await Promise.all([
      post('/signup', body('twin@example.test')),
      post('/signup', body('TWIN@example.test')),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await post('/signup', body('twin@Example.test'))).toMatchObject({
      status: 409,
      body: { code: 'EMAIL_TAKEN' },
    });
  });

  it.each([
    [{ password: 'short' }, 'password'],
    [{ password: 'x'.repeat(257) }, 'password'],
    [{ email: 'nobody' }, 'email'],
    [{ name: '' }, 'name'],
  ])('refuses %j', async (wrong, path) => {
    const body = { email: 'new@example.test', name: 'New', password: 'a long enough password', ...wrong };
    const answer = await post('/signup', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.body.issues[0].path).toBe(path);
  });
});

describe('a second factor', () => {
  it('is set up, asked for at sign-in, replaced by a recovery code and removed', async () => {
    const bea = await house.anotherAccount('Bea');
    const login = (more: object = {}) =>
      post('/login/password', { email: bea.email, password: bea.password, client: 'app', ...more });
    const prepared = await bea.session('POST', '/totp', { body: {} });
    expect(prepared).toMatchObject({
      status: 200,
      body: { secret: expect.stringMatching(/^[A-Z2-7]{32}$/) },
    });
    const code = (atMs: number) => authenticatorCode(prepared.body.secret, atMs);
    let nowMs = Date.parse(await house.advance(30));
    expect(await bea.session('POST', '/totp/confirm', { body: { code: '000000' } })).toMatchObject({
      status: 403,
      body: { code: 'WRONG_CODE' },
    });
    const confirmed = await bea.session('POST', '/totp/confirm', { body: { code: code(nowMs) } });
    expect(confirmed.body.recoveryCodes).toHaveLength(10);
    expect(await login()).toMatchObject({ status: 401, body: { code: 'SECOND_FACTOR_REQUIRED' } });
    expect(await login({ totp: '000000' })).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
    expect(await login({ totp: code(nowMs + 30_000) })).toMatchObject({ status: 200 });
    const [one, other] = confirmed.body.recoveryCodes;
    expect(await login({ recoveryCode: one })).toMatchObject({ status: 200 });
    const recover = () =>
      post('/login/recovery', {
        email: bea.email,
        password: bea.password,
        recoveryCode: other,
        client: 'app',
      });
    expect(await recover()).toMatchObject({ status: 200, body: { account: { id: bea.id } } });
    expect(await recover()).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
    expect((await bea.session('POST', '/recovery-codes', { body: {} })).body.recoveryCodes).toHaveLength(10);
    nowMs = Date.parse(await house.advance(120));
    expect(await bea.session('DELETE', '/totp', { body: { code: code(nowMs) } })).toMatchObject({
      status: 200,
    });
    expect(await login()).toMatchObject({ status: 200 });
  });

  it('of a suspended account is not used up', async () => {
    const cleo = await house.anotherAccount('Cleo');
    const prepared = await cleo.session('POST', '/totp', { body: {} });
    const code = authenticatorCode(prepared.body.secret, Date.parse(await house.advance(0)));
    const { body } = await cleo.session('POST', '/totp/confirm', { body: { code } });
    const login = () =>
      post('/login/password', {
        email: cleo.email,
        password: cleo.password,
        client: 'app',
        recoveryCode: body.recoveryCodes[0],
      });
    await house.admin('account', 'suspend', `--email=${cleo.email}`);
    expect(await login()).toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } });
    await house.admin('account', 'resume', `--email=${cleo.email}`);
    expect(await login()).toMatchObject({ status: 200 });
  });
});

describe('a passkey', () => {
  it('is added, signs in, and takes the place of the password', async () => {
    const cleo = await house.anotherAccount('Cleo');
    const { baseUrl: origin } = house.state;
    const { body: options } = await cleo.session('POST', '/passkeys/options', { body: {} });
    expect(options.rp).toEqual({ id: 'localhost', name: 'Carillon' });
    const key = new SecurityKey('localhost');
    const response = key.register({ challenge: options.challenge, origin, userId: options.user.id });
    const add = () => cleo.session('POST', '/passkeys', { body: { response, name: 'Laptop' } });
    const added = await add();
    expect(added).toMatchObject({ status: 201, body: { passkey: { name: 'Laptop', disabled: false } } });
    expect(added.body.recoveryCodes).toHaveLength(10);
    expect(await add()).toMatchObject({ status: 422, body: { code: 'PASSKEY_REFUSED' } });
    const assertion = async () => {
      const { body: asked } = await post('/login/passkey/options', {});
      return key.signIn({ challenge: asked.challenge, origin });
    };
    const used = await assertion();
    const login = (given: object) => post('/login/passkey', { response: given, client: 'app' });
    expect(await login(used)).toMatchObject({ status: 200, body: { account: { id: cleo.id } } });
    expect(await login(used)).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
    const inBrowser = await post('/login/passkey', { response: await assertion() }, ours);
    expect(inBrowser.body).toEqual({ account: expect.objectContaining({ id: cleo.id }) });
    expect(cookieOf(inBrowser)).toContain('__Host-carillon_session=');
    expect(await cleo.session('DELETE', '/password')).toMatchObject({ status: 200 });
    const last = { status: 409, body: { code: 'LAST_SIGN_IN_METHOD' } };
    expect(await cleo.session('DELETE', `/passkeys/${added.body.passkey.id}`)).toMatchObject(last);
    expect((await cleo.session('GET', '/passkeys')).body).toEqual({
      passkeys: [{ ...added.body.passkey, lastUsedAt: expect.any(String) }],
    });
  });
});

describe('signing in', () => {
  it('gives an app its tokens and a browser its cookie', async () => {
    const app = await signIn();
    expect(app.body).toEqual({
      account: expect.objectContaining({ id: person.id, email: person.email, name: 'Ada' }),
      accessToken: expect.stringMatching(/^carillon_ses_/),
      refreshToken: expect.stringMatching(/^carillon_srt_/),
      expiresAt: expect.any(String),
    });
    const browser = await signIn({ client: 'browser' });
    expect(browser.body).toEqual({ account: expect.objectContaining({ id: person.id }) });
    const [session, mark, ...more] = browser.headers.getSetCookie();
    expect(session).toMatch(
      /^__Host-carillon_session=carillon_ses_\w+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(mark).toMatch(
      /^__Host-carillon_browser=[\w-]{22}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(more).toEqual([]);
  });

  it('fails alike for a wrong password and for an address that nobody has', async () => {
    const wrong = await signIn({ password: 'not the password' });
    const nobody = await signIn({ email: 'nobody@example.test' });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
    expect(nobody.body).toEqual(wrong.body);
  });

  it('is stopped after ten failures, for that account only, for a while', async () => {
    const victim = await house.anotherAccount();
    await house.beginWindow(15 * 60);
    const guess = () =>
      post('/login/password', { email: victim.email, password: 'a wrong password', client: 'app' });
    for (let n = 0; n < 10; n += 1) expect((await guess()).status).toBe(401);
    const stopped = await guess();
    expect(stopped).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', limit: 10 } });
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await signIn()).status).toBe(200);
    await house.advance(31 * 60);
    expect(typeof (await victim.signIn())).toBe('string');
  });
});

describe('an app session', () => {
  it('ends after an hour and goes on with its refresh token', async () => {
    const first = (await signIn()).body;
    await house.advance(3_601);
    expect(await house.http('GET', '/api/session/me', { token: first.accessToken })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_EXPIRED' },
    });
    const second = await post('/refresh', { refreshToken: first.refreshToken });
    expect(second.status).toBe(200);
    expect((await house.http('GET', '/api/session/me', { token: second.body.accessToken })).status).toBe(200);
  });

  it('ends as a whole when a used refresh token comes again', async () => {
    const first = (await signIn()).body;
    const second = (await post('/refresh', { refreshToken: first.refreshToken })).body;
    // For a while it may be that the answer was lost.
    expect((await post('/refresh', { refreshToken: first.refreshToken })).body).toEqual(second);
    await house.advance(31);
    expect(await post('/refresh', { refreshToken: first.refreshToken })).toMatchObject({ status: 401 });
    expect(await post('/refresh', { refreshToken: second.refreshToken })).toMatchObject({ status: 401 });
    expect((await house.http('GET', '/api/session/me', { token: second.accessToken })).status).toBe(401);
  });

  it('ends when the person signs out, and only that one', async () => {
    const [one, other] = [(await signIn()).body, (await signIn()).body];
    expect((await house.http('POST', '/api/session/logout', { token: one.accessToken })).body).toEqual({
      ok: true,
    });
    expect((await house.http('GET', '/api/session/me', { token: one.accessToken })).status).toBe(401);
    expect((await house.http('GET', '/api/session/me', { token: other.accessToken })).status).toBe(200);
  });
});

describe('a browser session', () => {
  it('comes by cookie, and only from our own pages', async () => {
    const cookie = cookieOf(await signIn({ client: 'browser' }));
    const me = (method: string, headers: Record<string, string>, body?: unknown) =>
      house.http(method, '/api/session/me', { headers: { cookie, ...headers }, body, token: null });
    expect((await me('GET', {})).status).toBe(200);
    expect((await me('PATCH', ours, { name: 'Ada L.' })).status).toBe(200);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.test' }, {}])
      expect(await me('PATCH', headers as Record<string, string>, { name: 'Eve' })).toMatchObject({
        status: 403,
        body: { code: 'CSRF_REJECTED' },
      });
    expect((await me('GET', {})).body.account.name).toBe('Ada L.');
  });

  it('let the former cookie go on after the person had signed in again', async () => {
    const [former, elsewhere] = [
      cookieOf(await signIn({ client: 'browser' })),
      cookieOf(await signIn({ client: 'browser' })),
    ];
    const me = async (cookie: string) =>
      (await house.http('GET', '/api/session/me', { headers: { cookie }, token: null })).status;
    const again = async (cookie: string) =>
      post('/login/password', { email: person.email, password: person.password }, { cookie, ...ours });
    const next = cookieOf(await again(former));
    expect(next).not.toBe(former);
    expect([await me(next), await me(former), await me(elsewhere)]).toEqual([200, 401, 200]);
    // One that is over already is no hindrance.
    expect(await me(cookieOf(await again(former)))).toBe(200);
    expect(await me(next)).toBe(200);
  });

  it('does not work as a bearer token, nor an app’s token as a cookie', async () => {
    const secret = cookieOf(await signIn({ client: 'browser' })).split('=')[1] as string;
    expect((await house.http('GET', '/api/session/me', { token: secret })).status).toBe(401);
    const { accessToken } = (await signIn()).body;
    const headers = { cookie: `__Host-carillon_session=${accessToken}` };
    expect((await house.http('GET', '/api/session/me', { headers })).status).toBe(401);
  });

  it('may not register a phone', async () => {
    const cookie = cookieOf(await signIn({ client: 'browser' }));
    const answer = await post('/devices', {}, { cookie, ...ours });
    expect(answer).toMatchObject({ status: 403, body: { code: 'HUMAN_SESSION_REQUIRED' } });
  });
});

describe('an API token', () => {
  const create = (body: object, token?: string) =>
    person.session('POST', '/tokens', { body, ...(token && { token }) });

  it('is shown once, works at once, and is listed without its secret', async () => {
    const made = await create({ name: 'CI', scopes: ['notifications:send', 'inbox:read'] });
    expect(made.status).toBe(201);
    expect(made.body.secret).toMatch(/^carillon_pat_0[0-9A-Za-z]{38}$/);
    expect(made.body.secret.startsWith(made.body.token.prefix)).toBe(true);
    expect((await person.api('GET', '/inbox/projects', { token: made.body.secret })).status).toBe(200);
    const listed = (await person.session('GET', '/tokens')).body;
    expect(listed.tokens).toContainEqual(expect.objectContaining({ id: made.body.token.id, name: 'CI' }));
    expect(JSON.stringify(listed)).not.toContain(made.body.secret);
  });

  it('ends at once everywhere when it is revoked', async () => {
    const made = (await create({ name: 'CI', scopes: ['inbox:read'] })).body;
    expect((await person.api('GET', '/inbox/projects', { token: made.secret })).status).toBe(200);
    for (let times = 0; times < 2; times += 1)
      expect((await person.session('DELETE', `/tokens/${made.token.id}`)).body).toEqual({ ok: true });
    expect(await person.api('GET', '/inbox/projects', { token: made.secret })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_REVOKED' },
    });
  });

  it('of another account cannot be revoked', async () => {
    const other = await house.anotherAccount();
    const made = (await create({ name: 'CI', scopes: ['inbox:read'] })).body;
    expect(await other.session('DELETE', `/tokens/${made.token.id}`)).toMatchObject({ status: 404 });
    expect((await person.api('GET', '/inbox/projects', { token: made.secret })).status).toBe(200);
  });

  it('needs a sign-in of the last 15 minutes', async () => {
    const { accessToken } = (await signIn()).body;
    await house.advance(15 * 60 + 1);
    expect(await create({ name: 'CI', scopes: ['inbox:read'] }, accessToken)).toMatchObject({
      status: 401,
      body: { code: 'REAUTH_REQUIRED' },
    });
    expect((await house.http('GET', '/api/session/me', { token: accessToken })).status).toBe(200);
  });

  it('is needed to change the password, and the current one too', async () => {
    const who = await house.anotherAccount();
    const token = await who.signIn();
    const put = (body: object) => who.session('PUT', '/password', { token, body });
    expect(
      await put({ current: 'not this one either', next: 'another horse, another battery' }),
    ).toMatchObject({
      status: 403,
      body: { code: 'WRONG_PASSWORD' },
    });
    expect(await put({ current: 'x', next: 'too short' })).toMatchObject({ status: 400 });
    await house.advance(15 * 60 + 1);
    expect(await put({ current: 'x', next: 'another horse, another battery' })).toMatchObject({
      status: 401,
      body: { code: 'REAUTH_REQUIRED' },
    });
  });

  it('needs none to be revoked', async () => {
    const { accessToken } = (await signIn()).body;
    const made = (await create({ name: 'Lost', scopes: ['inbox:read'] }, accessToken)).body;
    await house.advance(15 * 60 + 1);
    expect(
      await house.http('DELETE', `/api/session/tokens/${made.token.id}`, { token: accessToken }),
    ).toMatchObject({ status: 200, body: { ok: true } });
  });

  it.each([
    [{ scopes: [] }],
    [{ scopes: ['everything'] }],
    [{ scopes: ['inbox:read', 'inbox:read'] }],
    [{ scopes: ['inbox:read'], expiresAt: '2020-01-01T00:00:00Z' }],
    [{ scopes: ['inbox:read'], expiresAt: '2099-01-01T00:00:00Z' }],
    [{ scopes: ['inbox:read'], admin: true }],
  ])('is refused with %j', async (body) =>
    expect(await create({ name: 'CI', ...body }, await person.signIn())).toMatchObject({ status: 400 }),
  );
});

describe('a phone', () => {
  const registration = {
    installId: 'install-1',
    platform: 'ios',
    pushToken: 'ab'.repeat(32),
    pushEnvironment: 'sandbox',
    appBuild: '1.0',
    liveActivitiesCapable: true,
    interactiveLiveActivitiesCapable: false,
  };

  it('is one device however often its app opens', async () => {
    const owner = await house.anotherAccount();
    const first = await owner.session('POST', '/devices', { body: registration });
    expect(first.status).toBe(201);
    expect(first.body.device).toMatchObject({
      id: expect.stringMatching(/^dev_/),
      platform: 'ios',
      active: true,
    });
    const second = await owner.session('POST', '/devices', {
      body: { ...registration, deviceName: 'Ada’s phone' },
    });
    expect(second).toMatchObject({
      status: 200,
      body: { device: { id: first.body.device.id, deviceName: 'Ada’s phone' } },
    });
    expect((await owner.api('GET', '/devices')).body.devices).toHaveLength(1);
  });

  it('takes its push token along to another account', async () => {
    const [seller, buyer] = [await house.anotherAccount(), await house.anotherAccount()];
    const body = { ...registration, installId: 'install-2', pushToken: 'cd'.repeat(32) };
    await seller.session('POST', '/devices', { body });
    await buyer.session('POST', '/devices', { body });
    expect((await seller.api('GET', '/devices')).body.devices).toMatchObject([{ active: false }]);
    expect((await buyer.api('GET', '/devices')).body.devices).toMatchObject([{ active: true }]);
  });

  it('changes its tokens, and reports what it received', async () => {
    const owner = await house.anotherAccount();
    const body = { ...registration, installId: 'install-3', pushToken: 'ef'.repeat(32) };
    const { id } = (await owner.session('POST', '/devices', { body })).body.device;
    const changed = await owner.session('PUT', `/devices/${id}/tokens`, {
      body: { pushToken: '01'.repeat(32), environment: 'sandbox' },
    });
    expect(changed).toMatchObject({ status: 200, body: { device: { id } } });
    const receivedAt = await house.advance(0);
    const receipts = { receipts: [{ notificationId: 'anot_0123456789abcdefghjkmnpqrs', receivedAt }] };
    expect(await owner.session('POST', `/devices/${id}/receipts`, { body: receipts })).toMatchObject({
      status: 200,
    });
    const other = await house.anotherAccount();
    expect((await other.session('POST', `/devices/${id}/receipts`, { body: receipts })).status).toBe(404);
    expect(
      (
        await other.session('PUT', `/devices/${id}/tokens`, {
          body: { pushToken: '02'.repeat(32), environment: 'sandbox' },
        })
      ).status,
    ).toBe(404);
  });
});
