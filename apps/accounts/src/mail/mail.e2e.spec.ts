import {
  authenticatorCode,
  eventually,
  freePort,
  type House,
  type HouseAccount,
  PersonBrowser,
  SecurityKey,
  startHouse,
} from '@carillon/testkit';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface Received {
  readonly to: string;
  readonly user: string;
  readonly text: string;
}

let house: House;
let port: number;
let server: SMTPServer | undefined;
const mails: Received[] = [];
const tried: string[] = [];

beforeAll(async () => {
  port = await freePort();
  house = await startHouse({
    limits: 'off',
    receivers: true,
    env: {
      CARILLON_SMTP_URL: `smtps://bells:p%40ss@127.0.0.1:${port}`,
      CARILLON_MAIL_FROM: 'Carillon <bells@example.test>',
    },
  });
}, 120_000);
afterAll(async () => {
  await house?.close();
  server?.close();
}, 90_000);

/** A mail server with TLS and a login; it refuses one recipient for good. */
async function startMailServer(): Promise<void> {
  server = new SMTPServer({
    secure: true,
    ...house.certificate,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'p@ss' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) => {
      tried.push(address);
      if (address.startsWith('refused.'))
        done(Object.assign(new Error('no such box'), { responseCode: 550 }));
      else done();
    },
    onData: (stream, { envelope, user }, done) => {
      void text(stream).then((raw) => {
        const [to] = envelope.rcptTo;
        mails.push({ to: to?.address ?? '', user: String(user), text: raw.replace(/=\r\n/g, '') });
        done();
      });
    },
  });
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
}

const http = (path: string, body: object) => house.http('POST', `/api/session${path}`, { body });
const requestLink = (email: string) => http('/login/email', { email });
const accepted = { status: 202, body: { ok: true } };
const isOver = { status: 401, body: { code: 'LINK_INVALID' } };

type Person = Pick<HouseAccount, 'email'>;
const isNotice = ({ text: raw }: Received): boolean => raw.includes('Subject: New sign-in to Carillon');
/** Mails with a link. */
const mailsTo = ({ email }: Person): Received[] =>
  mails.filter((mail) => mail.to === email && !isNotice(mail));
const noticesTo = ({ email }: Person): Received[] =>
  mails.filter((mail) => mail.to === email && isNotice(mail));
/** Waits until the person was told of this many sign-ins, and of no more. */
async function told(person: Person, count: number): Promise<Received[]> {
  await eventually(
    () => noticesTo(person).length >= count || undefined,
    () => `${noticesTo(person).length} of ${count} notices came to ${person.email}`,
    20_000,
  );
  await house.advance(1);
  expect(noticesTo(person)).toHaveLength(count);
  return noticesTo(person);
}
/** Waits for the next mail to this person, and gives the address of its link. */
async function linkTo(person: Person, count = 1): Promise<URL> {
  const all = await eventually(
    () => (mailsTo(person).length >= count ? mailsTo(person) : undefined),
    () => `there is no mail to ${person.email}`,
    20_000,
  );
  expect(all).toHaveLength(count);
  const [link = ''] = /https?:\/\/\S+/.exec(all.at(-1)?.text ?? '') ?? [];
  return new URL(link);
}
const tokenIn = (link: URL): string => link.pathname.split('/').at(-1) ?? '';
const confirm = (link: URL, more: object = {}) =>
  http('/login/email/confirm', { token: tokenIn(link), client: 'app', ...more });
const press = (link: URL, headers: Record<string, string> = {}, body = '') =>
  fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body,
  });

