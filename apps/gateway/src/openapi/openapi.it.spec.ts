import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startParts } from '@carillon/testkit';
import { load } from 'js-yaml';
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

describe('a gateway', () => {
  it.each(['agent', 'session'])('serves the %s API to anybody, as it lies in docs/openapi', async (name) => {
    const copy = readFileSync(join(import.meta.dirname, `../../../../docs/openapi/${name}.yaml`), 'utf8');
    const yaml = await fetch(`${gateway.url}/openapi/${name}.yaml`);
    expect(yaml.status).toBe(200);
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(await yaml.text()).toBe(copy);

    const json = await fetch(`${gateway.url}/openapi/${name}.json`);
    expect(json.status).toBe(200);
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await json.json()).toEqual(load(copy));
  });

  it('serves the command line to anybody, as it was built', async () => {
    const built = readFileSync(join(import.meta.dirname, '../../../../dist/apps/cli/carillon.mjs'), 'utf8');
    const served = await fetch(`${gateway.url}/cli/carillon.mjs`);
    expect([served.status, served.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect(await served.text()).toBe(built);
  });

  it('serves the console to anybody: its document for every page of it, and its files as they were built', async () => {
    const get = (path: string, headers = {}) =>
      fetch(`${gateway.url}${path}`, { redirect: 'manual', headers });
    const [bare, start, page] = [
      await get('/console'),
      await get('/console/'),
      await get('/console/prompts/int_1'),
    ];
    expect([bare.status, bare.headers.get('location')]).toEqual([308, '/console/']);
    const document = await start.text();
    expect(await page.text()).toBe(document);
    expect(start.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(start.headers.get('content-security-policy')).toContain("default-src 'none'");
    const [, script = ''] = /src="([^"]+)"/.exec(document) ?? [];
    const plain = await get(script, { 'accept-encoding': 'identity' });
    expect(await plain.text()).toBe(
      readFileSync(join(import.meta.dirname, '../../../../dist/apps', script), 'utf8'),
    );
    expect(plain.headers.get('cache-control')).toContain('immutable');
    for (const encoding of ['gzip', 'br'])
      expect((await get(script, { 'accept-encoding': encoding })).headers.get('content-encoding')).toBe(
        encoding,
      );
    expect((await get('/console/worker.js')).headers.get('cache-control')).toBe('no-cache');
    for (const gone of ['/console/assets/none.js', '/console/none.js', '/console/../package.json'])
      expect((await get(gone)).status).toBe(404);
    expect((await fetch(`${gateway.url}/console/`, { method: 'POST' })).status).toBe(405);
  });

  it('serves no other description', async () => {
    expect((await fetch(`${gateway.url}/openapi/other.json`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/openapi/agent.json`, { method: 'POST' })).status).toBe(405);
  });
});
