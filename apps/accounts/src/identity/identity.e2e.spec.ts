import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  authenticatorCode,
  freePort,
  type House,
  IdentityProvider,
  PersonBrowser,
  providerClient,
  providerKey,
  providersFile,
  serveSecurely,
  startHouse,
} from '@carillon/testkit';
import { Provider } from 'oidc-provider';

const folder = mkdtempSync(join(tmpdir(), 'carillon-identity-'));
let house: House;
let certified: { issuer: string; stop(): Promise<void> };
let odd: IdentityProvider;
let providers: ReturnType<typeof providersFile>;

/** People at the certified provider. */
const people = new Map<string, { email?: string; email_verified?: boolean; name?: string }>();
let strangers = 0;
const stranger = (more: object = {}): string => {
  const sub = `person-${(strangers += 1)}`;
  people.set(sub, { email: `${sub}@people.example`, email_verified: true, name: 'Ada Byron', ...more });
  return sub;
};

/** The package `oidc-provider`, whose person is whom the browser names in `login_hint`. */
async function startCertified(port: number, callback: string) {
  const issuer = `https://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: providerClient.id,
        client_secret: providerClient.secret,
        redirect_uris: [callback],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [providerKey] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({
        clientId: providerClient.id,
        accountId: String(oidc.session?.accountId),
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const listener = provider.callback();
  const interact = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params } = await provider.interactionDetails(incoming, response);
    const result =
      params['login_hint'] === 'nobody'
        ? { error: 'access_denied' }
        : { login: { accountId: String(params['login_hint']) } };
    await provider.interactionFinished(incoming, response, result);
  };
  const stop = await serveSecurely(port, house.certificate, (incoming, response) => {
    if (incoming.url?.startsWith('/interaction/')) void interact(incoming, response);
    else void listener(incoming, response);
  });
  return { issuer, stop };
}

beforeAll(async () => {
  const [PORT, ports] = [String(await freePort()), [await freePort(), await freePort()] as const];
  odd = new IdentityProvider(ports[1]);
  providers = providersFile({
    certified: `https://127.0.0.1:${ports[0]}`,
    odd: odd.issuer,
    private: 'https://10.0.0.1',
  });
  const env = { PORT, CARILLON_OIDC_FILE: providers.file };
  house = await startHouse({ receivers: true, limits: 'off', env });
  house.ignorePushes();
  certified = await startCertified(ports[0], `${house.state.baseUrl}/api/session/login/oidc/callback`);
  await odd.start(house.certificate);
}, 120_000);
afterAll(async () => {
  await certified?.stop();
  await odd?.stop();
  await house?.close();
  providers?.remove();
  rmSync(folder, { recursive: true, force: true });
}, 90_000);

/** One request of a browser to the certified provider, which this process need not trust. */
async function hop(url: string, jar: Map<string, string>): Promise<string> {
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
  const outgoing = request(url, { rejectUnauthorized: false, agent: false, headers: { cookie } });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.resume();
  for (const set of answer.headers['set-cookie'] ?? []) {
    const [name = '', value = ''] = (set.split('; ')[0] ?? '').split('=');
    jar.set(name, value);
  }
  return new URL(answer.headers.location ?? '', url).href;
}

/** What a person does at the certified provider. Gives the address of the callback. */
async function atProvider(authorization: string, sub: string): Promise<string> {
  const jar = new Map<string, string>();
  let at = `${authorization}&login_hint=${sub}`;
  while (at.startsWith(certified.issuer)) at = await hop(at, jar);
  return at;
}

const newBrowser = () => new PersonBrowser(house.state.baseUrl);
const begin = async (browser: PersonBrowser, provider = 'certified'): Promise<string> => {
  const { status, headers } = await browser.session('GET', `/login/oidc/${provider}`);
  expect(status).toBe(302);
  return headers.get('location') ?? '';
};
/** Where the callback leads. */
const comeBack = async (browser: PersonBrowser, callback: string): Promise<string | null> => {
  const { status, headers } = await browser.go('GET', callback);
  expect(status).toBe(303);
  return headers.get('location');
};
const signIn = async (browser: PersonBrowser, sub: string): Promise<string | null> =>
  comeBack(browser, await atProvider(await begin(browser), sub));
const link = async (browser: PersonBrowser, sub: string): Promise<string | null> => {
  const { status, body } = await browser.session('POST', '/identities/certified', { body: {} });
  expect(status).toBe(200);
  return comeBack(browser, await atProvider(body.redirectTo, sub));
};
const failed = (code: string) => `/console/?signInError=${code}`;
const me = async (browser: PersonBrowser) => (await browser.session('GET', '/me')).body.account;
const identities = async (browser: PersonBrowser) =>
  (await browser.session('GET', '/identities')).body.identities;
