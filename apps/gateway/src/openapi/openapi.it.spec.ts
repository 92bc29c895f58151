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

  it('serves no other description', async () => {
    expect((await fetch(`${gateway.url}/openapi/other.json`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/openapi/agent.json`, { method: 'POST' })).status).toBe(405);
  });
});
