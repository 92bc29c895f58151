// How soon a person sees something in the console, and how soon an answer there reaches the agent: in Chromium, with the
// inbox beside a bare page that does one fetch, in turns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountWithoutPhone, callerOf, median, percentile, startHouse, upTo } from './bench-house.mjs';

const person = { email: 'bench@example.test', password: 'a long enough password' };
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];
const answers = 20;

/**
 * Runs before the scripts of each page. Says when the browser has drawn a text, in milliseconds since the navigation, and
 * when the stream last told of a new item.
 */
const watch = () => {
  const drawn = (text) =>
    new Promise((resolve) => {
      const look = () => {
        if (!document.body?.textContent.includes(text)) return;
        observer.disconnect();
        // The frame after the one that draws it.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true, characterData: true });
      look();
    });
  window.bench = { drawn, first: drawn('Item of the bench'), toldAt: 0 };
  new BroadcastChannel('carillon-stream').onmessage = ({ data }) => {
    if (data.told?.topic === 'inbox' && data.told.kind === 'created') window.bench.toldAt = performance.now();
  };
};

/** Makes a page that shows what it is answered, by one fetch of the same list. */
const fetchList = () =>
  fetch('/api/session/inbox/notifications?limit=100')
    .then((answer) => answer.json())
    .then(({ items }) => document.body.append(items[0].title));

export async function measureConsole({ env, rounds, requests }) {
  const house = await startHouse(env);
  try {
    const call = callerOf(house.state);
    const { secret } = await accountWithoutPhone(call);
    return await measureSpeed({ url: house.state.baseUrl, person, call, secret, rounds, events: requests });
  } finally {
    await house.stop();
  }
}

/** The same of an account of a house that runs, in a browser of its own. `speed.browser.spec.ts` holds its limits. */
export async function measureSpeed({ url, person, call, secret, rounds, events }) {
  const { findBrowser } = await import('../dist/libs/testkit/src/browser.js');
  const { chromium } = await import('playwright-core');
  const executablePath = await findBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-bench-console-'));
  const browser = await chromium.launch({ executablePath, headless: true, args });
  try {
    const send = (title) => call('POST', '/api/agent/notifications', { title, body: 'of the bench' }, secret);
    for (const n of upTo(20)) await send(`Item of the bench ${n}`);
    const desk = { browser, url, cookies: join(folder, 'cookies.json') };
    await signIn(desk, person);
    const first = await measureFirst(desk, rounds);
    const wait = await measureAnswers(desk, call, secret);
    return { first, wait, ...(await measureEvents(desk, send, events)) };
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function signIn({ browser, url, cookies }, person) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await context.storageState({ path: cookies });
  await context.close();
}

const signedIn = async ({ browser, cookies }, serviceWorkers = 'block') => {
  const context = await browser.newContext({ storageState: cookies, serviceWorkers });
  await context.addInitScript(watch);
  return context;
};

/** Each with an empty cache; the console also a second time. */
async function measureFirst(desk, rounds) {
  const took = { bare: [], console: [], again: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const bare = await signedIn(desk);
    await bare.addInitScript(`addEventListener('DOMContentLoaded', ${fetchList})`);
    const context = await signedIn(desk);
    const times = {
      bare: await firstOn(bare, `${desk.url}/healthz/live`),
      console: await firstOn(context, `${desk.url}/console/`),
      again: await firstOn(context, `${desk.url}/console/`),
    };
    await Promise.all([bare.close(), context.close()]);
    // The first round warms up.
    if (round > 0) for (const [name, ms] of Object.entries(times)) took[name].push(ms);
  }
  return took;
}

async function firstOn(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  const ms = await page.evaluate(() => window.bench.first);
  await page.close();
  return ms;
}

/** From the press to the answer that the waiting agent gets. */
async function measureAnswers(desk, call, secret) {
  const context = await signedIn(desk);
  const page = await context.newPage();
  const took = [];
  for (let n = 0; n < answers; n += 1) {
    const asked = { kind: 'approval', title: 'Deploy?', prompt: 'To production' };
    const { interaction } = await call('POST', '/api/agent/interactions', asked, secret);
    await page.goto(`${desk.url}/console/prompts/${interaction.id}`);
    const button = page.getByRole('button', { name: 'Approve' });
    await button.waitFor();
    const path = `/api/agent/interactions/${interaction.id}/wait?timeoutSeconds=50`;
    const waiting = call('GET', path, undefined, secret).then((answer) => ({
      answer,
      at: performance.now(),
    }));
    const pressedAt = performance.now();
    await button.click();
    const { answer, at } = await waiting;
    if (answer.interaction.status !== 'approved')
      throw new Error(`The wait ended ${answer.interaction.status}`);
    took.push(at - pressedAt);
  }
  await context.close();
  return took;
}

/** From the event of the stream, and from the request that caused it, to the frame that shows the item. */
async function measureEvents(desk, send, events) {
  const context = await signedIn(desk, 'allow');
  const page = await context.newPage();
  await page.goto(`${desk.url}/console/`);
  await page.getByRole('listitem').first().waitFor();
  const [shown, sent] = [[], []];
  for (let n = 0; n < events; n += 1) {
    const title = `Event ${n} of the bench`;
    const seen = page.evaluate(async (text) => {
      const at = await window.bench.drawn(text);
      return at - window.bench.toldAt;
    }, title);
    const began = performance.now();
    await send(title);
    shown.push(await seen);
    sent.push(performance.now() - began);
  }
  await context.close();
  return { shown, sent };
}

export function consoleTable({ first, wait, shown, sent }) {
  const bare = median(first.bare);
  const times = (took) => `${(median(took) / bare).toFixed(1)} × the bare page; ≤ 3`;
  const rows = [
    ['a bare page with one fetch: its first item', first.bare, ''],
    ['the inbox: its first item, nothing in the cache', first.console, times(first.console)],
    ['the same, opened again', first.again, times(first.again)],
    [`a press on an answer, until the wait of the agent ends; ${wait.length}`, wait, '≤ 1,000 ms'],
    [`an event of the stream, until it is on the screen; ${shown.length}`, shown, 'p95 ≤ 300 ms'],
    ['the same, from the request to send', sent, ''],
  ];
  return [
    '| What | median ms | p95 ms | aim |',
    '|---|---|---|---|',
    ...rows.map(
      ([what, took, aim]) =>
        `| ${what} | ${median(took).toFixed(0)} | ${percentile(took, 0.95).toFixed(0)} | ${aim} |`,
    ),
  ].join('\n');
}