const signedInBrowser = async () => {
  const person = await house.anotherAccount();
  const browser = newBrowser();
  await browser.signIn(person);
  return { person, browser };
};

describe('somebody whom a provider knows', () => {
  it('gets an account with the verified address at first, and the same account the next time', async () => {
    const sub = stranger();
    const browser = newBrowser();
    expect((await browser.session('GET', '/login/oidc')).body.providers).toContainEqual({
      id: 'certified',
      name: 'The certified one',
    });
    expect(await signIn(browser, sub)).toBe('/console/');
    const account = await me(browser);
    expect(account).toMatchObject({
      email: `${sub}@people.example`,
      emailVerified: true,
      name: 'Ada Byron',
      operator: false,
    });
    expect(await identities(browser)).toEqual([
      { provider: 'certified', subject: sub, email: account.email, linkedAt: expect.any(String) },
    ]);
    // Another address at the provider changes nothing: the subject counts.
    people.set(sub, { email: 'other@people.example', email_verified: false });
    const elsewhere = newBrowser();
    expect(await signIn(elsewhere, sub)).toBe('/console/');
    expect(await me(elsewhere)).toEqual(account);
    const password = await house.http('POST', '/api/session/login/password', {
      body: { email: account.email, password: 'correct horse battery' },
    });
    expect(password).toMatchObject({ status: 401, body: { code: 'LOGIN_FAILED' } });
  });

  it('gets one account by two sign-ins at once', async () => {
    const sub = stranger();
    const browsers = [newBrowser(), newBrowser(), newBrowser()];
    const callbacks = await Promise.all(
      browsers.map(async (browser) => atProvider(await begin(browser), sub)),
    );
    const ends = await Promise.all(browsers.map((browser, index) => comeBack(browser, callbacks[index]!)));
    expect(ends).toEqual(browsers.map(() => '/console/'));
    const accounts = await Promise.all(browsers.map(me));
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
    expect(await identities(browsers[0]!)).toHaveLength(1);
  });

  it.each([
    ['that the provider has not verified', { email_verified: false }, 'EMAIL_UNVERIFIED'],
    ['that the provider does not name', { email: undefined }, 'EMAIL_UNVERIFIED'],
    ['that is none', { email: 'nobody at home' }, 'EMAIL_UNVERIFIED'],
  ])('gets no account for an address %s', async (_, claims, code) => {
    const browser = newBrowser();
    expect(await signIn(browser, stranger(claims))).toBe(failed(code));
    expect((await browser.session('GET', '/me')).status).toBe(401);
  });

  it('is not let in to the account of an address, which links the identity when it is signed in', async () => {
    const { person, browser } = await signedInBrowser();
    const sub = stranger({ email: person.email });
    expect(await signIn(newBrowser(), sub)).toBe(failed('EMAIL_TAKEN'));
    expect(await link(browser, sub)).toBe('/console/account');
    const elsewhere = newBrowser();
    expect(await signIn(elsewhere, sub)).toBe('/console/');
    expect((await me(elsewhere)).id).toBe(person.id);
  });

  it('is told that the provider refused', async () =>
    expect(await signIn(newBrowser(), 'nobody')).toBe(failed('PROVIDER_REFUSED')));

  it('gives the code of the authenticator app too, where the account has one', async () => {
    const { browser } = await signedInBrowser();
    const sub = stranger();
    await link(browser, sub);
    const { secret } = (await browser.session('POST', '/totp', { body: {} })).body;
    const now = async (): Promise<number> => Date.parse(await house.advance(30));
    const code = authenticatorCode(secret, await now());
    expect((await browser.session('POST', '/totp/confirm', { body: { code } })).status).toBe(200);
    const elsewhere = newBrowser();
    const asked = await elsewhere.go('GET', await atProvider(await begin(elsewhere), sub));
    expect(asked).toMatchObject({ status: 401, body: expect.stringContaining('name="totp"') });
    const give = (totp: string, by = elsewhere) =>
      by.session('POST', '/login/oidc/callback', {
        body: `totp=${totp}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect(await give(code)).toMatchObject({ status: 401, body: expect.stringContaining('is wrong') });
    const next = authenticatorCode(secret, await now());
    expect((await give(next, newBrowser())).headers.get('location')).toBe(failed('SIGN_IN_EXPIRED'));
    expect((await give(next)).headers.get('location')).toBe('/console/');
    expect((await me(elsewhere)).id).toBe((await me(browser)).id);
    expect((await give(next)).headers.get('location')).toBe(failed('SIGN_IN_EXPIRED'));
  });
});

describe('a callback', () => {
  it('is good once, within ten minutes, with its own state, and in the browser that began', async () => {
    const browser = newBrowser();
    const sub = stranger();
    const first = await atProvider(await begin(browser), sub);
    expect(await comeBack(newBrowser(), first)).toBe(failed('SIGN_IN_EXPIRED'));
    const wrong = new URL(first);
    wrong.searchParams.set('state', randomBytes(32).toString('base64url'));
    expect(await comeBack(browser, wrong.href)).toBe(failed('SIGN_IN_EXPIRED'));
    // A failure has ended it: nobody may try states until one fits.
    expect(await comeBack(browser, first)).toBe(failed('SIGN_IN_EXPIRED'));

    const second = await atProvider(await begin(browser), sub);
    const twice = await Promise.all([comeBack(browser, second), comeBack(browser, second)]);
    expect(twice.sort()).toEqual(['/console/', failed('SIGN_IN_EXPIRED')]);

    const third = await atProvider(await begin(browser), sub);
    await house.advance(10 * 60 + 1);
    expect(await comeBack(browser, third)).toBe(failed('SIGN_IN_EXPIRED'));
  });

  it('of one provider is not good for another', async () => {
    const browser = newBrowser();
    const { searchParams } = new URL(await begin(browser, 'odd'));
    const foreign = await atProvider(await begin(newBrowser()), stranger());
    const mixed = new URL(foreign);
    mixed.searchParams.set('state', searchParams.get('state') ?? '');
    expect(await comeBack(browser, mixed.href)).toBe(failed('LOGIN_FAILED'));
  });
});

describe('an identity token', () => {
  /** A sign-in at the odd provider, whose token has these claims besides the right ones. */
  const signInWith = async (
    claims: IdentityProvider['claims'] = {},
    token: IdentityProvider['token'] = (all) => odd.signed(all),
  ): Promise<string | null> => {
    Object.assign(odd, { claims, token });
    const browser = newBrowser();
    return comeBack(browser, odd.callbackOf(await begin(browser, 'odd')));
  };
  const past = Math.floor(Date.now() / 1_000) - 7_200;
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('signs in when all of it is right', async () => expect(await signInWith()).toBe('/console/'));

  it.each<[string, IdentityProvider['claims']]>([
    ['a foreign issuer', { iss: 'https://elsewhere.example' }],
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'somebody-else' }],
    ['a time that is over', { iat: past, exp: past + 3_600 }],
    ['a subject that is none', { sub: 'ä'.repeat(300) }],
  ])('with %s does not', async (_, claims) => expect(await signInWith(claims)).toBe(failed('LOGIN_FAILED')));

  it.each<[string, IdentityProvider['token']]>([
    [
      'of another key',
      (claims) => odd.signed(claims, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    ],
    ['of no key', (claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
    [
      'of the secret of the client',
      (claims) => {
        const head = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`;
        return `${head}.${createHmac('sha256', providerClient.secret).update(head).digest('base64url')}`;
      },
    ],
  ])('with a signature %s does not', async (_, token) =>
    expect(await signInWith({}, token)).toBe(failed('LOGIN_FAILED')),
  );
});

