import {
  authenticatorCode,
  eventually,
  freePort,
  type House,
  type HouseAccount,
  IdentityProvider,
  providersFile,
} from '@carillon/testkit';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import type { Page, Request } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { authenticator, Desk, signIn, startDeskHouse, tabTo, violationsAnywhere } from './testbed';

let house: House;
let desk: Desk;
let provider: IdentityProvider;
let providers: ReturnType<typeof providersFile>;
const mails: string[] = [];
const mailServer = new SMTPServer({
  logger: false,
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData: (stream, _session, done) => {
    void text(stream).then((raw) => {
      mails.push(raw.replace(/=\r\n/g, ''));
      done();
    });
  },
});
beforeAll(async () => {
  const port = await freePort();
  mailServer.listen(port, '127.0.0.1');
  provider = new IdentityProvider(await freePort());
  providers = providersFile({ odd: provider.issuer });
  house = await startDeskHouse({
    CARILLON_OIDC_FILE: providers.file,
    CARILLON_SMTP_URL: `smtp://127.0.0.1:${port}`,
    CARILLON_MAIL_FROM: 'Carillon <bells@example.test>',
  });
  await provider.start(house.certificate);
  desk = await Desk.open(house);
}, 420_000);
afterEach(() => desk?.clear());
afterAll(async () => {
  await desk?.close();
  await provider?.stop();
  await house?.close();
  providers?.remove();
  mailServer.close();
}, 120_000);

const send = async (person: HouseAccount, body: object): Promise<string> => {
  const sent = await person.api('POST', '/notifications', { body });
  expect(sent.status).toBe(201);
  return sent.body.notification.id;
};
const row = (page: Page, title: string) => page.getByRole('link', { name: title });