describe('signing in with a link from a mail', () => {
  it('works once the mail server is there, by a press of a button and once, and proves the address', async () => {
    const person = await house.anotherAccount();
    expect((await person.session('GET', '/me')).body).toMatchObject({
      mail: true,
      account: { emailVerified: false },
    });
    expect((await house.http('GET', '/api/session/login/email')).body).toEqual({ mail: true });
    // Nothing listens there; later something that never says a word.
    expect(await requestLink(person.email)).toMatchObject(accepted);
    expect(await requestLink('nobody@example.test')).toMatchObject(accepted);
    const silent = createServer().listen(port, '127.0.0.1');
    const met = once(silent, 'connection');
    await house.advance(16);
    await met;
    silent.close();
    await startMailServer();
    await house.advance(16);

    const link = await linkTo(person);
    expect(mailsTo(person)).toMatchObject([{ user: 'bells' }]);
    expect(mails.filter((mail) => !isNotice(mail))).toHaveLength(1);
    expect(link.origin).toBe(new URL(house.state.baseUrl).origin);
    for (let looks = 0; looks < 2; looks += 1) {
      const page = await fetch(link);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toBe(
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await page.text()).toContain('<form method="post"><button>Sign in</button></form>');
    }
    // Another site cannot press it.
    expect((await press(link, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const pressed = await press(link);
    expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/console/']);
    const cookie = pressed.headers.get('set-cookie')?.split(';')[0] ?? '';
    const me = await fetch(`${house.state.baseUrl}/api/session/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ account: { id: person.id, emailVerified: true } });

    const again = await press(link);
    expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await again.text()).toContain('not good any longer');
    expect(await confirm(link)).toMatchObject(isOver);
  }, 90_000);

  it('gives one session to many at the same moment', async () => {
    const person = await house.anotherAccount();
    await requestLink(person.email);
    const link = await linkTo(person);
    const all = await Promise.all(Array.from({ length: 20 }, () => confirm(link)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const other of all.filter(({ status }) => status !== 200)) expect(other).toMatchObject(isOver);
  }, 60_000);

  it('asks for the second factor too, and keeps the link until it is right', async () => {
    const person = await house.anotherAccount();
    const { secret } = (await person.session('POST', '/totp', { body: {} })).body;
    const code = async () => authenticatorCode(secret, Date.parse(await house.advance(30)));
    expect((await person.session('POST', '/totp/confirm', { body: { code: await code() } })).status).toBe(
      200,
    );
    await requestLink(person.email);
    const link = await linkTo(person);
    expect(await confirm(link)).toMatchObject({ status: 401, body: { code: 'SECOND_FACTOR_REQUIRED' } });
    expect(await confirm(link, { totp: '000000' })).toMatchObject({
      status: 401,
      body: { code: 'LOGIN_FAILED' },
    });
    const page = await press(link);
    expect(page.status).toBe(401);
    expect(await page.text()).toContain('<input name="totp"');
    const signedIn = await press(link, {}, `totp=${await code()}`);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console/']);
  }, 60_000);

  it('is over after half an hour, with another address, and for a suspended account', async () => {
    const [late, moved, gone] = [
      await house.anotherAccount(),
      await house.anotherAccount(),
      await house.anotherAccount(),
    ];
    for (const { email } of [late, moved, gone]) expect(await requestLink(email)).toMatchObject(accepted);
    const links = [await linkTo(late), await linkTo(moved), await linkTo(gone)] as const;
    const address = `moved.${Date.now()}@example.test`;
    expect((await moved.session('PATCH', '/me', { body: { email: address } })).status).toBe(200);
    expect(await confirm(links[1])).toMatchObject(isOver);
    await house.owner.session('POST', `/operator/accounts/${gone.id}/suspend`);
    expect(await confirm(links[2])).toMatchObject({ status: 403, body: { code: 'ACCOUNT_SUSPENDED' } });
    await house.advance(30 * 60);
    expect(await confirm(links[0])).toMatchObject(isOver);
    expect(await confirm(new URL(`/sign-in/${'0'.repeat(48)}`, house.state.baseUrl))).toMatchObject(isOver);
    // A suspended account gets no more mail.
    expect(await requestLink(gone.email)).toMatchObject(accepted);
    await requestLink(late.email);
    await linkTo(late, 2);
    expect(mailsTo(gone)).toHaveLength(1);
  }, 60_000);

  it('is limited for each address, known or not', async () => {
    await house.beginWindow(15 * 60);
    const person = await house.anotherAccount();
    for (const email of [person.email, `nobody.${Date.now()}@example.test`]) {
      for (let count = 0; count < 5; count += 1) expect(await requestLink(email)).toMatchObject(accepted);
      expect(await requestLink(email.toUpperCase())).toMatchObject({
        status: 429,
        body: { code: 'RATE_LIMITED', limit: 5 },
      });
    }
    await linkTo(person, 5);
  }, 60_000);

  it('is not sent again to somebody whom the mail server refuses', async () => {
    const refused = await house.anotherAccount('Refused');
    await requestLink(refused.email);
    await eventually(
      () => tried.includes(refused.email) || undefined,
      () => 'the mail was not tried',
    );
    await house.advance(60);
    expect(tried.filter((address) => address === refused.email)).toHaveLength(1);
  }, 60_000);
});

describe('verifying an address with a link from a mail', () => {
  it('needs no session, happens by a press of a button, and once', async () => {
    const person = await house.anotherAccount();
    expect(await person.session('POST', '/email/verification', { body: {} })).toMatchObject(accepted);
    const link = await linkTo(person);
    expect(link.pathname).toMatch(/^\/verify\//);
    expect((await fetch(link)).status).toBe(200);
    // It signs nobody in.
    expect(await confirm(link)).toMatchObject(isOver);
    expect((await person.session('GET', '/me')).body.account.emailVerified).toBe(false);
    const page = await press(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Confirmed')]);
    expect((await person.session('GET', '/me')).body.account.emailVerified).toBe(true);
    expect(await http('/email/verify', { token: tokenIn(link) })).toMatchObject(isOver);
    // There is nothing left to verify.
    expect(await person.session('POST', '/email/verification', { body: {} })).toMatchObject(accepted);
    await house.advance(60);
    expect(mailsTo(person)).toHaveLength(1);
  }, 60_000);
});

describe('a sign-in from a browser that the account has not used', () => {
  /** Signs up in a browser, which nobody is told of. */
  async function signedUp(
    name: string,
  ): Promise<Person & { id: string; browser: PersonBrowser; password: string }> {
    const browser = new PersonBrowser(house.state.baseUrl);
    const person = {
      email: `${name}.${Date.now()}@example.test`,
      password: `correct horse ${Math.random()}`,
    };
    const made = await browser.session('POST', '/signup', { body: { name, ...person } });
    expect(made.status).toBe(201);
    return { ...person, id: made.body.account.id, browser };
  }

  it('is told by mail, once for each browser, whichever way it is, and in an app each time', async () => {
    const person = await signedUp('ada');
    const { browser, email, password } = person;
    await browser.signIn(person);
    // A key, recovery codes, and other browsers.
    const options = (await browser.session('POST', '/passkeys/options', { body: {} })).body;
    const origin = new URL(house.state.baseUrl).origin;
    const key = new SecurityKey(options.rp.id);
    const response = key.register({ challenge: options.challenge, origin, userId: options.user.id });
    const added = await browser.session('POST', '/passkeys', { body: { response } });
    const [recoveryCode] = added.body.recoveryCodes as string[];
    await told(person, 0);

    const other = () => new PersonBrowser(house.state.baseUrl);
    const [byPassword, byPasskey, byCode] = [other(), other(), other()];
    await byPassword.signIn(person);
    const [notice] = await told(person, 1);
    expect(notice?.text).toContain(`${house.state.baseUrl}/console/account`);
    expect(notice?.text).not.toContain('127.0.0.1');
    await byPassword.signIn(person);
    await byPassword.session('POST', '/logout');
    await byPassword.signIn(person);

    const { challenge } = (await byPasskey.session('POST', '/login/passkey/options', { body: {} })).body;
    const signed = { response: key.signIn({ challenge, origin }) };
    expect((await byPasskey.session('POST', '/login/passkey', { body: signed })).status).toBe(200);
    await told(person, 2);
    const recovered = await byCode.session('POST', '/login/recovery', {
      body: { email, password, recoveryCode },
    });
    expect(recovered.status).toBe(200);
    await told(person, 3);

    await requestLink(email);
    expect((await press(await linkTo(person))).status).toBe(303);
    await told(person, 4);
    const inApp = { email, password, client: 'app' };
    for (let count = 0; count < 2; count += 1)
      expect((await http('/login/password', inApp)).status).toBe(200);
    await told(person, 6);
    // The first browser and the others are known for good.
    for (const known of [browser, byPassword, byPasskey, byCode]) await known.signIn(person);
    await told(person, 6);
  }, 60_000);

  it('is told once to each person of one browser, also when it signs in many times at once', async () => {
    const [one, two] = [await signedUp('bea'), await signedUp('cem')];
    await Promise.all(Array.from({ length: 5 }, () => one.browser.signIn(two)));
    await told(two, 1);
    await one.browser.signIn(one);
    await told(one, 0);
  }, 60_000);

  it('is told once after a crash, as is a link, and to nobody who is gone by then', async () => {
    const [person, gone] = [await signedUp('dan'), await signedUp('eva')];
    const { server: running } = server!;
    await new Promise((resolve) => running.close(resolve));
    for (const each of [person, gone]) await new PersonBrowser(house.state.baseUrl).signIn(each);
    await requestLink(person.email);
    const before = Date.parse(await house.advance(0));
    await house.kill9();
    await house.start();
    const deleted = await house.admin('account', 'delete', `--id=${gone.id}`);
    expect(deleted).toMatchObject({ status: 0 });
    await startMailServer();
    // A house that starts again has the time of the wall.
    await house.advance(Math.ceil((before - Date.parse(await house.advance(0))) / 1_000) + 16);
    await told(person, 1);
    await linkTo(person);
    await told(gone, 0);
  }, 90_000);
});
