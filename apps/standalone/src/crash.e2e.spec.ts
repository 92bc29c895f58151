import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually, type House, type HouseAccount, startHouse } from '@carillon/testkit';
import pg from 'pg';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  house.ignorePushes();
}, 120_000);
afterAll(() => house?.close(), 120_000);

/** Everything in an account's inbox. */
async function inboxOf(agent: HouseAccount): Promise<{ id: string; title: string; readAt: string | null }[]> {
  const items = [];
  for (let cursor = ''; ;) {
    const { status, body } = await agent.api('GET', `/inbox/notifications?limit=100${cursor}`);
    if (status !== 200) throw new Error(`the inbox answered ${status}: ${JSON.stringify(body)}`);
    items.push(...body.items);
    if (body.nextCursor === null) return items;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

describe('the house is killed under load', () => {
  it('loses nothing that it acknowledged and doubles nothing', async () => {
    const acknowledged: string[] = [];
    for (let round = 1; round <= 2; round += 1) {
      const phoneless = await house.anotherAccount();
      const agents = [house.owner, phoneless];
      const acknowledgedBy = new Map<HouseAccount, string[]>(agents.map((agent) => [agent, []]));
      let killed = false;
      const clients = Array.from({ length: 16 }, async (_, client) => {
        const agent = agents[client % 2] as HouseAccount;
        for (let n = 0; !killed; n += 1) {
          const title = `round ${round} client ${client} number ${n}`;
          const key = { 'idempotency-key': title.replaceAll(' ', '-') };
          try {
            const answer = await agent.api('POST', '/notifications', {
              body: { title, body: 'x' },
              headers: key,
            });
            if (answer.status === 201) acknowledgedBy.get(agent)?.push(title);
          } catch {
            // The house has gone while we waited: nothing was acknowledged.
            return;
          }
        }
      });
      await eventually(
        () => [...acknowledgedBy.values()].every((told) => told.length >= 20) || undefined,
        () => 'too little was acknowledged',
        60_000,
      );
      await house.kill9();
      killed = true;
      await Promise.all(clients);
      await house.start();

      for (const agent of agents) {
        const told = acknowledgedBy.get(agent) as string[];
        expect(told.length).toBeGreaterThan(0);
        const titles = (await inboxOf(agent)).map(({ title }) => title);
        expect(told.filter((title) => !titles.includes(title))).toEqual([]);
        expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
        acknowledged.push(...told);

        // A repeat under its key replays an acknowledged send and sends nothing.
        const title = told.at(-1) as string;
        const replay = await agent.api('POST', '/notifications', {
          body: { title, body: 'x' },
          headers: { 'idempotency-key': title.replaceAll(' ', '-') },
        });
        expect(replay).toMatchObject({ status: 200, body: { idempotent: true } });
      }
    }
    expect(acknowledged.length).toBeGreaterThan(10);
  }, 240_000);

  it('settles every push that it had begun', async () => {
    const items = await inboxOf(house.owner);
    let open = items.length;
    for (let look = 0; look < 100 && open > 0; look += 1) {
      await house.advance(200);
      const details = await Promise.all(
        items.slice(0, 200).map(({ id }) => house.api('GET', `/inbox/notifications/${id}`)),
      );
      open = details.filter(({ body }) => body.status === 'accepted').length;
    }
    expect(open).toBe(0);
  }, 120_000);
});

describe('the event store is frozen while more sends wait than may be in flight', () => {
  it('stores none that was told 503, and a repeat under the same key meets the first', async () => {
    const agent = await house.anotherAccount();
    // The writer has 500 appends in flight at most.
    const sends = Array.from({ length: 560 }, (_, n) => `in flight ${n}`);
    const send = (title: string) =>
      agent.api('POST', '/notifications', {
        body: { title, body: 'x' },
        headers: { 'idempotency-key': title.replaceAll(' ', '-') },
      });
    expect(await send('before')).toMatchObject({ status: 201 });

    const signal = (name: NodeJS.Signals): void => {
      for (const pid of house.pidsOf('event-store')) process.kill(pid, name);
    };
    signal('SIGSTOP');
    // On a slow machine the last ones are answered after the 14 s.
    const [answers] = await Promise.all([Promise.all(sends.map(send)), pause(14_000)]);
    signal('SIGCONT');
    const answeredWith = (status: number): string[] => sends.filter((_, n) => answers[n]?.status === status);
    const refused = answeredWith(503);
    const unknown = answeredWith(504);
    expect([...refused, ...unknown].sort()).toEqual([...sends].sort());
    expect(refused.length).toBeGreaterThan(0);
    expect(unknown.length).toBeGreaterThan(0);
    for (const { status, body } of answers)
      expect(body).toMatchObject(
        status === 503
          ? { code: 'UNAVAILABLE' }
          : { code: 'DEADLINE_EXCEEDED', error: expect.stringContaining('Idempotency-Key') },
      );

    // Whatever was on its way has come when somebody behind it is served.
    await eventually(
      async () => (await send('after')).status < 300 || undefined,
      () => 'the store did not come back',
      30_000,
    );
    const stored = (await inboxOf(agent)).map(({ title }) => title);
    expect(refused.filter((title) => stored.includes(title))).toEqual([]);
    expect(stored).toContain('after');

    for (const title of sends)
      expect(await send(title)).toMatchObject(
        stored.includes(title) ? { status: 200, body: { idempotent: true } } : { status: 201 },
      );
    const inTheEnd = (await inboxOf(agent)).map(({ title }) => title);
    expect(inTheEnd.sort()).toEqual([...sends, 'before', 'after'].sort());
  }, 120_000);
});

describe('the rows of the inbox are lost', () => {
  it('and rebuilt from the log while the house runs, equal to before', async () => {
    const agent = await house.anotherAccount();
    for (const n of [1, 2, 3])
      await agent.api('POST', '/notifications', { body: { title: `kept ${n}`, body: 'x', projectId: 'p' } });
    const [item] = await inboxOf(agent);
    await agent.api('POST', `/inbox/notifications/${item?.id}/read`);
    const seen = async () => [await inboxOf(agent), (await agent.api('GET', '/inbox/projects')).body];
    const before = await seen();

    const database = new pg.Client({ connectionString: house.state.databaseUrl });
    await database.connect();
    await database.query('TRUNCATE read_models.inbox_items, read_models.inbox_projects');
    await database.end();
    expect(await inboxOf(agent)).toEqual([]);

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['tools/rebuild.mjs', 'read-models', 'inbox'],
      { env: { ...process.env, NODE_OPTIONS: '', CARILLON_DATA: house.dataDir } },
    );
    expect(stdout).toMatch(/read-models inbox: rebuilt from \d+ events/);
    expect(await seen()).toEqual(before);

    // The same over the bus, by the operator, whose actions are in the log.
    const listed = await house.admin('projections', 'list');
    expect(JSON.parse(listed.stdout).projections).toContainEqual({
      service: 'read-models',
      projection: 'inbox',
      current: true,
      eventsBehind: 0,
      secondsBehind: 0,
      rebuilding: false,
    });
    const inbox = ['--service=read-models', '--projection=inbox'];
    expect(await house.admin('projections', 'rebuild', ...inbox)).toMatchObject({ status: 0 });
    await eventually(
      () => house.logs().some(({ text }) => text.includes('Rebuilt the rows of a projection')) || undefined,
      () => 'the rows were not rebuilt',
    );
    expect(await seen()).toEqual(before);
    expect(await house.admin('projections', 'rebuild', inbox[0]!, '--projection=no-such')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('projection.not_found'),
    });
    expect(JSON.parse((await house.admin('dead-letters', 'list')).stdout)).toEqual({ deadLetters: [] });
  }, 120_000);
});
