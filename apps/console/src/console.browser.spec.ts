import {
  authenticatorCode,
  eventually,
  freePort,
  type House,
  type HouseAccount,
  onCall,
  startHouse,
} from '@carillon/testkit';
import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { Page, Request } from 'playwright-core';
import { authenticator, Desk, PushWorker, signIn, subscribes, tabTo, violationsAnywhere } from './testbed';

let house: House;
let desk: Desk;
beforeAll(async () => {
  // The same port after a restart, as a page expects it.
  house = await startHouse({
    limits: 'off',
    receivers: true,
    clock: 'system',
    env: { PORT: String(await freePort()) },
  });
  house.ignorePushes();
  desk = await Desk.open(house);
}, 420_000);
afterEach(() => desk?.clear());
afterAll(async () => {
  await desk?.close();
  await house?.close();
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

  it('sets up an authenticator app by its QR code, and asks to sign in again in place', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'account');
    // As the server answers 15 minutes after a sign-in.
    const tooLongAgo = { error: 'Sign in again to do this.', code: 'REAUTH_REQUIRED' };
    await page.route('**/api/session/totp', (route) => route.fulfill({ status: 401, json: tooLongAgo }), {
      times: 1,
    });
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
    await page.goto(desk.url());
    await row(page, 'Soon here').waitFor();
    const first = asked.slice(0, 6);
    for (const list of ['/inbox/notifications', '/prompts', '/oncall/me'])
      expect(first).toContain(`/api/session${list}`);
    // The files are named by the document, and their scripts ask for the lists without waiting for each other.
    expect(first.filter((path) => path.startsWith('/console/assets/'))).toHaveLength(3);
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
    let most = 0;
    await eventually(
      async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        const size = Number(await page.evaluate("document.querySelectorAll('*').length"));
        most = Math.max(most, size);
        return (await row(page, 'The first of all').count()) === 1 || undefined;
      },
      () => 'the end of the list does not come',
      60_000,
    );
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
    await page.getByText(attack.slice(0, 60)).first().waitFor();
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

describe('the worker', () => {
  /** The person's browser in this context rings: what the transport sends to it is kept by the simulator. */
  const ringing = async (person: HouseAccount) => {
    const made = await house.simulator('POST', '/phones', { platform: 'web' });
    const { id, subscription } = made.body.phone;
    const page = await signIn(desk, desk.own, person);
    await subscribes(page, subscription);
    // The browser of the story before belonged to somebody else.
    await page.evaluate('localStorage.clear()');
    await page.context().grantPermissions(['notifications'], { origin: new URL(desk.url()).origin });
    await page.goto(desk.url('devices'));
    await page.getByRole('button', { name: 'Ring this browser' }).click();
    await page.getByText('It rings.').waitFor();
    const worker = await PushWorker.of(page);
    /** Hands the worker what the transport has sent next, as its push service and its browser decrypt it. */
    const deliver = async (change = (sent: string): string => sent): Promise<string> => {
      const [push] = await house.expectPushes({ id }, 1);
      const sent = JSON.stringify(push!.payload);
      await worker.push(change(sent));
      return sent;
    };
    return { page, worker, deliver };
  };
  /** Waits until these notifications are shown, and no other. */
  const shows = async (worker: PushWorker, wanted: readonly object[]): Promise<void> => {
    let difference: unknown;
    await eventually(
      async () => {
        const shown = await worker.shown();
        try {
          expect(shown).toMatchObject(wanted);
          return true;
        } catch (error) {
          difference = error;
          return undefined;
        }
      },
      () => String(difference),
    );
  };
  const asks = async (person: HouseAccount, more: object = {}): Promise<string> => {
    const made = await person.api('POST', '/interactions', {
      body: { kind: 'approval', title: 'Deploy?', prompt: 'To production', ...more },
    });
    expect(made.status).toBe(201);
    return made.body.interaction.id;
  };
  const waits = async (person: HouseAccount, id: string) =>
    (await person.api('GET', `/interactions/${id}/wait?timeoutSeconds=50`)).body;
  const statusOf = async (person: HouseAccount, id: string) =>
    (await person.session('GET', `/prompts/${id}`)).body.interaction.status;

  it('shows the question that the transport sent, and its button ends the wait of the agent', async () => {
    const person = await house.anotherAccount('Ana');
    const { page, worker, deliver } = await ringing(person);
    const id = await asks(person, { primaryLabel: 'Ship it' });
    const waiting = waits(person, id);
    const elsewhere = await signIn(desk, await desk.another({ width: 360 }), person, `prompts/${id}`);
    await elsewhere.getByRole('button', { name: 'Ship it' }).waitFor();
    // No page of the console is open.
    await page.goto(`${house.state.baseUrl}/docs/`);
    const sent = await deliver();
    const question = {
      title: 'Deploy?',
      body: 'To production',
      tag: id,
      silent: false,
      actions: [
        { action: 'approved', title: 'Ship it' },
        { action: 'denied', title: 'Deny' },
      ],
    };
    await shows(worker, [question]);
    // A push service may deliver twice.
    await worker.push(sent);
    await shows(worker, [question]);
    await worker.press(id, 'approved');
    expect(await waiting).toMatchObject({
      timedOut: false,
      interaction: { status: 'approved', respondingUserId: person.id },
    });
    await elsewhere.getByText('Approved by you on Chrome on Linux').waitFor();
    await deliver();
    await shows(worker, [{ title: 'Answered by Ana', body: '', tag: id, silent: true, actions: [] }]);
  });

  it('that was stopped shows what comes, and replaces what is withdrawn or has moved on', async () => {
    const ada = await house.anotherAccount('Ada');
    const { groupId } = await onCall(house, [ada]);
    const { worker, deliver } = await ringing(ada);
    const sent = await send(ada, { title: 'Build failed', body: 'main is red' });
    await worker.stop();
    await deliver();
    await shows(worker, [{ title: 'Build failed', tag: sent, silent: false, actions: [] }]);
    const withdrawn = await ada.api('POST', `/notifications/${sent}/withdraw`);
    expect(withdrawn.body).toMatchObject({ status: 'withdrawn' });
    await deliver();
    await shows(worker, [{ title: 'Withdrawn', tag: sent, silent: true, actions: [] }]);
    await worker.clear();

    const paged = await ada.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Database is down' } });
    const { id } = paged.body.page;
    await deliver();
    const shown = { title: 'Database is down', tag: id, silent: false };
    await shows(worker, [{ ...shown, actions: [{ action: 'acknowledge' }, { action: 'escalate' }] }]);
    await worker.press(id, 'acknowledge');
    await eventually(
      async () => (await ada.api('GET', `/pages/${id}`)).body.status === 'acknowledged' || undefined,
      () => 'the page is not acknowledged',
    );
    expect((await ada.session('POST', `/pages/${id}/resolve`, { body: {} })).status).toBe(200);
    await deliver();
    await shows(worker, [{ title: 'Resolved', tag: id, silent: true, actions: [] }]);
  });

  it('says who answered elsewhere, and that an answer was too late', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const group = await ada.api('POST', `/teams/${await ada.family(bob)}/groups`, {
      body: { name: 'All', userIds: [ada.id, bob.id] },
    });
    const { worker, deliver } = await ringing(ada);
    const asked = async () => {
      const id = await asks(ada, { deviceGroupId: group.body.group.id });
      await deliver();
      return id;
    };
    const [seen, late] = [await asked(), await asked()];
    const second = await signIn(desk, await desk.another(), ada, `prompts/${seen}`);
    await second.getByRole('button', { name: 'Approve' }).waitFor();
    await shows(worker, [{ tag: seen }, { tag: late }]);
    const denies = async (id: string) => {
      const { actionDigest } = (await bob.session('GET', `/prompts/${id}`)).body.interaction;
      await bob.session('POST', `/prompts/${id}/answer`, { body: { answer: 'denied', actionDigest } });
    };
    await denies(seen);
    await second.getByText('Denied by Bob').waitFor();
    await deliver();
    await shows(worker, [{ title: 'Answered by Bob', tag: seen, silent: true }, { tag: late }]);
    // Its push says so later than the press.
    await denies(late);
    await worker.press(late, 'approved');
    await shows(worker, [
      { tag: seen },
      { title: 'Deploy?', tag: late, body: expect.stringContaining('answered already') },
    ]);
    expect(await statusOf(ada, late)).toBe('denied');
  });

  it('says why an answer was not taken, and that it was not', async () => {
    const person = await house.anotherAccount();
    const { page, worker, deliver } = await ringing(person);
    const changed = await asks(person);
    await deliver((sent) => sent.replace(/sha256:[0-9a-f]{64}/, `sha256:${'0'.repeat(64)}`));
    await shows(worker, [{ tag: changed }]);
    await worker.press(changed, 'approved');
    await shows(worker, [{ tag: changed, body: expect.stringContaining('has changed') }]);
    await worker.clear();

    const offline = await asks(person);
    await deliver();
    await shows(worker, [{ tag: offline }]);
    await page.context().setOffline(true);
    await worker.press(offline, 'approved');
    await shows(worker, [{ tag: offline, body: expect.stringContaining('no connection') }]);
    await page.context().setOffline(false);
    await worker.clear();

    const signedOut = await asks(person);
    await deliver();
    await shows(worker, [{ tag: signedOut }]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await worker.press(signedOut, 'approved');
    await shows(worker, [{ tag: signedOut, body: expect.stringContaining('signed out') }]);
    for (const id of [changed, offline, signedOut]) expect(await statusOf(person, id)).toBe('pending');
  });

  it('shows something for bytes that it cannot read, and opens the page that a press stands for', async () => {
    const person = await house.anotherAccount();
    const { page, worker, deliver } = await ringing(person);
    await worker.push('\u0000 nothing that anybody could read');
    await shows(worker, [{ title: 'Carillon', actions: [] }]);
    await worker.clear();
    const id = await asks(person);
    await deliver();
    await shows(worker, [{ tag: id }]);
    await Promise.all([worker.press(id, ''), page.getByRole('heading', { name: 'Deploy?' }).waitFor()]);
    expect(page.url()).toBe(desk.url(`prompts/${id}`));
  });
});

describe('setting things up', () => {
  it('makes a service whose URL is shown once, tries it, gives it a new URL and deletes it', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'services');
    await page.getByText('No service yet.').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.issue').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('Title').fill('Backups');
    await page.getByRole('button', { name: 'Create' }).click();
    const url = (await page.locator('.secret code').textContent()) ?? '';
    expect(await violationsAnywhere(page)).toEqual([]);
    const called = await fetch(url, { method: 'POST', body: 'Backup done' });
    expect(called.status).toBeLessThan(300);
    await page.getByText('Last payloads').click();
    await page.getByText('Backup done').first().waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'New URL' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New URL' }).click();
    await eventually(
      async () => (await page.locator('.secret code').textContent()) !== url || undefined,
      () => 'the URL stays the same',
    );
    expect((await fetch(url, { method: 'POST', body: 'again' })).status).toBe(404);
    await page.getByRole('button', { name: 'Hide' }).click();
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.title])')).not.toMatch(
      /hook/i,
    );
    await page.reload();
    await page.getByText('Backups', { exact: true }).waitFor();
    expect(await page.locator('.secret').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No service yet.').waitFor();
  });

  it('makes a token with scopes that works, and revokes it, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'tokens');
    await page.getByText('Tests').first().waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('CI');
    await page.keyboard.press('Enter');
    const token = (await page.locator('.secret code').textContent()) ?? '';
    expect(await violationsAnywhere(page)).toEqual([]);
    const body = { title: 'From CI', body: 'works' };
    expect((await person.api('POST', '/notifications', { body, token })).status).toBe(201);
    expect((await person.api('GET', '/services', { token })).status).toBe(403);
    const own = page.getByRole('listitem').filter({ hasText: 'CI' });
    await own.getByRole('button', { name: 'Revoke' }).focus();
    await page.keyboard.press('Enter');
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await own.waitFor({ state: 'detached' });
    expect((await person.api('POST', '/notifications', { body, token })).status).toBe(401);
  });

  it('grants an OAuth client what the person chooses, and ends it', async () => {
    const person = await house.anotherAccount();
    const client = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><link rel="icon" href="data:,">Signed in');
    }).listen(0, '127.0.0.1');
    await once(client, 'listening');
    const origin = `http://127.0.0.1:${(client.address() as AddressInfo).port}`;
    desk.destinations.push(origin);
    const redirectUri = `${origin}/callback`;
    const registered = await house.http('POST', '/oauth/register', {
      body: { client_name: 'Desk helper', redirect_uris: [redirectUri] },
    });
    const request = new URL('/oauth/authorize', desk.url());
    request.search = new URLSearchParams({
      client_id: registered.body.client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      resource: `${house.state.baseUrl}/mcp`,
      scope: 'notifications:send devices:read devices:write',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'desk',
    }).toString();
    const page = await signIn(desk, await desk.another(), person, 'tokens');
    await page.getByText('No client has asked for access yet.').waitFor();
    await page.goto(request.href);
    await page.getByText('The answer goes to a program on this computer.').waitFor();
    expect(await page.getByLabel('notifications:send').isChecked()).toBe(true);
    expect(await page.getByLabel('devices:write').isChecked()).toBe(false);
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByLabel('notifications:send').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Signed in').waitFor();
    const { searchParams } = new URL(page.url());
    client.close();
    expect([searchParams.get('state'), searchParams.get('code')]).toEqual(['desk', expect.any(String)]);
    await page.goto(`${desk.url()}tokens`);
    const grant = page.getByRole('listitem').filter({ hasText: 'Desk helper' });
    await grant.getByText('devices:read · at').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await grant.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await grant.waitFor({ state: 'detached' });
  });

  it('gives a command line a token for the code that it shows', async () => {
    const person = await house.anotherAccount();
    const begun = await fetch(`${house.state.baseUrl}/oauth/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'cli', host: 'laptop', scope: 'notifications:send' }),
    });
    const { user_code: code, device_code: device } = (await begun.json()) as Record<string, string>;
    const page = await signIn(desk, await desk.another(), person, 'cli');
    await page.getByLabel('The code that the command line shows').fill(code ?? '');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('laptop', { exact: true }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The command line gets its token now.').waitFor();
    const given = await fetch(`${house.state.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: 'cli',
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: device ?? '',
      }),
    });
    expect(await given.json()).toMatchObject({ scope: 'notifications:send' });
  });

  it('makes a reply webhook, tests it, and shows what was answered', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const page = await signIn(desk, await desk.another(), person, 'webhooks');
    await page.getByText('No reply webhook yet.').waitFor();
    await page.getByLabel('Name').fill('CI');
    await page.getByLabel('Address').fill('not an address');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.issue').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.secret code').getByText('whsec_').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await receiver.expect(1);
    await page.getByText('Deliveries').click();
    await page.getByText('delivered', { exact: true }).waitFor();
    await page.getByText(/: 2\d\d, \d+ ms/).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    // A test is no answer of a question.
    expect(await page.getByRole('button', { name: 'Send again', exact: true }).count()).toBe(0);
  });

  it('sends the answer of a question to a reply webhook again', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const made = await person.api('POST', '/webhooks', { body: { name: 'CI', url: receiver.url } });
    const asked = await person.api('POST', '/interactions', {
      body: { kind: 'yes_no', title: 'Deploy?', prompt: 'To production', webhookId: made.body.webhook.id },
    });
    const { id, actionDigest } = asked.body.interaction;
    await person.session('POST', `/prompts/${id}/answer`, { body: { answer: 'yes', actionDigest } });
    await receiver.expect(1);
    const page = await signIn(desk, await desk.another(), person, 'webhooks');
    await page.getByText('Deliveries').click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await receiver.expect(1);
  });

  it('sends all that a reply webhook missed again, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const made = await person.api('POST', '/webhooks', { body: { name: 'CI', url: receiver.url } });
    const webhookId = made.body.webhook.id;
    receiver.says({ status: 503 });
    const asked = await person.api('POST', '/interactions', {
      body: { kind: 'yes_no', title: 'Deploy?', prompt: 'To production', webhookId },
    });
    const { id, actionDigest } = asked.body.interaction;
    await person.session('POST', `/prompts/${id}/answer`, { body: { answer: 'yes', actionDigest } });
    await receiver.expect(1);
    const page = await signIn(desk, await desk.another(), person, 'webhooks');
    await tabTo(page, 'Turn off');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Turn on');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    await tabTo(page, 'Deliveries');
    await page.keyboard.press('Enter');
    await page.getByText('canceled', { exact: true }).waitFor();
    receiver.says({});
    await tabTo(page, 'Send all of them again');
    await page.keyboard.press('Enter');
    await page.locator('.issue').waitFor();
    // The parts of a date have no label that Tab could be told by: the field takes the whole.
    await page.getByLabel('What failed or was canceled since').fill('2026-01-01T00:00');
    await tabTo(page, 'Send all of them again');
    await page.keyboard.press('Enter');
    await page.getByText('1 sent again.').waitFor();
    await receiver.expect(1);
    expect(await violationsAnywhere(page)).toEqual([]);
  });

  it('shares a service with the family, and stops, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const familyId = await ada.family(bob);
    const page = await signIn(desk, await desk.another(), ada, 'services');
    await page.getByText('No service yet.').waitFor();
    await tabTo(page, 'Title');
    await page.keyboard.type('Door');
    await page.keyboard.press('Enter');
    const url = (await page.locator('.secret code').textContent()) ?? '';
    await tabTo(page, 'Share it');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Share with Home');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Share with Home');
    await page.keyboard.press('Enter');
    await page.getByText('Shared with the family').waitFor();
    expect((await ada.api('GET', '/services')).body.services).toMatchObject([{ familyId }]);
    expect(await violationsAnywhere(page)).toEqual([]);
    expect((await fetch(url, { method: 'POST', body: 'Somebody is at the door' })).status).toBeLessThan(300);
    const other = await signIn(desk, await desk.another(), bob);
    await other.getByText('Somebody is at the door').waitFor();
    await tabTo(page, 'Stop sharing with Home');
    await page.keyboard.press('Enter');
    await page.getByText('Share it').waitFor();
    expect((await ada.api('GET', '/services')).body.services).toMatchObject([{ familyId: null }]);
  });

  it('adds an app and agrees to what it may learn, and registers a connector', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another(), person, 'apps');
    await page.getByText('No app yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Grafana');
    await page.getByLabel('Address').fill('https://grafana.example.test/');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('What it may learn').click();
    await page.getByLabel('My name').check();
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.getByText(/It learns your name\./).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Connectors' }).click();
    await page.getByText('No connector yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('At home');
    await page.getByLabel('Id of the tunnel').fill('tunnel-1');
    await page.getByLabel('Host name').fill('home.example.test');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.locator('.secret code').waitFor();
    await page.getByText('never seen').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
  });

  it('shows the progress of what an agent does, and what has happened', async () => {
    const person = await house.anotherAccount();
    await person.addPhone('ios');
    const page = await signIn(desk, await desk.another(), person, 'activities');
    await page.getByText('Nothing is under way.').waitFor();
    const started = await person.api('POST', '/activities', {
      body: { key: 'deploy', props: { title: 'Deploying', progress: 0.25 } },
    });
    expect(started.status).toBe(201);
    await page.getByText('25 %').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
  });
});