describe('a provider', () => {
  const unavailable = async (provider: string): Promise<void> => {
    const { status, headers } = await newBrowser().session('GET', `/login/oidc/${provider}`);
    expect([status, headers.get('location')]).toEqual([303, failed('PROVIDER_UNAVAILABLE')]);
  };

  it('at an address that is not allowed is not asked', () => unavailable('private'));

  it.each(['foreign', 'hangs', 'too long', 'redirects'] as const)(
    'whose metadata is asked after an hour, and %s, signs nobody in',
    async (metadata) => {
      await house.advance(60 * 60 + 1);
      odd.metadata = metadata;
      await unavailable('odd');
      odd.metadata = 'right';
      await begin(newBrowser(), 'odd');
    },
    30_000,
  );

  it('that is away signs nobody in, and everybody when it is back', async () => {
    const browser = newBrowser();
    const callback = odd.callbackOf(await begin(browser, 'odd'));
    await odd.stop();
    expect(await comeBack(browser, callback)).toBe(failed('PROVIDER_UNAVAILABLE'));
    await odd.start(house.certificate);
    await begin(newBrowser(), 'odd');
  });

  it('that is not configured is not there', async () =>
    expect((await newBrowser().session('GET', '/login/oidc/elsewhere')).headers.get('location')).toBe(
      failed('NOT_FOUND'),
    ));
});

