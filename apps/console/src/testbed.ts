import { eventually, findBrowser, freePort, type House, startHouse } from '@carillon/testkit';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export interface Person {
  readonly email: string;
  readonly password: string;
}

/** The browser's own line for an answer of the API that a test has provoked. */
const ofAnAnswer = /^Failed to load resource: the server responded with a status of [45]\d\d/;
/** The same of a server that is away. */
const ofNoAnswer =
  /^Failed to load resource: net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|INTERNET_DISCONNECTED)/;

/**
 * One Chromium for all stories of a file. On close it fails for all that no page may do: an error in its console, a
 * report of its policy, a request to another host.
 */
export class Desk {
  readonly problems: string[] = [];
  /** Origins to which a story leads its pages. */
  readonly destinations: string[] = [];
  private readonly contexts: BrowserContext[] = [];
  private readonly folder: string;

  private constructor(
    private readonly house: House,
    /** With a profile of its own on the disk: an anonymous one has no push. */
    readonly own: BrowserContext,
    private readonly others: Browser,
    folder: string,
  ) {
    this.folder = folder;
    this.watch(own);
  }

  static async open(house: House): Promise<Desk> {
    const executablePath = await findBrowser();
    const folder = mkdtempSync(join(tmpdir(), 'carillon-console-'));
    const own = await chromium.launchPersistentContext(folder, {
      executablePath,
      headless: true,
      args: flags,
    });
    const others = own.browser();
    if (!others) throw new Error('The browser of the context is not known');
    return new Desk(house, own, others, folder);
  }

  /** A browser of another person, or another browser of the same one. */
  async another(
    options: { colorScheme?: 'dark' | 'light'; width?: number; hasWorker?: boolean } = {},
  ): Promise<BrowserContext> {
    const { colorScheme = 'light', width = 1_280, hasWorker = true } = options;
    const context = await this.others.newContext({
      colorScheme,
      viewport: { width, height: 800 },
      serviceWorkers: hasWorker ? 'allow' : 'block',
      // Of providers, whose certificates are those of the test.
      ignoreHTTPSErrors: true,
    });
    this.contexts.push(context);
    this.watch(context);
    return context;
  }

  url(path = ''): string {
    return `${this.house.state.baseUrl}/console/${path}`;
  }

  /** Closes what a story has opened. */
  async clear(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
    for (const page of this.own.pages()) await page.close();
    await this.own.clearCookies();
  }

  async close(): Promise<void> {
    await this.own.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.problems.length > 0) throw new Error(`Not expected of a page:\n- ${this.problems.join('\n- ')}`);
  }

  private watch(context: BrowserContext): void {
    const { origin } = new URL(this.house.state.baseUrl);
    context.on('request', (request) => {
      const isOfStory = [origin, ...this.destinations].some((each) => request.url().startsWith(each));
      if (!isOfStory) this.problems.push(`a request to ${request.url()}`);
    });
    context.on('console', (message) => {
      const { url } = message.location();
      const text = message.text();
      const isProvoked = (ofAnAnswer.test(text) && url.includes('/api/')) || ofNoAnswer.test(text);
      if (message.type() === 'error' && !isProvoked) this.problems.push(`in the console: ${text} (${url})`);
    });
    context.on('weberror', (error) => this.problems.push(`thrown: ${error.error().message}`));
  }
}

/** A house for a desk: on the real clock, as a browser is, and on the same port after a restart, as a page expects. */
export async function startDeskHouse(env: Record<string, string> = {}): Promise<House> {
  const house = await startHouse({
    limits: 'off',
    receivers: true,
    clock: 'system',
    env: { PORT: String(await freePort()), ...env },
  });
  house.ignorePushes();
  return house;
}

/** Opens the console and signs in through the page. */
export async function signIn(desk: Desk, context: BrowserContext, person: Person, path = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(desk.url(path));
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return page;
}

/** What axe finds wrong with a page, in words. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
       violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`,
  );
  return found as string[];
}

/** Looks at a page in each of the widths and schemes that it has to be good in. */
export async function violationsAnywhere(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [360, 1_280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      const all = [...(await violations(page)), ...(isWide ? ['the page is wider than the window'] : [])];
      found.push(...all.map((each) => `${width} ${colorScheme}: ${each}`));
    }
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** Goes on with Tab until the element with this name has the focus, as somebody without a mouse does. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const named = `(() => { const e = document.activeElement; const label = e && e.labels && e.labels[0];
    return (e && (e.getAttribute('aria-label') || (label && label.textContent) || e.textContent) || '').trim(); })()`;
  await eventually(
    async () => {
      await page.keyboard.press('Tab');
      const at = (await page.evaluate(named)) as string;
      return typeof name === 'string' ? at === name || undefined : name.test(at) || undefined;
    },
    () => `Tab never comes to ${String(name)}`,
  );
}

/** An authenticator of the browser itself, which says yes to all that this tab asks. Returns how to lose it. */
export async function authenticator(page: Page): Promise<{ lose(): Promise<void> }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    lose: async () => {
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await cdp.detach();
    },
  };
}

