import { eventually, type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';
import pg from 'pg';

const items = 2_000_000;
/** The longest that others wait for a send or a list, p99. */
const boundMs = 2_000;

let house: House;
let database: pg.Client;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
  house.ignorePushes();
  database = new pg.Client({ connectionString: house.state.databaseUrl });
  await database.connect();
}, 120_000);
afterAll(async () => {
  await database?.end();
  await house?.close();
}, 120_000);

const ok = ({ status, body }: HouseAnswer): HouseAnswer['body'] => {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};

/** Gives the account unread items as its sends would have, in ten projects. */
async function fill(accountId: string): Promise<void> {
  await database.query(
    `INSERT INTO read_models.inbox_items (account_id, item_id, subject_id, origin, project_id, source_name, title,
       preview, body, body_format, status, receipts, created_at)
     SELECT $1, 'notification:anot_' || n, 'anot_' || n, 'notification', 'p' || n % 10, 'CI', 'red', 'main', 'main',
       'text', 'delivered', '[]', date_trunc('second', now()) - ($2::integer - n) * interval '1 second'
     FROM generate_series(1, $2::integer) n`,
    [accountId, items],
  );
  await database.query(
    `INSERT INTO read_models.inbox_projects (account_id, project_id, name, unread_count, total_count)
     SELECT account_id, project_id, project_id, count(*), count(*) FROM read_models.inbox_items
     WHERE account_id = $1 GROUP BY 1, 2`,
    [accountId],
  );
  await database.query(`ANALYZE read_models.inbox_items`);
}

/** Sends and lists, one after the other, until the end; gives how long each took. */
function live(who: HouseAccount) {
  const tookMs: number[] = [];
  let isOver = false;
  const timed = async (asked: () => Promise<HouseAnswer>): Promise<void> => {
    const began = performance.now();
    ok(await asked());
    tookMs.push(performance.now() - began);
  };
  const living = (async () => {
    while (!isOver) {
      await timed(() => who.api('POST', '/notifications', { body: { title: 'green', body: 'main' } }));
      await timed(() => who.api('GET', '/inbox/notifications?limit=20'));
    }
  })();
  return async (): Promise<number> => {
    isOver = true;
    await living;
    return tookMs.sort((one, other) => one - other)[Math.ceil(tookMs.length * 0.99) - 1]!;
  };
}

const leftOf = async (accountId: string): Promise<number> => {
  const { rows } = await database.query<{ left: string }>(
    `SELECT count(*) AS left FROM read_models.inbox_items WHERE account_id = $1`,
    [accountId],
  );
  return Number(rows[0]!.left);
};

describe('an account with two million unread items', () => {
  it('reads all of them and is deleted, and another account notices neither', async () => {
    const [large, other] = [await house.anotherAccount(), await house.anotherAccount()];
    await fill(large.id);
    const unread = async () => ok(await large.api('GET', '/inbox/projects')).totalUnread;
    expect(await unread()).toBe(items);

    const whileRead = live(other);
    const { readThroughToken } = ok(await large.api('GET', '/inbox/notifications?limit=20'));
    const all = { body: { readThroughToken } };
    expect(ok(await large.api('POST', '/inbox/notifications/read-all', all)).updated).toBe(items);
    expect(await unread()).toBe(0);
    expect(await whileRead()).toBeLessThan(boundMs);

    const whileDeleted = live(other);
    const { status, stderr } = await house.admin('account', 'delete', `--id=${large.id}`);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    await eventually(
      async () => ((await leftOf(large.id)) === 0 ? true : undefined),
      () => 'rows of the deleted account are left',
      300_000,
    );
    expect(await whileDeleted()).toBeLessThan(boundMs);
  }, 600_000);
});
