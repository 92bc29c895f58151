import { eventually, type House, type HouseAccount, onCall } from '@carillon/testkit';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Desk, signIn, startDeskHouse, tabTo, violationsAnywhere } from './testbed';

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await startDeskHouse();
  desk = await Desk.open(house);
}, 420_000);
afterEach(() => desk?.clear());
afterAll(async () => {
  await desk?.close();
  await house?.close();
}, 120_000);

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

  it('leads from an answered question to its delivery, and sends that again', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const made = await person.api('POST', '/webhooks', { body: { name: 'CI', url: receiver.url } });
    const asked = await person.api('POST', '/interactions', {
      body: { kind: 'yes_no', title: 'Deploy?', prompt: 'To production', webhookId: made.body.webhook.id },
    });
    const { id } = asked.body.interaction;
    const deliveries = async (who = person) =>
      (await who.session('GET', `/prompts/${id}/deliveries`)).body.deliveries;
    expect(await deliveries()).toEqual([]);
    const page = await signIn(desk, await desk.another(), person, `prompts/${id}`);
    await page.getByRole('button', { name: 'Yes' }).click();
    await receiver.expect(1);
    // The page looks again while it was not attempted.
    await page.getByText(/^CI delivered attempt 1: 2\d\d, \d+ ms, /).waitFor();
    expect(await deliveries()).toMatchObject([{ webhookName: 'CI', status: 'delivered' }]);
    expect(await deliveries(house.owner)).toBeUndefined();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'CI' }).click();
    await page.getByText('Deliveries').click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await receiver.expect(1);
  });

  it('makes a reply webhook, sends one delivery again, and gives a new secret, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const page = await signIn(desk, await desk.another({ width: 360 }), person, 'webhooks');
    await page.getByText('No reply webhook yet.').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('CI');
    await tabTo(page, 'Address');
    await page.keyboard.type(receiver.url);
    await page.keyboard.press('Enter');
    const shown = page.locator('.secret code');
    const secret = (await shown.textContent()) ?? '';
    await tabTo(page, 'Hide');
    await page.keyboard.press('Enter');
    await shown.waitFor({ state: 'detached' });
    const webhookId = (await person.api('GET', '/webhooks')).body.webhooks[0].id;
    const asked = await person.api('POST', '/interactions', {
      body: { kind: 'yes_no', title: 'Deploy?', prompt: 'To production', webhookId },
    });
    const { id, actionDigest } = asked.body.interaction;
    await person.session('POST', `/prompts/${id}/answer`, { body: { answer: 'yes', actionDigest } });
    await receiver.expect(1);
    await tabTo(page, 'Deliveries');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Send again');
    await page.keyboard.press('Enter');
    await receiver.expect(1);
    await tabTo(page, 'New secret');
    await page.keyboard.press('Enter');
    await tabTo(page, 'New secret');
    await page.keyboard.press('Enter');
    await shown.getByText('whsec_').waitFor();
    expect(await shown.textContent()).not.toBe(secret);
    expect(await violationsAnywhere(page)).toEqual([]);
  });

  it('sends all that a reply webhook missed again, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const receiver = await house.receiver();
    const made = await person.api('POST', '/webhooks', { body: { name: 'CI', url: receiver.url } });
    const webhookId = made.body.webhook.id;
    // No retry of its own comes before the webhook is turned off.
    receiver.says({ status: 503, headers: { 'retry-after': '600' } });
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

  it('adds an app, changes what it may learn, and opens it by a pass, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const host = `at-${Date.now()}.example.test`;
    const page = await signIn(desk, await desk.another(), person, 'apps');
    await page.getByText('No app yet.').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('Grafana');
    await tabTo(page, 'Address');
    await page.keyboard.type(`https://${host}/`);
    await page.keyboard.press('Enter');
    await page.getByText('You have not agreed').waitFor();
    await tabTo(page, 'What it may learn');
    await page.keyboard.press('Enter');
    await tabTo(page, 'My name');
    await page.keyboard.press('Space');
    await tabTo(page, 'Agree');
    await page.keyboard.press('Enter');
    await page.getByText(/It learns your name\./).waitFor();
    await tabTo(page, 'My e-mail address');
    await page.keyboard.press('Space');
    await tabTo(page, 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('It learns your name and your e-mail address.').waitFor();

    const appId = (await person.api('GET', '/apps')).body.apps[0].id;
    const url = `https://${host}/grafana`;
    const route = { name: 'grafana', target: 'http://10.0.0.7:3000/', url, appId };
    const registered = await person.api('POST', '/connectors', {
      body: { name: 'At work', tunnelId: 'tunnel-2', hostname: host, routes: [route] },
    });
    expect(registered.status).toBe(201);
    desk.destinations.push(url);
    const opened = '<!doctype html><link rel="icon" href="data:,">Opened';
    await page.route(`${url}**`, (request) => request.fulfill({ contentType: 'text/html', body: opened }));
    await tabTo(page, 'Open Grafana through a connector');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open by grafana of At work' }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Open by grafana of At work');
    await page.keyboard.press('Enter');
    await page.getByText('Opened').waitFor();
    expect(new URL(page.url()).searchParams.get('carillon_pass')).toMatch(/^carillon_/);
  });

  it('registers a connector, turns it off, gives it a new secret and deletes it, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const page = await signIn(desk, await desk.another({ width: 360 }), person, 'connectors');
    await page.getByText('No connector yet.').waitFor();
    await tabTo(page, 'Register');
    await page.keyboard.press('Enter');
    await page.locator('.issue').first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.keyboard.type('At home');
    await tabTo(page, 'Id of the tunnel');
    await page.keyboard.type('tunnel-3');
    await tabTo(page, 'Host name');
    await page.keyboard.type(`home-${Date.now()}.example.test`);
    await page.keyboard.press('Enter');
    const shown = page.locator('.secret code');
    const secret = await shown.textContent();
    await tabTo(page, 'Turn off');
    await page.keyboard.press('Enter');
    await page.getByText('off', { exact: true }).waitFor();
    await tabTo(page, 'New secret');
    await page.keyboard.press('Enter');
    await tabTo(page, 'New secret');
    await page.keyboard.press('Enter');
    await eventually(
      async () => (await shown.textContent()) !== secret || undefined,
      () => 'the secret stays the same',
    );
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await page.getByText('No connector yet.').waitFor();
  });

  it('is reached and read by the keyboard alone: what an agent does now, with its output', async () => {
    const person = await house.anotherAccount();
    await person.addPhone('ios');
    const started = await person.api('POST', '/activities', {
      body: {
        key: 'deploy',
        props: {
          title: 'Deploying',
          progress: 0.5,
          layout: 'terminal',
          lines: ['$ make', 'ok'],
        },
      },
    });
    expect(started.status).toBe(201);
    const page = await signIn(desk, await desk.another(), person);
    await tabTo(page, 'Activities');
    await page.keyboard.press('Enter');
    await page.getByRole('progressbar', { name: 'Progress of Deploying' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await tabTo(page, /^\$ make/);
    expect(await violationsAnywhere(page)).toEqual([]);
    const { id } = started.body.activity;
    await person.api('PATCH', `/activities/${id}`, { body: { props: { progress: 0.75 } } });
    await page.getByText('75 %').waitFor();
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
  /** A push of the person that is given up. */
  const givesUp = async (person: HouseAccount, subjectId: string): Promise<void> => {
    const rows = new pg.Client({ connectionString: house.state.databaseUrl });
    await rows.connect();
    await rows.query(
      `INSERT INTO push.dead_letters (subject_id, account_id, reason, content) VALUES ($2, $1, 'too_large', '[]')`,
      [person.id, subjectId],
    );
    await rows.end();
  };

  it('sees how the installation is, drops what was given up, and suspends an account; others have no such page', async () => {
    const person = await house.anotherAccount('Grace Hopper');
    await givesUp(person, 'anot_lost');
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

  it('does the same on a phone by the keyboard alone', async () => {
    const person = await house.anotherAccount('Alan Turing');
    await givesUp(person, 'anot_gone');
    const page = await signIn(desk, await desk.another({ width: 360 }), house.owner);
    await tabTo(page, 'Operator');
    await page.keyboard.press('Enter');
    await page.getByText('push deliveries anot_gone').waitFor();
    await page.getByRole('row', { name: 'read-models 1 1' }).waitFor();
    await tabTo(page, 'Projections');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /^push devices / }).waitFor();
    await tabTo(page, 'Look again');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Drop');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Drop');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was given up.').waitFor();
    await tabTo(page, 'Name or address');
    await page.keyboard.type('alan tur');
    await page.keyboard.press('Enter');
    await page.getByText(house.owner.email).waitFor({ state: 'detached' });
    await tabTo(page, 'Suspend');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Suspend');
    await page.keyboard.press('Enter');
    await page.getByText('suspended', { exact: true }).waitFor();
    expect(await person.api('GET', '/auth/status')).toMatchObject({ status: 403 });
    await tabTo(page, 'Resume');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Suspend' }).waitFor();
    expect(await person.api('GET', '/auth/status')).toMatchObject({ status: 200 });
    expect(await violationsAnywhere(page)).toEqual([]);
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

  it('takes in somebody who has an account, and lets them leave, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const page = await signIn(desk, await desk.another({ width: 360 }), ada, 'teams');
    await page.getByText('You are in no family or team.').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('The Byrons');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'The Byrons' }).waitFor();
    await tabTo(page, 'The Byrons');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Invite');
    await page.keyboard.press('Enter');
    const url = (await page.locator('.secret code').textContent()) ?? '';

    const theirs = await signIn(desk, await desk.another({ width: 360 }), bob, 'teams');
    await theirs.goto(url);
    await tabTo(theirs, 'Accept it in the console');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('Ada invites you into the family').waitFor();
    await tabTo(theirs, 'Join');
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('heading', { name: 'The Byrons' }).waitFor();
    await tabTo(theirs, 'Leave');
    await theirs.keyboard.press('Enter');
    await tabTo(theirs, 'Leave');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('You are in no family or team.').waitFor();
    expect(await violationsAnywhere(theirs)).toEqual([]);
  });

  it('plans an override by a drag over days, and saves it after its preview', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const { groupId } = await onCall(house, [ada, bob]);
    const overrides = async () => (await ada.api('GET', `/oncall/${groupId}`)).body.overrides;
    const page = await signIn(desk, await desk.another(), ada, `oncall/${groupId}`);
    await page.getByText(/is on call, until/).waitFor();
    await page.getByRole('button', { name: 'Preview' }).first().click();
    await page.locator('.issue').first().waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Next month' }).click();
    const next = new Date(new Date().getFullYear(), new Date().getMonth() + 1, 1);
    await page.getByRole('heading', { name: next.toLocaleString('en-US', { month: 'long' }) }).waitFor();
    const days = page.locator('td[data-from]');
    await days.nth(2).dragTo(days.nth(4));
    await page.getByText(/^Ada is on call from .* instead of (Ada and Bob|Bob and Ada)\.$/).waitFor();
    await page.getByText('With the change that is not saved yet').waitFor();
    await page.getByLabel('Who is on call instead').selectOption('Bob');
    await page.getByText('With the change that is not saved yet').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Preview' }).first().click();
    await page.getByText(/^Bob is on call from/).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    expect(await overrides()).toEqual([]);
    await page.getByRole('button', { name: 'Save the override' }).click();
    await page.getByRole('button', { name: 'Take away' }).waitFor();
    const [startsAt, endsAt] = [
      await days.nth(2).getAttribute('data-from'),
      await days.nth(4).getAttribute('data-to'),
    ];
    expect(await overrides()).toMatchObject([{ person: { userId: bob.id }, startsAt, endsAt }]);
    await days.nth(4).dragTo(days.nth(6));
    await page.getByRole('alert').getByText('Another override').waitFor();
    expect(await overrides()).toHaveLength(1);
  });

  it('tells why somebody is on call, and overrides a shift on a phone, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const { groupId } = await onCall(house, [ada, bob]);
    const page = await signIn(desk, await desk.another({ width: 360 }), bob, `oncall/${groupId}`);
    await tabTo(page, 'Why Bob');
    await page.keyboard.press('Enter');
    await page
      .getByRole('list')
      .getByText(/Bob is on call/)
      .waitFor();
    await tabTo(page, /^Override Ada/);
    await page.keyboard.press('Enter');
    await page.getByText(/^Bob is on call from .* instead of Ada\.$/).waitFor();
    // A member of the team stands in for others, and puts nobody else on call.
    expect(await page.getByLabel('Who is on call instead').locator('option').allTextContents()).toEqual([
      'Bob',
    ]);
    await tabTo(page, 'Save the override');
    await page.keyboard.press('Enter');
    await page.getByRole('list').getByText('override', { exact: true }).waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Take away');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Take away');
    await page.keyboard.press('Enter');
    await page.getByText('Nobody stands in for anybody.').waitFor();
  });

  it('changes the steps of an escalation after a preview, by the keyboard alone', async () => {
    const ada = await house.anotherAccount('Ada');
    const { groupId } = await onCall(house, [ada]);
    const page = await signIn(desk, await desk.another(), ada, `oncall/${groupId}`);
    await page.getByText('After 5 minutes: the next one in turn.').waitFor();
    await tabTo(page, 'Change the escalation');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Minutes before step 1');
    await page.keyboard.type('0');
    await tabTo(page, 'Preview');
    await page.keyboard.press('Enter');
    await page.locator('.issue').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('3');
    await tabTo(page, 'Remove step 2');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Add a step');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Minutes before step 2');
    await page.keyboard.type('7');
    await tabTo(page, 'Preview');
    await page.keyboard.press('Enter');
    await page.getByText('There was no page in the last 90 days').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Save the escalation');
    await page.keyboard.press('Enter');
    await page.getByText('After 7 minutes: everybody of the rotation.').waitFor();
    expect((await ada.api('GET', `/oncall/${groupId}`)).body.escalation).toEqual([
      { afterMinutes: 3, target: 'next' },
      { afterMinutes: 7, target: 'group' },
    ]);
  });

  it('acknowledges, escalates and resolves a page of the group, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const { groupId } = await onCall(house, [ada, bob]);
    await ada.addPhone('ios');
    const paged = await bob.api('POST', `/oncall/${groupId}/pages`, { body: { title: 'Disk full' } });
    expect(paged.status).toBe(201);
    const page = await signIn(desk, await desk.another(), ada, `oncall/${groupId}`);
    await page.getByText('triggered', { exact: true }).waitFor();
    await tabTo(page, 'Disk full');
    await page.keyboard.press('Enter');
    await page.getByText('Triggered: nobody has acknowledged it yet.').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Escalate');
    await page.keyboard.press('Enter');
    await page.getByText('Notified: Ada, Bob.').waitFor();
    await tabTo(page, 'Acknowledge');
    await page.keyboard.press('Enter');
    await page.getByText('Acknowledged by Ada').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Resolve');
    await page.keyboard.press('Enter');
    await page.getByText('Resolved by Ada').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
  });

  it('changes a rotation only after its preview, and shows the month, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const { groupId } = await onCall(house, [ada, bob]);
    await ada.api('PATCH', `/oncall/${groupId}`, { body: { rotation: { period: 'weekly' } } });
    const page = await signIn(desk, await desk.another(), ada, `oncall/${groupId}`);
    await page.getByRole('listitem').getByText('Bob').first().waitFor();
    await tabTo(page, 'Next month');
    await page.keyboard.press('Enter');
    const next = new Date(new Date().getFullYear(), new Date().getMonth() + 1, 1);
    const shows = (month: Date) =>
      page.getByRole('heading', { name: month.toLocaleString('en-US', { month: 'long' }) }).waitFor();
    await shows(next);
    // In four months, where the list has long ended, and in the one before the group was made.
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Enter');
    await shows(new Date(next.getFullYear(), next.getMonth() + 3, 1));
    await page.getByRole('table').getByText('Bob').first().waitFor();
    await page.getByRole('table').getByText('Ada').first().waitFor();
    await tabTo(page, 'Month before');
    for (let n = 0; n < 5; n += 1) await page.keyboard.press('Enter');
    await shows(new Date(next.getFullYear(), next.getMonth() - 2, 1));
    await page.getByRole('table').waitFor();
    expect(
      await page
        .getByRole('table')
        .getByText(/Ada|Bob/)
        .count(),
    ).toBe(0);
    await tabTo(page, 'Next month');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await shows(next);
    await tabTo(page, 'Change the rotation');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('They take turns').inputValue()).toBe('weekly');
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
    // The preview shows in the month, too: that Bob is gone there does not say that it is saved.
    await page.getByRole('button', { name: 'Save the rotation' }).waitFor({ state: 'detached' });
    expect(await turns()).toEqual(['Ada']);
    await page.getByRole('table').getByText('Bob').first().waitFor({ state: 'detached' });
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
    // The form of a new group has one of the same name, further on.
    await page.getByRole('form', { name: 'Change Everybody' }).getByLabel('Pixel of Bob').waitFor();
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

  it('gets an on-call group, whose people find their shifts on one page, by the keyboard alone', async () => {
    const [ada, bob] = [await house.anotherAccount('Ada'), await house.anotherAccount('Bob')];
    const teamId = await house.workplaceTeam(ada);
    await ada.takeInto(teamId, bob);
    const page = await signIn(desk, await desk.another(), ada, `teams/${teamId}`);
    await tabTo(page, 'New on-call group');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Name of the on-call group');
    await page.keyboard.type('Night');
    await page.keyboard.press('Enter');
    await page.locator('.issue').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
    await tabTo(page, 'Bob');
    await page.keyboard.type('1');
    await tabTo(page, 'Create the on-call group');
    await page.keyboard.press('Enter');
    await page.getByText(/^Bob is on call, until/).waitFor();
    const [group] = (await ada.api('GET', `/teams/${teamId}/oncall`)).body.groups;
    expect(group).toMatchObject({
      name: 'Night',
      rotation: { members: [{ userId: bob.id }], period: 'weekly', handoffAt: '09:00' },
    });
    const paged = await ada.api('POST', `/oncall/${group.id}/pages`, { body: { title: 'Disk full' } });
    expect(paged.status).toBe(201);

    const theirs = await signIn(desk, await desk.another({ width: 360 }), bob);
    await tabTo(theirs, 'On call');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('now', { exact: true }).waitFor();
    expect(await theirs.getByRole('link', { name: 'Night' }).count()).toBe(2);
    await theirs.getByRole('link', { name: 'Disk full' }).waitFor();
    await tabTo(theirs, 'New address');
    await theirs.keyboard.press('Enter');
    await tabTo(theirs, 'New address');
    await theirs.keyboard.press('Enter');
    const url = (await theirs.locator('.secret code').textContent()) ?? '';
    expect(await (await fetch(url)).text()).toContain('BEGIN:VEVENT');
    expect(await violationsAnywhere(theirs)).toEqual([]);
    await tabTo(theirs, 'Take the address away');
    await theirs.keyboard.press('Enter');
    await tabTo(theirs, 'Take the address away');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('No address reads your shifts any more.').waitFor();
    expect((await fetch(url)).status).toBe(404);
  });
});
