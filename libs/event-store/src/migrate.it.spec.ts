import { eventually, startPostgres, type TestPostgres } from '@carillon/testkit';
import pg from 'pg';
import { Database } from './database';
import type { Migration } from './migrate';

const notes: Migration = {
  name: 'Notes1763600000001',
  phase: 'expand',
  statements: [
    `CREATE TABLE notes (note_id integer PRIMARY KEY, body text NOT NULL)`,
    `INSERT INTO notes SELECT n, 'note ' || n FROM generate_series(1, 2500) n`,
  ],
};
const archived: Migration = {
  name: 'Archived1763600000002',
  phase: 'expand',
  statements: [`ALTER TABLE notes ADD COLUMN archived boolean`],
};
const byBody: Migration = {
  name: 'ByBody1763600000003',
  phase: 'expand',
  long: true,
  statements: [`CREATE INDEX CONCURRENTLY IF NOT EXISTS notes_by_body ON notes (body)`],
};
const nothingArchived: Migration = {
  name: 'NothingArchived1763600000004',
  phase: 'expand',
  long: true,
  statements: [
    `UPDATE notes SET archived = false
     WHERE note_id IN (SELECT note_id FROM notes WHERE archived IS NULL ORDER BY note_id LIMIT 1000)`,
  ],
};

let postgres: TestPostgres;
/** Another program, whose transaction may be open. */
let other: pg.Client;
let observer: pg.Client;
const schema = 'desk';
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: postgres.url, options: `-c search_path=${schema}` });
  await client.connect();
  return client;
};
beforeAll(async () => {
  postgres = await startPostgres();
  other = await connect();
  observer = await connect();
}, 60_000);
beforeEach(async () => {
  await migrated([notes]);
});
afterEach(async () => {
  await other.query('ROLLBACK');
  await other.query(`DROP SCHEMA ${schema} CASCADE`);
});
afterAll(async () => {
  await other?.end();
  await observer?.end();
  await postgres?.stop();
});

async function migrated(
  migrations: readonly Migration[],
  waits: { waiting?: (why: string) => void; signal?: AbortSignal } = {},
): Promise<void> {
  const database = await Database.open({ url: postgres.url, schema, migrations }, waits);
  await database.close();
}

const isValid = async (): Promise<boolean | undefined> => {
  const { rows } = await observer.query(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('notes_by_body')`,
  );
  return rows[0]?.indisvalid;
};

const executed = async (): Promise<string[]> => {
  const { rows } = await observer.query(
    `SELECT name FROM migrations WHERE name NOT LIKE 'Base%' ORDER BY id`,
  );
  return rows.map(({ name }) => name);
};

/** The processes of Postgres that execute a migration which contains the text. */
async function running(text: string): Promise<number> {
  const { rows } = await observer.query(
    `SELECT pid FROM pg_stat_activity
     WHERE application_name = $1 AND state = 'active' AND wait_event_type = 'Lock' AND query LIKE '%' || $2 || '%'`,
    [`carillon ${schema} migrations`, text],
  );
  return rows[0]?.pid;
}

/** Ends the migration while its statement waits for another transaction, and does not start it again. */
async function killed(migrations: readonly Migration[], text: string): Promise<void> {
  const stop = new AbortController();
  const ended = migrated(migrations, { signal: stop.signal }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const pid = await eventually(
    () => running(text),
    () => 'the migration did not wait for the other transaction',
  );
  stop.abort();
  await observer.query('SELECT pg_terminate_backend($1)', [pid]);
  expect(await ended).toMatchObject({ name: 'AbortError' });
}

describe('a migration', () => {
  it('that cannot get its lock lets requests pass, says so, and gets it later', async () => {
    await other.query('BEGIN');
    await other.query('SELECT count(*) FROM notes');
    const told: string[] = [];
    const migration = migrated([notes, archived], { waiting: (why) => told.push(why) });
    await eventually(
      async () => told[0],
      () => 'it said nothing',
    );
    expect(told).toEqual(['The migrations of desk wait for a lock: canceling statement due to lock timeout']);
    const request = new pg.Client({ connectionString: postgres.url, query_timeout: 4_000 });
    await request.connect();
    expect((await request.query(`SELECT count(*)::int AS n FROM ${schema}.notes`)).rows).toEqual([
      { n: 2500 },
    ]);
    await request.end();
    await other.query('COMMIT');
    await migration;
    expect(await executed()).toEqual([notes.name, archived.name]);
  }, 60_000);

  it('of the next release stays when a program of the previous release starts', async () => {
    await migrated([notes, archived]);
    await migrated([notes]);
    expect(await executed()).toEqual([notes.name, archived.name]);
  }, 60_000);
});

describe('a long migration', () => {
  it('that is killed while it creates an index creates it again, while rows are written', async () => {
    await other.query('BEGIN');
    await other.query(`INSERT INTO notes VALUES (0, 'note 0')`);
    await killed([notes, byBody], 'CREATE INDEX CONCURRENTLY');
    expect(await isValid()).toBe(false);
    await other.query(`INSERT INTO notes VALUES (-1, 'note -1')`);
    await other.query('COMMIT');
    expect(await executed()).toEqual([notes.name]);
    await migrated([notes, byBody]);
    expect(await isValid()).toBe(true);
    expect(await executed()).toEqual([notes.name, byBody.name]);
    await other.query('SET enable_seqscan = off');
    expect((await other.query(`SELECT note_id FROM notes WHERE body = 'note -1'`)).rows).toEqual([
      { note_id: -1 },
    ]);
    await other.query('RESET enable_seqscan');
  }, 60_000);

  it('creates an index that Postgres still creates for a process which was killed', async () => {
    await other.query('BEGIN');
    await other.query(`INSERT INTO notes VALUES (0, 'note 0')`);
    // The process is gone, and Postgres notices it only at the end of the statement.
    const orphan = await connect();
    const orphaned = orphan.query(byBody.statements[0]!).catch((error: unknown) => error);
    await eventually(
      async () => (await isValid()) === false || undefined,
      () => 'the index was not begun',
    );
    const migration = migrated([notes, byBody]);
    await eventually(
      () => running('DROP INDEX CONCURRENTLY'),
      () => 'the migration did not wait for the killed process',
    );
    await other.query('COMMIT');
    await migration;
    await orphaned;
    await orphan.end();
    expect(await isValid()).toBe(true);
    expect(await executed()).toEqual([notes.name, byBody.name]);
  }, 60_000);

  it('keeps an index that was complete when it was killed', async () => {
    await other.query(`CREATE INDEX notes_by_body ON notes (body)`);
    const before = (await other.query(`SELECT 'notes_by_body'::regclass::oid AS id`)).rows;
    await migrated([notes, byBody]);
    expect((await other.query(`SELECT 'notes_by_body'::regclass::oid AS id`)).rows).toEqual(before);
    expect(await isValid()).toBe(true);
  }, 60_000);

  it('that is killed between two batches changes the rest of the rows when it starts again', async () => {
    await migrated([notes, archived]);
    await other.query('BEGIN');
    await other.query(`UPDATE notes SET body = 'locked' WHERE note_id = 1500`);
    await killed([notes, archived, nothingArchived], 'UPDATE notes');
    const changed = `SELECT count(*)::int AS n FROM notes WHERE NOT archived`;
    expect((await observer.query(changed)).rows).toEqual([{ n: 1000 }]);
    await other.query('COMMIT');
    await migrated([notes, archived, nothingArchived]);
    expect((await other.query(changed)).rows).toEqual([{ n: 2500 }]);
    expect(await executed()).toEqual([notes.name, archived.name, nothingArchived.name]);
  }, 60_000);
});
