import { randomBytes } from 'node:crypto';
import {
  type GatewayProcess,
  type House,
  type HouseAccount,
  startGateway,
  startHouse,
} from '@carillon/testkit';
import pg from 'pg';

const pepper = randomBytes(32).toString('base64');
let house: House;
let other: GatewayProcess;
let agent: HouseAccount;
beforeAll(async () => {
  house = await startHouse({ limits: 'off', env: { CARILLON_PEPPER: pepper } });
  other = await startGateway(house, pepper);
}, 120_000);
beforeEach(async () => {
  agent = await house.anotherAccount();
});
afterAll(async () => {
  await other?.stop();
  await house?.close();
}, 90_000);

/** Asks one of the gateways, without `Carillon-Position`. */
async function ask(base: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${base}/api/agent${path}`, {
    method,
    headers: { authorization: `Bearer ${agent.apiToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

/** Holds what `lock` takes in Postgres until the returned function is called. */
async function holding(lock: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: house.state.databaseUrl });
  await client.connect();
  await client.query(`BEGIN; ${lock}`);
  return () => client.end();
}

const titles = async (base: string): Promise<string[]> => {
  const { status, body } = await ask(base, 'GET', '/inbox/notifications?limit=1');
  expect(status).toBe(200);
  return body.items.map(({ title }: { title: string }) => title);
};

describe('a read behind another gateway', () => {
  it('shows each write that was answered before', async () => {
    const bases = [house.state.baseUrl, other.url];
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? bases : bases.toReversed();
      const title = `Build ${round}`;
      const sent = await ask(writer!, 'POST', '/notifications', { title, body: 'green' });
      expect(sent.status).toBe(201);
      expect(await titles(reader!)).toEqual([title]);
      expect(await titles(writer!)).toEqual([title]);
    }
    const { body } = await ask(other.url, 'POST', '/services', { title: 'before' });
    const path = `/services/${body.service.id}`;
    expect((await ask(house.state.baseUrl, 'PATCH', path, { title: 'after' })).status).toBe(200);
    const { services } = (await ask(other.url, 'GET', '/services')).body;
    expect(services).toMatchObject([{ title: 'after' }]);
  });

  it('is refused while the rows lack the write, and never shows an older state', async () => {
    await ask(other.url, 'POST', '/notifications', { title: 'old', body: 'red' });
    expect(await titles(house.state.baseUrl)).toEqual(['old']);
    const release = await holding(
      `SELECT FROM read_models.projection_checkpoints WHERE name = 'inbox' FOR UPDATE`,
    );
    try {
      expect((await ask(other.url, 'POST', '/notifications', { title: 'new', body: 'green' })).status).toBe(
        201,
      );
      const refused = await ask(house.state.baseUrl, 'GET', '/inbox/notifications?limit=1');
      expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    } finally {
      await release();
    }
    expect(await titles(house.state.baseUrl)).toEqual(['new']);
  });

  it('need not be feared: a write that no other gateway can learn of is not acknowledged', async () => {
    const release = await holding(`LOCK TABLE accounts.gateway_writes IN EXCLUSIVE MODE`);
    try {
      const sent = await ask(other.url, 'POST', '/notifications', { title: 'unknown', body: 'grey' });
      expect(sent).toMatchObject({ status: 504, body: { code: 'DEADLINE_EXCEEDED' } });
    } finally {
      await release();
    }
    expect((await ask(other.url, 'POST', '/notifications', { title: 'known', body: 'green' })).status).toBe(
      201,
    );
    expect(await titles(house.state.baseUrl)).toEqual(['known']);
  });
});
