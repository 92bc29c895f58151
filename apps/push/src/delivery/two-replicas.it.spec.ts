import { Database, Projections } from '@carillon/event-store';
import { type RunningService, startService } from '@carillon/runtime';
import { eventually, newAccount } from '@carillon/testkit';
import { PushModule } from '../push.module';
import { begin, clearFaults, fault, phone, receivedCount, send, service, stop } from './testbed';

const accounts = 30;
const pushesEach = 20;

let another: RunningService;
beforeAll(async () => {
  await begin();
  another = await startService({ name: 'push', module: PushModule });
}, 60_000);
afterAll(async () => {
  await another?.close();
  await stop();
}, 60_000);
afterEach(clearFaults);

it('two replicas share a backlog that one does not take in hand alone, and send each push once', async () => {
  const database = service.get(Database);
  // Every lease is written down, since the rows are gone at the end.
  await database.query(`CREATE TABLE leased (owner integer, delivery_id text)`);
  await database.query(
    `CREATE FUNCTION write_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO leased VALUES (NEW.owner, NEW.delivery_id); RETURN NULL; END $$`,
  );
  await database.query(
    `CREATE TRIGGER lease AFTER INSERT OR UPDATE OF owner ON deliveries
     FOR EACH ROW WHEN (NEW.owner IS NOT NULL) EXECUTE FUNCTION write_lease()`,
  );
  const phones = await Promise.all(Array.from({ length: accounts }, () => phone(newAccount(), 'ios')));
  await fault({}, { latencyMs: 1_000 });
  await eventually(
    async () => (another.get(Projections).partitions()?.owned ?? 0) > 0 || undefined,
    () => 'the second replica has no partitions',
    60_000,
  );
  for (let n = 0; n < pushesEach; n += 1) await Promise.all(phones.map((each) => send([each])));
  const owners = () =>
    database.query<{ owner: number; count: number }>(
      `SELECT owner, count(DISTINCT delivery_id)::integer AS count FROM leased GROUP BY owner`,
    );
  await eventually(
    async () => (await owners()).length === 2 || undefined,
    () => 'only one replica has pushes in hand',
    60_000,
  );
  await clearFaults();
  const count = accounts * pushesEach;
  for (const each of phones) {
    const got = await receivedCount(each, pushesEach, 120_000);
    expect(new Set(got.map(({ headers }) => headers['apns-id'])).size).toBe(pushesEach);
    expect(got).toHaveLength(pushesEach);
  }
  for (const share of await owners()) expect(share.count).toBeGreaterThan(count / 10);
}, 300_000);