/** Gives the pages of this tab a subscription in the place of the vendor's service, without which none subscribes. */
export async function subscribes(
  page: Page,
  { endpoint, keys }: { endpoint: string; keys: { p256dh: string; auth: string } },
): Promise<void> {
  await page.addInitScript(
    ({ endpoint, keys }) => {
      let current: object | null = null;
      Object.assign(PushManager.prototype, {
        getSubscription: async () => current,
        subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
          current = {
            options: { applicationServerKey: applicationServerKey.buffer },
            toJSON: () => ({ endpoint, expirationTime: null, keys }),
            unsubscribe: async () => (current = null) === null,
          };
          return current;
        },
      });
    },
    { endpoint, keys },
  );
}

/** The worker of the console, as a browser has it that receives pushes. */
export class PushWorker {
  private constructor(
    private readonly page: Page,
    private readonly cdp: CDPSession,
    private readonly registrationId: string,
    private readonly state: { isRunning: boolean; stops: number },
  ) {}

  /** The worker that this page has registered, without notifications of former stories. */
  static async of(page: Page): Promise<PushWorker> {
    const cdp = await page.context().newCDPSession(page);
    const ids: string[] = [];
    const state = { isRunning: false, stops: 0 };
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) =>
      ids.push(
        ...registrations.filter(({ isDeleted }) => !isDeleted).map(({ registrationId }) => registrationId),
      ),
    );
    const running = new Set<string>();
    cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      for (const { versionId, runningStatus } of versions) {
        if (runningStatus !== 'stopped') running.add(versionId);
        else if (running.delete(versionId)) state.stops += 1;
      }
      state.isRunning = running.size > 0;
    });
    await cdp.send('ServiceWorker.enable');
    await page.evaluate('navigator.serviceWorker.ready');
    const registrationId = await eventually(
      () => ids.at(-1),
      () => 'the worker is not registered',
    );
    const worker = new PushWorker(page, cdp, registrationId, state);
    await worker.clear();
    return worker;
  }

  /** Hands it bytes, as the browser does with a push that it has decrypted. */
  async push(data: string): Promise<void> {
    const { registrationId } = this;
    const { origin } = new URL(this.page.url());
    await this.cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  }

  /** Stops it, as a browser does with one that has nothing to do. A request of the page may start it again at once. */
  async stop(): Promise<void> {
    if (!this.state.isRunning) return;
    const { stops } = this.state;
    await this.cdp.send('ServiceWorker.stopAllWorkers');
    await eventually(
      () => this.state.stops > stops || undefined,
      () => 'the worker does not stop',
    );
  }

  async clear(): Promise<void> {
    await this.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/console/');
      for (const each of (await registration?.getNotifications()) ?? []) each.close();
    });
  }

  /** The notifications that it shows, by tag. */
  async shown(): Promise<object[]> {
    const shown = await this.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/console/');
      return ((await registration?.getNotifications()) ?? []).map((each) => {
        const { title, body, tag, silent } = each;
        const { actions } = each as Notification & { actions: { action: string; title: string }[] };
        return { title, body, tag, silent, actions: actions.map(({ action, title }) => ({ action, title })) };
      });
    });
    return shown.sort((one, other) => (one.tag < other.tag ? -1 : 1));
  }

  /** A press as an event in the worker; resolves when the worker has done what it does. */
  async press(tag: string, action: string): Promise<void> {
    const worker = this.page.context().serviceWorkers().at(-1);
    if (!worker) throw new Error('The worker does not run');
    await worker.evaluate(
      async ([wanted, button]) => {
        const scope = self as unknown as ServiceWorkerGlobalScope;
        const [notification] = await scope.registration.getNotifications({ tag: wanted });
        if (!notification) throw new Error(`No notification ${wanted} is shown`);
        let work: Promise<unknown> | undefined;
        const event = new NotificationEvent('notificationclick', { notification, action: button });
        Object.defineProperty(event, 'waitUntil', { value: (promise: Promise<unknown>) => (work = promise) });
        scope.dispatchEvent(event);
        await work;
      },
      [tag, action] as const,
    );
  }
}

type Times = readonly number[];
interface SpeedBench {
  measureSpeed(asked: object): Promise<{
    readonly first: Readonly<Record<'bare' | 'console' | 'again', Times>>;
    readonly wait: Times;
    readonly shown: Times;
  }>;
  callerOf(house: { readonly baseUrl: string }): unknown;
  median(times: Times): number;
  percentile(times: Times, share: number): number;
}

/**
 * What the benchmark of the console says, of a house of its own: how many times a bare page the first item takes, with
 * an empty cache and again; milliseconds until an answer ends a wait (median) and an event is on the screen (p95).
 */
export async function measuredSpeed(asked: { readonly rounds: number; readonly events: number }) {
  const bench = (name: string) => import(join(import.meta.dirname, '../../../bench', name));
  const { measureSpeed }: SpeedBench = await bench('bench-console.mjs');
  const { callerOf, median, percentile }: SpeedBench = await bench('bench-house.mjs');
  const house = await startDeskHouse();
  try {
    const { email, password, apiToken: secret } = await house.anotherAccount();
    const { baseUrl: url } = house.state;
    const call = callerOf(house.state);
    const person = { email, password };
    const { first, wait, shown } = await measureSpeed({ url, person, call, secret, ...asked });
    const bare = median(first.bare);
    return {
      fresh: median(first.console) / bare,
      again: median(first.again) / bare,
      waitMs: median(wait),
      shownMs: percentile(shown, 0.95),
    };
  } finally {
    await house.close();
  }
}