describe('signing in', () => {
  it('shows what is wrong, then the inbox, and signs out again', async () => {
    const person = await house.anotherAccount('Ada Lovelace');
    const page = await (await desk.another()).newPage();
    await page.goto(desk.url().slice(0, -1));
    expect(page.url()).toBe(desk.url());
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Request').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing here yet.').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('asks for the code of an authenticator app where there is one, and takes a recovery code instead', async () => {
    const person = await house.anotherAccount();
    const { secret } = (await person.session('POST', '/totp', { body: {} })).body;
    const code = (atMs: number) => authenticatorCode(secret, atMs);
    const confirmed = await person.session('POST', '/totp/confirm', { body: { code: code(Date.now()) } });
    expect(confirmed.status).toBe(200);
    const begin = async () => {
      const page = await (await desk.another()).newPage();
      await page.goto(desk.url());
      await page.getByLabel('E-mail address').fill(person.email);
      await page.getByLabel('Password').fill(person.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      return page;
    };
    const page = await begin();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('Code of your authenticator app').fill(code(Date.now() + 30_000));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing here yet.').waitFor();
    const other = await begin();
    await other.getByLabel('Recovery code').fill(confirmed.body.recoveryCodes[0]);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('Nothing here yet.').waitFor();
  });

  it('takes a passkey, and a recovery code once its authenticator is lost', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'account');
    // As a browser that suggests none: the virtual authenticator takes a suggestion at once.
    await page.addInitScript('delete PublicKeyCredential.isConditionalMediationAvailable');
    const key = await authenticator(page);
    await page.getByLabel('Name').fill('Blue key');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const codes = page.getByRole('region', { name: 'The recovery codes' });
    const [code = '', ...others] = ((await codes.locator('code').textContent()) ?? '').split('\n');
    expect(others).toHaveLength(9);
    await page.getByText('Blue key', { exact: true }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the password' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the password' }).click();
    await page.getByText('The password is removed.').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Nothing here yet.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await key.lose();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByRole('textbox', { name: 'Recovery code' }).fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing here yet.').waitFor();
    await page.locator('header .person a').click();
    await page.getByText('last used').waitFor();
    await page.getByLabel('New password').fill('the password of a new start');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No passkey yet.').waitFor();
  });

  it('goes to a provider and back, says what is wrong there, and links and unlinks an identity', async () => {
    desk.destinations.push(provider.issuer);
    const person = await house.anotherAccount();
    provider.claims = { email: person.email };
    const page = await (await desk.another()).newPage();
    await page.goto(desk.url('account'));
    const withProvider = page.getByRole('link', { name: 'Sign in with The odd one' });
    await withProvider.click();
    await page.getByRole('alert').getByText('An account has your address already.').waitFor();
    expect(page.url()).toBe(desk.url());
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // Where the person was when the sign-in began.
    const others = page.getByRole('region', { name: 'Other providers' });
    await others.getByRole('button', { name: 'Link The odd one' }).click();
    await others.getByText(person.email).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await withProvider.click();
    await page.getByText('Nothing here yet.').waitFor();
    await page.locator('header .person a').click();
    await others.getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await others.getByText('No identity yet.').waitFor();
  });

  it('suggests a passkey for the address, and takes it without a press of a button', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'account');
    await authenticator(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('region', { name: 'The recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Nothing here yet.').waitFor();
  });

  it('sends a link by mail, which signs in by a press of its button', async () => {
    const person = await house.anotherAccount();
    const page = await (await desk.another()).newPage();
    await page.goto(desk.url());
    await page.getByRole('button', { name: 'Send me a link by mail' }).click();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('a link is on its way').waitFor();
    const link = await eventually(
      () =>
        mails
          .filter((mail) => mail.includes(person.email))
          .flatMap((mail) => /http\S+\/sign-in\/\S+/.exec(mail) ?? [])[0],
      () => 'no link came by mail',
    );
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing here yet.').waitFor();
  });

  it('sets up an authenticator app by its QR code, and asks to sign in again in place', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'account');
    // As the server answers 15 minutes after a sign-in.
    const tooLongAgo = { error: 'Sign in again to do this.', code: 'REAUTH_REQUIRED' };
    await page.route('**/api/session/totp', (route) => route.fulfill({ status: 401, json: tooLongAgo }), {
      times: 1,
    });
    await page.getByText('Off: the password alone signs you in.').waitFor();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByLabel('Your password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByLabel('Your password').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    const app = page.getByRole('region', { name: 'Authenticator app' });
    const secret = (await app.locator('code').textContent()) ?? '';
    await app.getByLabel('Code of the app').first().fill(authenticatorCode(secret, Date.now()));
    await app.getByRole('button', { name: 'Confirm' }).click();
    await app.getByText('The app is set up.').waitFor();
    await app.getByText('On: a sign-in with the password asks for its code.').waitFor();
    await page.getByRole('region', { name: 'The recovery codes' }).waitFor();
    const login = await house.http('POST', '/api/session/login/password', {
      body: { email: person.email, password: person.password, client: 'app' },
    });
    expect(login).toMatchObject({ status: 401, body: { code: 'SECOND_FACTOR_REQUIRED' } });
  });

  it('leads back to the page that was asked for, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const id = await send(person, { title: 'Backup done', body: 'All is well' });
    const page = await (await desk.another()).newPage();
    await page.goto(desk.url(`notifications/${id}`));
    await tabTo(page, 'E-mail address');
    await page.keyboard.type(person.email);
    await tabTo(page, 'Password');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Backup done' }).waitFor();
  });
});