describe('a linked identity', () => {
  it('is linked by who is signed in to the account, whatever address it has, and once', async () => {
    const { person, browser } = await signedInBrowser();
    const sub = stranger({ email_verified: false });
    expect(await link(browser, sub)).toBe('/console/account');
    expect(await identities(browser)).toMatchObject([{ provider: 'certified', subject: sub }]);
    expect((await me(browser)).email).toBe(person.email);
    expect(await browser.session('POST', '/identities/certified', { body: {} })).toMatchObject({
      status: 409,
      body: { code: 'PROVIDER_LINKED' },
    });

    const other = await signedInBrowser();
    expect(await link(other.browser, sub)).toBe(failed('IDENTITY_TAKEN'));
    expect(await identities(other.browser)).toEqual([]);
    expect((await browser.session('DELETE', '/identities/certified')).body).toEqual({ ok: true });
    expect(await browser.session('DELETE', '/identities/certified')).toMatchObject({ status: 404 });
    // The claim of the former account has a minute.
    await house.advance(61);
    expect(await link(other.browser, sub)).toBe('/console/account');
    const signedIn = newBrowser();
    expect(await signIn(signedIn, sub)).toBe('/console/');
    expect((await me(signedIn)).id).toBe(other.person.id);
  });

  it('is of one account also when two link it at once', async () => {
    const both = [await signedInBrowser(), await signedInBrowser()];
    const sub = stranger();
    const callbacks = await Promise.all(
      both.map(async ({ browser }) => {
        const { body } = await browser.session('POST', '/identities/certified', { body: {} });
        return atProvider(body.redirectTo, sub);
      }),
    );
    const ends = await Promise.all(both.map(({ browser }, index) => comeBack(browser, callbacks[index]!)));
    expect(ends.sort()).toEqual(['/console/?signInError=IDENTITY_TAKEN', '/console/account']);
    const listed = await Promise.all(both.map(({ browser }) => identities(browser)));
    expect(listed.flat()).toHaveLength(1);
  });

  it('needs the account signed in from its beginning to its end, and a recent sign-in', async () => {
    const { browser } = await signedInBrowser();
    const { body } = await browser.session('POST', '/identities/certified', { body: {} });
    const callback = await atProvider(body.redirectTo, stranger());
    await browser.session('POST', '/logout', { body: {} });
    expect(await comeBack(browser, callback)).toBe(failed('HUMAN_SESSION_REQUIRED'));
    const old = await signedInBrowser();
    await house.advance(15 * 60 + 1);
    for (const method of ['POST', 'DELETE'])
      expect(await old.browser.session(method, '/identities/certified', { body: {} })).toMatchObject({
        status: 401,
        body: { code: 'REAUTH_REQUIRED' },
      });
  });

  it('stays when it is the last way to sign in, and lets the password go', async () => {
    const newcomer = newBrowser();
    await signIn(newcomer, stranger());
    expect(await newcomer.session('DELETE', '/identities/certified')).toMatchObject({
      status: 409,
      body: { code: 'LAST_SIGN_IN_METHOD' },
    });
    const { browser } = await signedInBrowser();
    expect(await browser.session('DELETE', '/password')).toMatchObject({ status: 409 });
    await link(browser, stranger());
    expect((await browser.session('DELETE', '/password')).status).toBe(200);
    expect(await browser.session('DELETE', '/identities/certified')).toMatchObject({ status: 409 });
    const put = await browser.session('PUT', '/password', {
      body: { next: 'another horse, another battery' },
    });
    expect(put.status).toBe(200);
    expect((await browser.session('DELETE', '/identities/certified')).status).toBe(200);
  });
});

describe('an account with an identity', () => {
  it('is not let in while it is suspended, is exported with it, and leaves it when it is deleted', async () => {
    const sub = stranger();
    const browser = newBrowser();
    await signIn(browser, sub);
    const { id, email } = await me(browser);
    const admin = async (command: string, ...options: string[]): Promise<void> =>
      expect(await house.admin('account', command, ...options)).toMatchObject({ status: 0 });
    await admin('suspend', `--email=${email}`);
    expect(await signIn(newBrowser(), sub)).toBe(failed('ACCOUNT_SUSPENDED'));
    const file = join(folder, 'export.json');
    await admin('export', `--id=${id}`, `--out=${file}`);
    expect(readFileSync(file, 'utf8')).toContain(`"subject":"${sub}"`);
    await admin('delete', `--id=${id}`);
    await house.advance(61);
    const again = newBrowser();
    expect(await signIn(again, sub)).toBe('/console/');
    expect((await me(again)).id).not.toBe(id);
  }, 60_000);
});

describe('an installation', () => {
  it('that was killed goes on with a sign-in, and makes no account for a stranger who needs an invite', async () => {
    const [known, unknown] = [stranger(), stranger()];
    await signIn(newBrowser(), known);
    const [browser, other] = [newBrowser(), newBrowser()];
    const callback = await atProvider(await begin(browser), known);
    const ofStranger = await atProvider(await begin(other), unknown);
    await house.kill9();
    await house.start({ SIGNUP_MODE: 'invite' });
    expect(await comeBack(browser, callback)).toBe('/console/');
    expect(await comeBack(other, ofStranger)).toBe(failed('SIGNUP_CLOSED'));
  }, 120_000);
});
