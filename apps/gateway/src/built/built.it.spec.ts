import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startParts } from '@carillon/testkit';
import { type RunningGateway, startGateway } from '../gateway';

let parts: Awaited<ReturnType<typeof startParts>>;
let gateway: RunningGateway;
beforeAll(async () => {
  parts = await startParts({ PORT: '0' });
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway?.close();
  await parts?.stop();
});

const folder = join(import.meta.dirname, '../../../../dist/docs');
const index: Record<string, { file: string; type: string }> = JSON.parse(
  readFileSync(join(folder, 'index.json'), 'utf8'),
);
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}${path}`, { headers, redirect: 'manual' });

describe('the documentation of a gateway', () => {
  it('is served to anybody as it was built: each kind of file, and one page of twenty', async () => {
    const all = Object.entries(index).filter(([path]) => path !== '/docs/404');
    expect(all.length).toBeGreaterThan(300);
    const firstOf = new Map(all.map((each) => [each[1].type, each]));
    for (const [path, { file, type }] of [...firstOf.values(), ...all.filter((_, at) => at % 20 === 0)]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.get('content-type')).toBe(type);
      expect(await answer.text()).toBe(readFileSync(join(folder, file), 'utf8'));
    }
    expect(readdirSync(folder)).toHaveLength(3 * Object.keys(index).length + 1);
  });

  it('begins at /docs/, where /docs leads', async () => {
    const answer = await get('/docs');
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/docs/']);
    expect(await (await get('/docs/')).text()).toContain('<h1 id="carillon">Carillon</h1>');
    expect(await (await get('/llms.txt')).text()).toMatch(/^# Carillon\n\n> /);
  });

  it.each(['br', 'gzip', 'identity'])('comes as %s to those who take it', async (encoding) => {
    const answer = await get('/docs/cli', { 'accept-encoding': encoding });
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(answer.headers.get('vary')).toBe('accept-encoding');
    expect(await answer.text()).toContain('<h1 id="the-command-line">The command line</h1>');
  });

  it('is not sent again to a browser that has it, and is sent in another form', async () => {
    const given = (await get('/docs/cli', { 'accept-encoding': 'br' })).headers.get('etag') ?? '';
    const asked = (encoding: string) =>
      get('/docs/cli', { 'accept-encoding': encoding, 'if-none-match': `"other", W/${given}` });
    const again = await asked('br');
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', given]);
    expect((await asked('gzip')).status).toBe(200);
  });

  it('may be kept for ever where the address names the content, and is asked about elsewhere', async () => {
    const kept = (path: string) => get(path).then(({ headers }) => headers.get('cache-control'));
    const style = Object.keys(index).find((path) => path.endsWith('.css')) ?? '';
    expect(await kept(style)).toBe('public, max-age=31536000, immutable');
    expect(await kept('/docs/cli')).toBe('no-cache');
  });

  it('runs nothing that is written in a page, and loads only files of its own', async () => {
    const { headers } = await get('/docs/cli');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['/docs/nothing', '/docs/guides/nothing', '/docs/..%2findex.json', '/docs/index.json'])(
    'has a page of its own for what is not there: %s',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await answer.text()).toContain('There is no such page');
    },
  );

  it('takes no other method, and no trailing slash', async () => {
    for (const path of ['/docs', '/docs/', '/docs/guides/ask', '/llms.txt'])
      expect((await fetch(`${gateway.url}${path}`, { method: 'POST' })).status).toBe(405);
    expect((await get('/docs/cli/')).status).toBe(404);
  });
});

describe('the console of a gateway', () => {
  const built = join(import.meta.dirname, '../../../../dist/apps/console');
  const script = readdirSync(join(built, 'assets')).find((name) => name.endsWith('.js')) ?? '';

  it('begins at /console/, where /console leads, and is one document for all its pages', async () => {
    const answer = await get('/console');
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/console/']);
    const document = readFileSync(join(built, 'index.html'), 'utf8');
    for (const path of ['/console/', '/console/tokens', '/console/teams/team_1']) {
      const page = await get(path);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect([page.headers.get('cache-control'), await page.text()]).toEqual(['no-cache', document]);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  it.each(['br', 'gzip', 'identity'])('has its scripts as %s, to be kept for ever', async (encoding) => {
    const answer = await get(`/console/assets/${script}`, { 'accept-encoding': encoding });
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await answer.text()).toBe(readFileSync(join(built, 'assets', script), 'utf8'));
  });

  it('has pictures as they are, to those who take compressed ones too', async () => {
    const answer = await get('/console/icon-192.png', { 'accept-encoding': 'br, gzip' });
    expect([answer.headers.get('content-type'), answer.headers.get('content-encoding')]).toEqual([
      'image/png',
      null,
    ]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync(join(built, 'icon-192.png')));
  });

  it('is not sent again to a browser that has it', async () => {
    const etag = (await get('/console/', { 'accept-encoding': 'br' })).headers.get('etag') ?? '';
    const again = await get('/console/', { 'accept-encoding': 'br', 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await get('/console/', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
  });

  it.each(['chunks.json', 'builds.json', 'index.html.br', 'assets/nothing.js', 'assets/..%2fbuilds.json'])(
    'has no file %s',
    async (name) => {
      const answer = await get(`/console/${name}`);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }),
      ]);
    },
  );
});
