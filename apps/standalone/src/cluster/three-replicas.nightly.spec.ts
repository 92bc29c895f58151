import { eventually, House, type HousePart, replaceProcess, signalAll } from '@carillon/testkit';
import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';

let house: House;
let database: pg.Client;

beforeAll(async () => {
  house = new House({
    args: ['--cluster', '--replicas=3'],
    readyWithinMs: 240_000,
    limits: 'off',
  });
  await house.start();
  database = new pg.Client({ connectionString: house.state.databaseUrl });
  await database.connect();
}, 260_000);
afterAll(async () => {
  await database?.end();
  await house?.close();
}, 120_000);

/** How many partitions each replica owns, the fewest first. */
async function shares(schema: string): Promise<number[]> {
  const { rows } = await database.query<{ owned: number }>(
    `SELECT count(*)::integer AS owned FROM "${schema}".leases
     WHERE name LIKE 'partition %' AND until > now() GROUP BY holder ORDER BY owned`,
  );
  return rows.map(({ owned }) => owned);
}

const are = (schema: string, expected: readonly number[]): Promise<true> =>
  eventually(
    async () => String(await shares(schema)) === String(expected) || undefined,
    () => `the partitions of ${schema} are not shared as ${expected.join(', ')}`,
    60_000,
  );

describe('three replicas of each service', () => {
  const services = ['push', 'read_models', 'webhooks', 'interactions'];
  const shared = [5, 5, 6];

  it('share its partitions', async () => {
    for (const schema of services) await are(schema, shared);
  }, 250_000);

  it('lose nothing and send nothing twice while one is killed, frozen, stopped, and comes back', async () => {
    const { ios, android } = house.phones;
    house.ignorePushes(android);
    const acknowledged: string[] = [];
    const odd: unknown[] = [];
    let [sent, isOver] = [0, false];
    const sendsOn = async (): Promise<void> => {
      for (; !isOver; await pause(100)) {
        const title = `Send ${++sent}`;
        const { status, body } = await house.api('POST', '/notifications', {
          body: { title, body: 'On and on' },
        });
        if (status === 201) acknowledged.push(title);
        else if (![503, 504].includes(status)) odd.push({ status, body });
      }
    };
    const load = [sendsOn(), sendsOn(), sendsOn()];
    const before = async (done: () => Promise<void>): Promise<void> => {
      const count = acknowledged.length;
      await done();
      await eventually(
        () => Promise.resolve(acknowledged.length > count + 20 || undefined),
        () => `nothing is acknowledged any more: ${JSON.stringify(odd.slice(0, 3))}`,
        60_000,
      );
    };
    for (const [service, schema] of [
      ['push', 'push'],
      ['read-models', 'read_models'],
    ] as const) {
      const part = (n: 1 | 2 | 3): HousePart => `${service}-${n}`;
      await before(async () => {
        signalAll(house.pidsOf(part(1)).slice(0, 1), 'SIGKILL');
        await are(schema, shared);
      });
      await before(async () => {
        const frozen = house.pidsOf(part(2));
        signalAll(frozen, 'SIGSTOP');
        try {
          await are(schema, [8, 8]);
        } finally {
          signalAll(frozen, 'SIGCONT');
        }
        await are(schema, shared);
      });
      await before(async () => {
        await replaceProcess(house, part(3));
        await are(schema, shared);
      });
    }
    isOver = true;
    await Promise.all(load);
    expect(odd).toEqual([]);

    /** By title, the ids of its pushes: one that is in doubt after a kill is repeated with the same. */
    const pushes = new Map<string, Set<string>>();
    await eventually(
      async () => {
        for (const { payload, headers } of await house.received(ios)) {
          const { title } = (payload as { aps: { alert: { title: string } } }).aps.alert;
          pushes.set(title, (pushes.get(title) ?? new Set()).add(String(headers['apns-id'])));
        }
        return acknowledged.every((title) => pushes.has(title)) || undefined;
      },
      () => `no push came of ${acknowledged.filter((title) => !pushes.has(title)).join(', ')}`,
      60_000,
    );
    expect([...pushes].filter(([, ids]) => ids.size > 1)).toEqual([]);

    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await house.api(
        'GET',
        `/inbox/notifications?limit=100${cursor && `&cursor=${cursor}`}`,
      );
      listed.push(...body.items.map(({ title }: { title: string }) => title));
      cursor = body.nextCursor;
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining(acknowledged));
  }, 500_000);
});
