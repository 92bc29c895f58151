import {
  checkout,
  eventually,
  freePort,
  type House,
  type HouseAccount,
  onCall,
  startGateway,
} from '@carillon/testkit';
import { spawnSync } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Desk, PushWorker, signIn, startDeskHouse, subscribes, tabTo, violationsAnywhere } from './testbed';

const pepper = randomBytes(32).toString('base64');
let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await startDeskHouse({ CARILLON_PEPPER: pepper });
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

  it('reports a test push to the page, which says that this browser showed it, by the keyboard alone', async () => {
    const person = await house.anotherAccount();
    const { page, worker, deliver } = await ringing(person);
    const phone = await person.addPhone('android', { name: 'Pixel' });
    const of = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await of('Pixel').waitFor();
    await of('this browser').waitFor();
    // Whichever of the two devices is listed first.
    do await tabTo(page, 'Ring this one');
    while ((await of('this browser').locator(':focus').count()) === 0);
    await page.keyboard.press('Enter');
    await of('this browser').getByText('Its push service has taken it.').waitFor();
    await deliver();
    await shows(worker, [{ title: 'This device rings', silent: false, actions: [] }]);
    await of('this browser').getByText('This browser showed it.').waitFor();
    await of('Pixel').getByRole('button', { name: 'Ring this one' }).click();
    await of('Pixel').getByText('Its push service has taken it.').waitFor();
    await house.simulator('POST', `/phones/${phone.id}/uninstall`);
    await of('Pixel').getByRole('button', { name: 'Ring this one' }).click();
    await of('Pixel').getByText('Open Carillon there, and it rings again.').waitFor();
    expect(await violationsAnywhere(page)).toEqual([]);
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

describe('a new build of the console', () => {
  /** A checkout with what a gateway needs, and the console with its sources, so that it can be built anew. */
  const checkoutOfItsOwn = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-builds-'));
    const copied = ['dist/apps/gateway', 'dist/apps/console', 'dist/apps/cli', 'dist/docs', 'dist/libs'];
    const sources = ['apps/console', 'libs/client', 'tools'];
    const settings = ['nx.json', 'package.json', 'package-lock.json', 'tsconfig.base.json'];
    for (const each of [...copied, ...sources, ...settings])
      cpSync(join(checkout, each), join(folder, each), { recursive: true });
    for (const each of ['node_modules', 'docs']) symlinkSync(join(checkout, each), join(folder, each));
    return folder;
  };
  const rebuild = (folder: string): void => {
    const file = join(folder, 'apps/console/src/device/devices.tsx');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('Nothing can ring you.', 'Nothing rings you yet.'),
    );
    const build = `const { buildConsole } = await import('./tools/console.mjs');
      await buildConsole(process.cwd() + '/dist/apps/console', 'f'.repeat(64));`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', build], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the console was not built: ${stderr}`);
  };

  it('is offered to a page of the build before, which finds all its files until it is reloaded', async () => {
    const person = await house.anotherAccount();
    const url = new URL(house.state.baseUrl);
    url.port = String(await freePort());
    const [base, folder] = [url.origin, checkoutOfItsOwn()];
    const serve = () => startGateway(house, pepper, { PORT: url.port, CARILLON_BASE_URL: base }, folder);
    desk.destinations.push(base);
    let gateway = await serve();
    try {
      const context = await desk.another();
      await (await signIn(desk, context, person)).close();
      const page = await context.newPage();
      await page.goto(`${base}/console/`);
      await page.getByText('Nothing here yet.').waitFor();
      await eventually(
        async () =>
          (await page.evaluate('navigator.serviceWorker.controller !== null')) === true || undefined,
        () => 'the worker does not take the page',
      );
      rebuild(folder);
      await gateway.stop();
      gateway = await serve();
      // As a browser does every half hour, and as the page itself.
      await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
      const offer = page.getByText('A new version of the console is there.');
      await offer.waitFor();
      expect(await violationsAnywhere(page)).toEqual([]);

      const builds: string[][] = JSON.parse(
        readFileSync(join(folder, 'dist/apps/console/builds.json'), 'utf8'),
      );
      const [now = [], before = []] = builds.map((names) =>
        names.filter((name) => /^assets.*(js|css)$/.test(name)),
      );
      const gone = before.filter((name) => !now.includes(name));
      expect(gone).not.toEqual([]);
      for (const name of new Set([...now, ...before]))
        expect([name, (await fetch(`${base}/console/${name}`)).status]).toEqual([name, 200]);
      // A part of the former build that this page has not loaded yet.
      await page.getByRole('link', { name: 'Devices' }).click();
      await page.getByText('Nothing can ring you.').waitFor();
      await offer.getByRole('button', { name: 'Reload' }).click();
      await page.getByText('Nothing rings you yet.').waitFor();
      await offer.waitFor({ state: 'detached' });
    } finally {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
