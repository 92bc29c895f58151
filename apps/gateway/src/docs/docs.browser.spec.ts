import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findBrowser, startParts } from '@carillon/testkit';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type RunningGateway, startGateway } from '../gateway';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const index = readFileSync(join(import.meta.dirname, '../../../../dist/docs/index.json'), 'utf8');
const pages = Object.entries(JSON.parse(index) as Record<string, { type: string }>)
  .filter(([, { type }]) => type.startsWith('text/html'))
  .map(([path]) => path);

let parts: Awaited<ReturnType<typeof startParts>>;
let gateway: RunningGateway;
let browser: Browser;
beforeAll(async () => {
  parts = await startParts({ PORT: '0' });
  gateway = await startGateway();
  browser = await chromium.launch({
    executablePath: await findBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await parts?.stop();
}, 60_000);

interface Look {
  readonly javaScriptEnabled?: boolean;
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A page of its own, and what its browser has complained about: its policy too. */
async function open(path: string, { width = 1_280, ...look }: Look = {}) {
  const context = await browser.newContext({ ...look, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${gateway.url}${path}`);
  return { page, requests, problems, close: () => context.close() };
}

const isTooWide = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth > innerWidth');

describe('the documentation in a browser', () => {
  it('is searched by the keyboard alone; the index comes when the field is used', async () => {
    const { page, requests, problems, close } = await open('/docs/guides/ask');
    const indexes = () => requests.filter((path) => path.endsWith('.json'));
    const field = page.getByLabel('Search the documentation');
    await field.waitFor();
    expect(indexes()).toEqual([]);
    await field.focus();
    await page.keyboard.type('carillon_keep_days');
    const first = page.locator('.search a').first();
    await first.waitFor();
    expect(indexes()).toHaveLength(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/settings#CARILLON_KEEP_DAYS');
    await page.getByLabel('Search the documentation').fill('qqqqzzzz');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing found.').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await close();
  });

  it('is read without script, from the contents on', async () => {
    const { page, close } = await open('/docs/', { javaScriptEnabled: false });
    expect(await page.getByLabel('Search the documentation').count()).toBe(0);
    await page.getByRole('navigation').getByRole('link', { name: 'Ask a question' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ask a question' }).waitFor();
    await page.getByRole('link', { name: 'DIGEST_MISMATCH' }).click();
    await page.waitForURL('**/docs/errors#DIGEST_MISMATCH');
    await close();
  });

  it('fits a window of 360 pixels, every page of it', async () => {
    const { page, close } = await open('/docs/', { width: 360, javaScriptEnabled: false });
    const wide: string[] = [];
    expect(await page.evaluate('innerWidth')).toBe(360);
    for (const path of pages) {
      await page.goto(`${gateway.url}${path}`);
      if (await isTooWide(page)) wide.push(path);
    }
    expect(wide).toEqual([]);
    expect(pages.length).toBeGreaterThan(150);
    await close();
  }, 240_000);

  it.each([
    [360, 'light'],
    [360, 'dark'],
    [1_280, 'light'],
    [1_280, 'dark'],
  ] as const)('has nothing in the way of anybody, %i pixels wide and %s', async (width, colorScheme) => {
    const { page, problems, close } = await open('/docs/', { width, colorScheme });
    const found: string[] = [];
    for (const path of ['/docs/', '/docs/guides/hooks', '/docs/reference/agent/prompts', '/docs/settings']) {
      await page.goto(`${gateway.url}${path}`);
      await page.getByLabel('Search the documentation').waitFor();
      await page.evaluate(axe);
      const violations = await page.evaluate(
        `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
           violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => id + ': ' + html.slice(0, 120))))`,
      );
      found.push(...(violations as string[]).map((each) => `${path} ${each}`));
    }
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  });
});