describe('the inbox', () => {
  it('shows what comes without being asked, in every tab, and what one tab reads is read in all', async () => {
    const person = await house.anotherAccount();
    const context = await desk.another();
    const [first, second] = [await signIn(desk, context, person), await context.newPage()];
    await second.goto(desk.url());
    await second.getByText('Nothing here yet.').waitFor();
    await send(person, {
      title: 'Build finished',
      body: 'main is green',
      projectId: 'ci',
      projectName: 'CI',
    });
    for (const page of [first, second]) await row(page, 'Build finished').waitFor();
    expect(await violationsAnywhere(first)).toEqual([]);

    await row(first, 'Build finished').click();
    await first.getByRole('heading', { name: 'Build finished' }).waitFor();
    await first.getByText('main is green').waitFor();
    await second.getByRole('img', { name: 'Unread' }).waitFor({ state: 'detached' });
    expect(await violationsAnywhere(first)).toEqual([]);
    await first.getByRole('button', { name: 'Mark as unread' }).click();
    await second.getByRole('img', { name: 'Unread' }).waitFor();
    await second.getByRole('button', { name: 'Mark all as read' }).click();
    await second.getByRole('img', { name: 'Unread' }).waitFor({ state: 'detached' });
  });

  it('has one stream for twenty tabs, which another tab continues when the first is closed', async () => {
    const person = await house.anotherAccount();
    const context = await desk.another();
    const streams = new Set<string>();
    const requests = new Set<Request>();
    context.on('request', (request) => {
      if (!request.url().endsWith('/stream')) return;
      requests.add(request);
      streams.add(request.headers()['last-event-id'] ?? '');
    });
    const over = (request: Request): void => void requests.delete(request);
    context.on('requestfailed', over).on('requestfinished', over);
    // A page that is closed takes its requests with it, without a word.
    const open = () => [...requests].filter((request) => !request.frame().page().isClosed()).length;
    const first = await signIn(desk, context, person);
    const others = await Promise.all(
      Array.from({ length: 19 }, async () => {
        const page = await context.newPage();
        await page.goto(desk.url());
        await page.getByText('Nothing here yet.').waitFor();
        return page;
      }),
    );
    await send(person, { title: 'While it is open', body: 'told by the first' });
    await Promise.all(others.map((page) => row(page, 'While it is open').waitFor()));
    expect(open()).toBe(1);
    await first.close();
    await send(person, { title: 'After the first', body: 'told by another' });
    await Promise.all(others.map((page) => row(page, 'After the first').waitFor()));
    expect(open()).toBe(1);
    expect([...streams].filter((position) => position !== '')).toHaveLength(1);
  });

  it('can be used after six requests at most, and two round trips', async () => {
    const person = await house.anotherAccount();
    await send(person, { title: 'Soon here', body: 'after few requests' });
    const context = await desk.another({ hasWorker: false });
    await (await signIn(desk, context, person)).close();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const counts = ['script', 'stylesheet', 'fetch'].includes(request.resourceType());
      if (counts && !pathname.endsWith('/stream')) asked.push(pathname);
    });
    // Its first connection has the lists read again.
    await page.route('**/api/session/stream', () => {});
    await page.goto(desk.url());
    await row(page, 'Soon here').waitFor();
    const first = asked.slice(0, 6);
    for (const list of ['/inbox/notifications', '/prompts', '/oncall/me'])
      expect([list, asked.filter((path) => path === `/api/session${list}`), first]).toEqual([
        list,
        [`/api/session${list}`],
        expect.arrayContaining([`/api/session${list}`]),
      ]);
    // The files are named by the document, and the first asks for the lists without waiting for the others.
    expect(first.filter((path) => path.startsWith('/console/assets/'))).toHaveLength(3);
  });

  it('shows nothing of who was signed in when a page began to load and no longer is', async () => {
    const [ada, grace] = [await house.anotherAccount(), await house.anotherAccount()];
    await send(ada, { title: 'For Ada', body: 'and nobody else' });
    await send(grace, { title: 'For Grace', body: 'and nobody else' });
    const context = await desk.another({ hasWorker: false });
    const first = await signIn(desk, context, ada);
    const page = await context.newPage();
    const shown: string[] = [];
    await page.exposeFunction('told', (text: string) => shown.push(text));
    await page.addInitScript(`new MutationObserver(() => {
      if (document.body && document.body.textContent.includes('For Ada')) told('For Ada');
    }).observe(document, { childList: true, subtree: true })`);
    let goOn = (): void => {};
    const isOther = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/assets/index-*.js', (route) => isOther.then(() => route.continue()));
    const early = page.waitForResponse((response) => response.url().includes('/inbox/notifications'));
    await page.goto(desk.url(), { waitUntil: 'commit' });
    // Nobody reads the answer before the scripts: it does not finish.
    await early;
    await first.getByRole('button', { name: 'Sign out' }).click();
    await first.getByLabel('E-mail address').fill(grace.email);
    await first.getByLabel('Password').fill(grace.password);
    await first.getByRole('button', { name: 'Sign in' }).click();
    await row(first, 'For Grace').waitFor();
    goOn();
    await row(page, 'For Grace').waitFor();
    expect(shown).toEqual([]);
  });

  it('finds by words, by project and by what is unread', async () => {
    const person = await house.anotherAccount();
    await send(person, { title: 'Disk is full', body: 'on db-1', projectId: 'db', projectName: 'Database' });
    await send(person, { title: 'Coffee is ready', body: 'in the kitchen' });
    const page = await signIn(desk, await desk.another(), person);
    await row(page, 'Coffee is ready').waitFor();
    await page.getByLabel('Search').fill('db-1');
    await page.getByLabel('Search').press('Enter');
    await row(page, 'Coffee is ready').waitFor({ state: 'detached' });
    await row(page, 'Disk is full').waitFor();
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByLabel('Search').press('Enter');
    await page.getByText('Nothing fits.').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Search').press('Enter');
    await row(page, 'Coffee is ready').waitFor();
    await page.getByLabel('Project').selectOption('db');
    await row(page, 'Coffee is ready').waitFor({ state: 'detached' });
    await row(page, 'Disk is full').click();
    await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
    await page.goBack();
    await page.getByLabel('Unread and open only').check();
    await page.getByText('Nothing fits.').waitFor();
  });

  it('shows ten thousand items with few elements, by scrolling', async () => {
    const person = await house.anotherAccount();
    await send(person, { title: 'The first of all', body: 'at the end' });
    // A reader waits for its own row, which a query of the database does not.
    expect((await person.session('GET', '/inbox/notifications')).body.items).toHaveLength(1);
    const database = new pg.Client(house.state.databaseUrl);
    await database.connect();
    await database.query(
      `INSERT INTO read_models.inbox_items
         (account_id, item_id, subject_id, origin, source_name, title, preview, body, body_format, created_at)
       SELECT account_id, 'notification:anot_' || lpad(n::text, 26, '0'), 'anot_' || lpad(n::text, 26, '0'), origin,
         source_name, 'Item ' || n, 'preview', 'body', body_format, created_at + n * interval '1 second'
       FROM read_models.inbox_items, generate_series(1, 9999) n WHERE account_id = $1`,
      [person.id],
    );
    await database.end();
    const page = await signIn(desk, await desk.another(), person);
    await row(page, 'Item 9999').waitFor();
    // In the page, at each frame: a round trip to the browser for each step would take most of the time.
    const most = await page.evaluate(async (last) => {
      let count = 0;
      while (!document.querySelector('main')?.textContent.includes(last)) {
        scrollTo(0, document.documentElement.scrollHeight);
        count = Math.max(count, document.querySelectorAll('*').length);
        await new Promise(requestAnimationFrame);
      }
      return count;
    }, 'The first of all');
    expect(most).toBeLessThanOrEqual(1_500);
    expect(await page.getByRole('listitem').last().getAttribute('aria-setsize')).toBe('10000');
  });

  it('shows nothing of another account, nor of the one that was signed in before', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const context = await desk.another();
    const page = await signIn(desk, context, ada);
    await send(bob, { title: 'For Bob', body: 'alone' });
    await send(ada, { title: 'For Ada', body: 'alone' });
    await row(page, 'For Ada').waitFor();
    expect(await row(page, 'For Bob').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const other = await signIn(desk, context, bob);
    await row(other, 'For Bob').waitFor();
    expect(await row(other, 'For Ada').count()).toBe(0);
    const asked = await bob.session('GET', '/inbox/notifications');
    await other.goto(desk.url(`notifications/${asked.body.items[0].id}`));
    await other.getByText('alone').waitFor();
  });

  it('is gone when the session was ended elsewhere, also for who signs in next', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const page = await signIn(desk, await desk.another(), ada);
    await send(ada, { title: 'For Ada', body: 'alone' });
    await row(page, 'For Ada').waitFor();
    const { sessions } = (await ada.session('GET', '/sessions')).body;
    for (const { id, kind } of sessions)
      if (kind === 'cookie') await ada.session('DELETE', `/sessions/${id}`);
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await page.getByLabel('E-mail address').fill(bob.email);
    await page.getByLabel('Password').fill(bob.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing here yet.').waitFor();
    expect(await row(page, 'For Ada').count()).toBe(0);
  });

  it('runs nothing of what is stored, and asks no other host', async () => {
    const person = await house.anotherAccount();
    const attack = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const markdown = [
      attack,
      '[press](javascript:alert(3)) [data](data:text/html,<script>alert(4)</script>)',
      '![beacon](https://elsewhere.example/beacon.png) <svg onload=alert(5)>',
      '[fine](https://elsewhere.example/) **strong**',
    ].join('\n\n');
    const id = await send(person, {
      title: attack.slice(0, 80),
      body: markdown,
      bodyFormat: 'markdown',
      projectName: attack.slice(0, 60),
      projectId: 'x',
    });
    const context = await desk.another();
    const page = await signIn(desk, context, person);
    const said: string[] = [];
    page.on('dialog', (dialog) => {
      said.push(dialog.message());
      void dialog.dismiss();
    });
    // The name of the project also stands among the choices of the list, which are not on the screen.
    await row(page, attack).first().waitFor();
    await page.goto(desk.url(`notifications/notification:${id}`));
    await page.getByRole('link', { name: 'fine' }).waitFor();
    expect(await page.getByText('press').evaluate((e) => e.closest('a'))).toBeNull();
    expect(await page.locator('main img, main script, main svg').count()).toBe(0);
    await page.getByRole('button', { name: 'Show picture: beacon' }).waitFor();
    expect(said).toEqual([]);
    expect(await violationsAnywhere(page)).toEqual([]);
  });

  it('is right again after the server was away', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person);
    await page.getByText('Nothing here yet.').waitFor();
    await house.stop();
    await page.reload().catch(() => {});
    await page.getByRole('alert').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await house.start();
    await send(person, { title: 'Back again', body: 'after a while' });
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await row(page, 'Back again').waitFor();
    await send(person, { title: 'And live', body: 'too' });
    await row(page, 'And live').waitFor();
  });
});

