import { readFileSync } from 'node:fs';
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

describe('a gateway', () => {
  it.each([
    ['agent.json', 'application/json; charset=utf-8'],
    ['agent.yaml', 'application/yaml; charset=utf-8'],
    ['session.json', 'application/json; charset=utf-8'],
    ['session.yaml', 'application/yaml; charset=utf-8'],
  ])('serves %s to anybody, as it lies in docs/openapi', async (file, type) => {
    const answer = await fetch(`${gateway.url}/openapi/${file}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(await answer.text()).toBe(
      readFileSync(join(import.meta.dirname, '../../../../docs/openapi', file), 'utf8'),
    );
  });

  it('serves no other description', async () => {
    expect((await fetch(`${gateway.url}/openapi/other.json`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/openapi/agent.json`, { method: 'POST' })).status).toBe(405);
  });
});
