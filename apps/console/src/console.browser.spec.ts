import { eventually, freePort, type House, type HouseAccount, startHouse } from '@carillon/testkit';
import pg from 'pg';
import type { Page, Request } from 'playwright-core';
import { Desk, signIn, tabTo, violationsAnywhere } from './testbed';

let house: House;
let desk: Desk;
beforeAll(async () => {
  // The same port after a restart, as a page expects it.
  house = await startHouse({ limits: 'off', clock: 'system', env: { PORT: String(await freePort()) } });
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

  it('leads back to the page that was asked for, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const id = await send(person, { title: 'Backup done', body: 'All is well' });
    const page = await (await desk.another()).newPage();
    await page.goto(desk.url(`notifications/notification:${id}`));
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