describe('a question', () => {
  const ask = async (person: HouseAccount, body: object): Promise<string> => {
    const asked = await person.api('POST', '/interactions', {
      body: { title: 'Deploy?', prompt: 'To production', ...body },
    });
    expect(asked.status).toBe(201);
    return asked.body.interaction.id;
  };
  const waitFor = async (person: HouseAccount, id: string) =>
    (await person.api('GET', `/interactions/${id}/wait?timeoutSeconds=50`)).body.interaction;

  it('that is answered by a button ends the wait of the agent, and another browser shows who answered', async () => {
    const [person, other] = [await house.anotherAccount(), await house.anotherAccount()];
    const [first, second, strange] = [
      await signIn(desk, await desk.another(), person),
      await signIn(desk, await desk.another({ width: 360, colorScheme: 'dark' }), person),
      await signIn(desk, await desk.another(), other),
    ];
    await strange.getByText('Nothing here yet.').waitFor();
    const id = await ask(person, { kind: 'approval', primaryLabel: 'Ship it' });
    const waiting = waitFor(person, id);
    await row(first, 'Deploy?').click();
    await row(second, 'Deploy?').click();
    await first.getByText('To production').waitFor();
    await second.getByRole('button', { name: 'Ship it' }).waitFor();
    expect(await violationsAnywhere(first)).toEqual([]);
    await tabTo(first, 'Ship it');
    await first.keyboard.press('Enter');
    expect(await waiting).toMatchObject({ status: 'approved', respondingUserId: person.id });
    for (const page of [first, second]) await page.getByText('Approved by you').waitFor();
    expect(await violationsAnywhere(second)).toEqual([]);
    expect(await strange.getByText('Nothing here yet.').count()).toBe(1);
    await strange.goto(desk.url(`prompts/${id}`));
    await strange.getByText('There is no such prompt.').waitFor();
  });

  it('is answered with a choice, or with words of their own', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person);
    const chosen = await ask(person, { kind: 'reply', choices: ['Now', 'Tonight'] });
    await page.goto(desk.url(`prompts/${chosen}`));
    await page.getByRole('button', { name: 'Tonight' }).click();
    await page.getByText('Answered by you').waitFor();
    expect(await waitFor(person, chosen)).toMatchObject({ status: 'replied', response: 'Tonight' });
    const free = await ask(person, { kind: 'reply' });
    await page.goto(desk.url(`prompts/${free}`));
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.locator('.issue').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('Your answer').fill('After the game');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await page.getByRole('blockquote').getByText('After the game').waitFor();
    expect(await waitFor(person, free)).toMatchObject({ response: 'After the game' });
  });

  it('that somebody else was faster to answer says so, and how it was answered', async () => {
    const person = await house.anotherAccount();
    const context = await desk.another();
    const page = await signIn(desk, context, person);
    const id = await ask(person, { kind: 'yes_no' });
    // Nobody tells this page of the other answer.
    await context.route('**/api/session/stream', (route) => route.abort('connectionrefused'));
    await page.goto(desk.url(`prompts/${id}`));
    await page.getByRole('button', { name: 'Yes' }).waitFor();
    const { actionDigest } = (await person.session('GET', `/prompts/${id}`)).body.interaction;
    const faster = await person.session('POST', `/prompts/${id}/answer`, {
      body: { answer: 'no', actionDigest },
    });
    expect(faster.status).toBe(200);
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Your answer came too late.').waitFor();
    await page.getByText('Answered “no” by you').waitFor();
  });

  it('to several people says who of them has answered', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const teamId = await ada.family(bob);
    const group = await ada.api('POST', `/teams/${teamId}/groups`, {
      body: { name: 'All', userIds: [ada.id, bob.id] },
    });
    const id = await ask(ada, { kind: 'approval', deviceGroupId: group.body.group.id });
    const page = await signIn(desk, await desk.another(), ada, `prompts/${id}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const { actionDigest } = (await bob.session('GET', `/prompts/${id}`)).body.interaction;
    await bob.session('POST', `/prompts/${id}/answer`, { body: { answer: 'denied', actionDigest } });
    await page.getByText('Denied by Bob').waitFor();
  });

  it('that has changed must be read again before it is answered', async () => {
    const person = await house.anotherAccount();
    const id = await ask(person, { kind: 'approval' });
    const context = await desk.another();
    const page = await signIn(desk, context, person);
    await row(page, 'Deploy?').waitFor();
    // Nothing but the answer makes this page read the question again.
    await context.route('**/api/session/stream', (route) => route.abort('connectionrefused'));
    let isFirst = true;
    await page.route(`**/api/session/prompts/${id}`, async (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      const response = await route.fetch();
      const { interaction } = await response.json();
      const former = { ...interaction, prompt: 'To staging', actionDigest: `sha256:${'0'.repeat(64)}` };
      await route.fulfill({ response, json: { interaction: former } });
    });
    await page.goto(desk.url(`prompts/${id}`));
    await page.getByText('To staging').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The question has changed since you read it.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect((await person.session('GET', `/prompts/${id}`)).body.interaction.status).toBe('pending');
    await page.getByRole('button', { name: 'Read it again' }).click();
    await page.getByText('To production').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await waitFor(person, id)).toMatchObject({ status: 'approved' });
  });

  it('and its page of the on-call group can be escalated, acknowledged and resolved', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const teamId = await house.workplaceTeam(ada);
    await ada.takeInto(teamId, bob);
    const group = await ada.api('POST', `/teams/${teamId}/oncall`, {
      body: {
        name: 'Night',
        rotation: { userIds: [ada.id, bob.id], period: 'daily', handoffAt: '09:00', timezone: 'UTC' },
        escalation: [{ afterMinutes: 30, target: 'next' }],
      },
    });
    expect(group.status).toBe(201);
    const page = await signIn(desk, await desk.another(), ada);
    await page.getByText('Nothing here yet.').waitFor();
    const paged = await ada.api('POST', `/oncall/${group.body.id}/pages`, {
      body: { title: 'Database is down' },
    });
    expect(paged.status).toBe(201);
    await row(page, 'Database is down').click();
    await page.getByText('Triggered').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Escalate' }).click();
    await page.getByText('Notified: Ada, Bob.').or(page.getByText('Notified: Bob, Ada.')).waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Acknowledged by Ada').waitFor();
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Resolved by Ada').waitFor();
    expect((await ada.api('GET', `/pages/${paged.body.page.id}`)).body.status).toBe('resolved');
  });
});