describe('an operator', () => {
  it('sees how the installation is, drops what was given up, and suspends an account; others have no such page', async () => {
    const person = await house.anotherAccount('Grace Hopper');
    const rows = new pg.Client({ connectionString: house.state.databaseUrl });
    await rows.connect();
    await rows.query(
      `INSERT INTO push.dead_letters (subject_id, account_id, reason, content) VALUES ('anot_lost', $1, 'too_large', '[]')`,
      [person.id],
    );
    await rows.end();
    const theirs = await signIn(desk, await desk.another(), person);
    expect(await theirs.getByRole('link', { name: 'Operator' }).count()).toBe(0);

    const page = await signIn(desk, await desk.another(), house.owner);
    await page.getByRole('link', { name: 'Operator' }).click();
    const service = page.getByRole('row', { name: 'read-models 1 1' });
    await service.waitFor();
    await page.getByRole('row', { name: /^apns \d+ \d+ \d+$/ }).waitFor();
    await page.getByText('push deliveries anot_lost').waitFor();
    await page.getByText('Grace Hopper', { exact: true }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
    await page.getByText('Nothing was given up.').waitFor();

    await page.getByLabel('Name or address').fill('grace hop');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText(house.owner.email).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('suspended', { exact: true }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    expect(await person.api('GET', '/auth/status')).toMatchObject({ status: 403 });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    expect(await person.api('GET', '/auth/status')).toMatchObject({ status: 200 });
  });
});

describe('a team', () => {
  it('takes somebody in by a link, who makes an account on the way, and tells of it in its audit log', async () => {
    const ada = await house.anotherAccount('Ada');
    const page = await signIn(desk, await desk.another(), ada, 'teams');
    await page.getByText('You are in no family or team.').waitFor();
    await page.getByLabel('Name').fill('The Lovelaces');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'The Lovelaces' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    const url = (await page.locator('.secret code').textContent()) ?? '';
    expect(await violationsAnywhere(page)).toEqual([]);

    const guest = await (await desk.another()).newPage();
    await guest.goto(url);
    await guest.getByRole('link', { name: 'Accept it in the console' }).click();
    await guest.getByRole('link', { name: 'Make an account' }).click();
    await guest.getByLabel('E-mail address').fill(`guest.${Date.now()}@example.test`);
    await guest.getByLabel('Your name').fill('Guest');
    await guest.getByLabel('Password').fill('too short');
    await guest.getByRole('button', { name: 'Make the account' }).click();
    await guest.locator('.issue').waitFor();
    expect(await violationsAnywhere(guest)).toEqual([]);
    await guest.getByLabel('Password').fill('a sentence of my own');
    await guest.getByRole('button', { name: 'Make the account' }).click();
    await guest.getByRole('button', { name: 'Sign out' }).waitFor();
    await guest.goto(url);
    await guest.getByRole('link', { name: 'Accept it in the console' }).click();
    await guest.getByText('Ada invites you into the family').waitFor();
    expect(await violationsAnywhere(guest)).toEqual([]);
    await guest.getByRole('button', { name: 'Join' }).click();
    await guest.getByRole('heading', { name: 'The Lovelaces' }).waitFor();
    await page.reload();
    await page.getByRole('list').getByText('Guest', { exact: true }).waitFor();
    await page.getByText('Audit log').click();
    await page
      .getByText(/Guest · /)
      .first()
      .waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
  });

  it('shows who is on call and why, and an override that was made by the form', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const { groupId } = await onCall(house, [ada, bob]);
    const page = await signIn(desk, await desk.another(), ada, `oncall/${groupId}`);
    await page.getByText(/is on call, until/).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('.issue').first().waitFor();
    const local = (hours: number): string =>
      new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16);
    await page.getByLabel('Who is on call instead').selectOption('Bob');
    await page.getByLabel('From').fill(local(72));
    await page.getByLabel('To', { exact: true }).fill(local(76));
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Take away' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take away' }).click();
    await page.getByText('Nobody stands in for anybody.').waitFor();
  });

  it('changes a rotation only after its preview, and shows the month, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const { groupId } = await onCall(house, [ada, bob]);
    const page = await signIn(desk, await desk.another(), ada, `oncall/${groupId}`);
    await page.getByRole('table').getByText('Bob').first().waitFor();
    await tabTo(page, 'Next month');
    await page.keyboard.press('Enter');
    const next = new Date(new Date().getFullYear(), new Date().getMonth() + 1, 1);
    await page.getByRole('heading', { name: next.toLocaleString('en-US', { month: 'long' }) }).waitFor();
    await tabTo(page, 'Change the rotation');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Bob');
    await page.keyboard.press('Delete');
    await tabTo(page, 'Preview');
    await page.keyboard.press('Enter');
    await page.getByText('There was no page in the last 90 days').waitFor();
    const turns = async () =>
      (await ada.api('GET', `/oncall/${groupId}`)).body.rotation.members.map(
        ({ name }: { name: string }) => name,
      );
    expect(await turns()).toEqual(['Ada', 'Bob']);
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Save the rotation');
    await page.keyboard.press('Enter');
    await page.getByRole('table').getByText('Bob').first().waitFor({ state: 'detached' });
    expect(await turns()).toEqual(['Ada']);
    // On a phone the shifts are in the list alone.
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('makes a device group and names its domain, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const teamId = await house.workplaceTeam(ada);
    await ada.takeInto(teamId, bob);
    const phone = await bob.addPhone('android', { name: 'Pixel' });
    const page = await signIn(desk, await desk.another(), ada, `teams/${teamId}`);
    await page.getByText('No device group.').waitFor();
    await tabTo(page, 'Name of the group');
    await page.keyboard.type('Everybody');
    await tabTo(page, 'Ada');
    await page.keyboard.press('Space');
    await tabTo(page, 'Pixel of Bob');
    await page.keyboard.press('Space');
    await tabTo(page, 'Create the group');
    await page.keyboard.press('Enter');
    await page.getByText('Ada, Pixel of Bob').waitFor();
    const groups = async () => (await ada.api('GET', `/teams/${teamId}/groups`)).body.groups;
    expect(await groups()).toMatchObject([
      { name: 'Everybody', members: [{ userId: ada.id }], devices: [{ id: phone.deviceId }] },
    ]);
    await tabTo(page, 'Change Everybody');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Pixel of Bob');
    await page.keyboard.press('Space');
    await tabTo(page, 'Save the group');
    await page.keyboard.press('Enter');
    await page.getByText('Ada, Pixel of Bob').waitFor({ state: 'detached' });
    expect(await groups()).toMatchObject([{ members: [{ userId: ada.id }], devices: [] }]);
    expect(await violationsAnywhere(page)).toEqual([]);

    await tabTo(page, 'Domain of your addresses');
    await page.keyboard.type('example.test');
    await page.keyboard.press('Enter');
    await page.getByText('To prove example.test').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Take the domain off');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Take the domain off');
    await page.keyboard.press('Enter');
    await page.getByText('To prove example.test').waitFor({ state: 'detached' });
  });
});

