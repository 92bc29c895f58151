import { eventually, findFirefox, type House, type HouseAccount, startDisplay } from '@carillon/testkit';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { BidiBrowser } from 'puppeteer-core/internal/bidi/Browser.js';
import { startDeskHouse } from './testbed';

let house: House;
let display: Awaited<ReturnType<typeof startDisplay>>;
let browser: Browser;
const problems: string[] = [];

beforeAll(async () => {
  const executablePath = await findFirefox();
  house = await startDeskHouse();
  display = await startDisplay();
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: false,
    env: { ...process.env, DISPLAY: display.name },
    // Firefox draws its notifications in windows of its own, which this lets the test look into.
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'dom.push.serverURL': `${house.state.simulatorUrl.replace(/^http/, 'ws')}/browsers`,
      'dom.push.testing.allowInsecureServerURL': true,
      'dom.push.connection.enabled': true,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
    },
  });
}, 420_000);
afterAll(async () => {
  await browser?.close();
  await display?.stop();
  await house?.close();
  expect(problems).toEqual([]);
}, 120_000);

const url = (path = ''): string => `${house.state.baseUrl}/console/${path}`;

async function signIn(context: BrowserContext, person: HouseAccount, path = ''): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(url(path));
  await page.locator('input[name=email]').fill(person.email);
  await page.locator('input[name=password]').fill(person.password);
  await page.locator('button::-p-text(Sign in)').click();
  await page.locator('button::-p-text(Sign out)').wait();
  return page;
}

const says = (page: Page, text: string) => page.locator(`::-p-text(${text})`).wait();

/** The windows in which Firefox draws its notifications, without the buttons that a worker asks for. */
class Alerts {
  constructor(private readonly firefox: BidiBrowser) {}

  /** Waits until one has this title, and does `work` in its window, where `gAlertListener` is the observer. */
  async at(title: string, work: string): Promise<void> {
    const isThere = `document.getElementById('alertTitleLabel')?.value === ${JSON.stringify(title)}`;
    await eventually(
      async () => {
        for (const context of await this.windows())
          if ((await this.evaluate(context, isThere)) === true) {
            await this.evaluate(context, work);
            return true;
          }
        return undefined;
      },
      () => `Firefox shows no notification “${title}”`,
      30_000,
    );
  }

  /** Tells Firefox of a press on a button, as the notifications of a desktop do that draw buttons. */
  press(title: string, action: string): Promise<void> {
    const pressed = `{ QueryInterface: ChromeUtils.generateQI(['nsIAlertAction']), action: '${action}', title: '' }`;
    return this.at(title, `gAlertListener.observe(${pressed}, 'alertclickcallback', gAlertCookie); true`);
  }

  private async windows(): Promise<readonly string[]> {
    const ofFirefox = { maxDepth: 0, 'moz:scope': 'chrome' };
    const { result } = await this.firefox.connection.send('browsingContext.getTree', ofFirefox);
    return result.contexts.filter(({ url }) => url.includes('/alerts/')).map(({ context }) => context);
  }

  private async evaluate(context: string, expression: string): Promise<unknown> {
    const { result } = await this.firefox.connection.send('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: false,
    });
    if (result.type === 'exception') throw new Error(result.exceptionDetails.text);
    return result.result.type === 'boolean' ? result.result.value : undefined;
  }
}

describe('Firefox with a subscription of its own', () => {
  it('rings, ends the wait of the agent by a button, and is inactive after it has unsubscribed', async () => {
    if (!(browser instanceof BidiBrowser)) throw new Error('Firefox is not driven by WebDriver BiDi');
    const alerts = new Alerts(browser);
    const person = await house.anotherAccount('Ana');
    const page = await signIn(browser.defaultBrowserContext(), person, 'devices');
    await page.locator('button::-p-text(Ring this browser)').click();
    await says(page, 'It rings.');
    await says(page, 'Firefox on Linux');
    const devices = async () => (await person.session('GET', '/devices')).body.devices;
    expect(await devices()).toMatchObject([{ platform: 'web', active: true }]);
    const phones = async () => (await house.simulator('GET', '/phones')).body.phones;
    const phone = (await phones()).find(({ platform }: { platform: string }) => platform === 'web');

    const asked = await person.api('POST', '/interactions', {
      body: { kind: 'approval', title: 'Deploy?', prompt: 'To production', primaryLabel: 'Ship it' },
    });
    expect(asked.status).toBe(201);
    const { id } = asked.body.interaction;
    const waiting = person.api('GET', `/interactions/${id}/wait?timeoutSeconds=50`);
    const elsewhere = await signIn(await browser.createBrowserContext(), person, `prompts/${id}`);
    await elsewhere.locator('button::-p-text(Ship it)').wait();
    await alerts.at('Deploy?', 'true');
    const shown = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        return (await registration.getNotifications()).map((each) => {
          const { title, body, tag } = each;
          return { title, body, tag, actions: (each as { actions?: { action: string }[] }).actions };
        });
      });
    expect(await shown()).toMatchObject([
      {
        title: 'Deploy?',
        body: 'To production',
        tag: id,
        actions: [
          { action: 'approved', title: 'Ship it' },
          { action: 'denied', title: 'Deny' },
        ],
      },
    ]);
    // Nobody but Firefox can read what the push service got.
    const [push] = await house.expectPushes(phone, 1);
    expect(push).toMatchObject({ payload: null, verdict: { status: 201 }, headers: { urgency: 'high' } });
    await alerts.press('Deploy?', 'approved');
    expect((await waiting).body).toMatchObject({
      timedOut: false,
      interaction: { status: 'approved', respondingUserId: person.id },
    });
    await says(elsewhere, 'Approved by you on Firefox on Linux');
    await alerts.at('Answered by Ana', 'true');
    await house.expectPushes(phone, 1);

    await page.evaluate(async () => {
      const { pushManager } = await navigator.serviceWorker.ready;
      await (await pushManager.getSubscription())?.unsubscribe();
    });
    await eventually(
      async () =>
        (await house.simulator('GET', `/phones/${phone.id}`)).body.phone.installed === false || undefined,
      () => 'Firefox does not tell its push service that it has unsubscribed',
    );
    const send = async (title: string) => {
      const sent = await person.api('POST', '/notifications', { body: { title, body: 'main is green' } });
      expect(sent.status).toBe(201);
    };
    await send('Build finished');
    expect(await house.expectPushes(phone, 1)).toMatchObject([{ verdict: { status: 410 } }]);
    await eventually(
      async () => (await devices())[0].active === false || undefined,
      () => 'the device is still active',
    );
    // A page that nobody sees reads nothing anew.
    await page.bringToFront();
    await says(page, 'does not ring any more');

    // The next start of the page subscribes again.
    await page.reload();
    await eventually(
      async () => (await devices())[0].active === true || undefined,
      () => 'the device does not become active again',
    );
    await send('Build finished again');
    await alerts.at('Build finished again', 'onAlertClick(); true');
    await eventually(
      () => /\/console\/notifications\//.test(page.url()) || undefined,
      () => `the press leads to no notification, but to ${page.url()}`,
    );
  }, 240_000);
});