describe('a browser as a device', () => {
  it('rings after a press, is in the list once, and says why when it cannot', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const page = await signIn(desk, desk.own, person);
    await page.context().grantPermissions(['notifications'], { origin: new URL(desk.url()).origin });
    const keys = createECDH('prime256v1');
    const [p256dh, auth] = [keys.generateKeys(), randomBytes(16)].map((each) => each.toString('base64url'));
    await subscribes(page, { endpoint: receiver.url, keys: { p256dh: p256dh!, auth: auth! } });
    await page.goto(desk.url('devices'));
    await page.getByText('Nothing can ring you.').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Ring this browser');
    await page.keyboard.press('Enter');
    await page.getByText('It rings.').waitFor();
    const listed = page.getByRole('listitem').filter({ hasText: 'Chrome on Linux' });
    await listed.waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    const devices = async () => (await person.session('GET', '/devices')).body.devices;
    expect(await devices()).toMatchObject([{ platform: 'web', active: true, liveActivitiesCapable: false }]);
    await page.getByRole('button', { name: 'Stop ringing this browser' }).click();
    await page.getByText('Nothing can ring you.').waitFor();
    await page.getByRole('button', { name: 'Ring this browser' }).click();
    await listed.waitFor();
    await listed.getByRole('button', { name: 'Take away' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take away' }).click();
    await page.getByText('Nothing can ring you.').waitFor();
    // Its next start does not bring it back.
    await page.reload();
    await page.getByText('Nothing can ring you.').waitFor();
    await page.getByText('It does not ring yet.').waitFor();
    expect(await devices()).toEqual([]);

    const stranger = await signIn(desk, await desk.another(), person, 'devices');
    await stranger.evaluate(
      'Object.assign(PushManager.prototype, { subscribe: () => Promise.reject(new DOMException("", "AbortError")) })',
    );
    await stranger.context().grantPermissions(['notifications'], { origin: new URL(desk.url()).origin });
    await stranger.getByRole('button', { name: 'Ring this browser' }).click();
    await stranger.getByText('The push service of this browser cannot be reached.').waitFor();
    expect(await violationsAnywhere(stranger)).toEqual([]);
  });
});
