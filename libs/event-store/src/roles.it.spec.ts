import { startPostgres, type TestPostgres } from '@carillon/testkit';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Database } from './database';
import { throwRowsAway } from './new-rows';
import { createRole } from './roles';

const migrations = [
  {
    name: 'Notes1763600000001',
    phase: 'expand' as const,
    statements: ['CREATE TABLE notes (note_id integer PRIMARY KEY)'],
  },
];
let postgres: TestPostgres;
/** As managed servers have one: it may create roles, and is no superuser. */
let owner: string;
const urlOf = (user: string, database: string): string =>
  postgres.url.replace('postgres@', `${user}:secret%20of%20${user}@`).replace(/[^/]*$/, database);
const asking = async <T>(url: string, text: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  postgres = await startPostgres();
  await asking(postgres.url, 'CREATE ROLE chief LOGIN CREATEROLE');
  await asking(postgres.url, 'CREATE DATABASE house OWNER chief');
  owner = urlOf('chief', 'house');
}, 60_000);
afterAll(() => postgres?.stop());

const open = (role: string, database: string, schema: string): Promise<Database> =>
  Database.open({ url: urlOf(role, database), schema, migrations });

it('a role creates and drops tables in its own schemas, and sees nothing of other schemas', async () => {
  for (const schema of ['bells', 'clocks'])
    expect(await createRole(owner, { url: urlOf(schema, 'house'), schema })).toBe(schema);
  const [bells, clocks] = [await open('bells', 'house', 'bells'), await open('clocks', 'house', 'clocks')];
  await bells.query('INSERT INTO notes VALUES (1)');
  await bells.query('CREATE TABLE bells_rebuild.notes (LIKE notes)');
  for (const refused of [
    'SELECT * FROM bells.notes',
    'CREATE TABLE bells.mine ()',
    'CREATE SCHEMA mine',
    'CREATE TABLE public.mine ()',
    'CREATE TEMPORARY TABLE mine ()',
    'CREATE ROLE mine',
    'CREATE DATABASE mine',
    'SET ROLE bells',
  ])
    await expect(clocks.query(refused)).rejects.toThrow(/permission denied/);
  await Promise.all([bells.close(), clocks.close()]);
  await throwRowsAway([{ url: urlOf('bells', 'house'), schema: 'bells' }]);
  expect(await asking(postgres.url.replace(/[^/]*$/, 'house'), 'SELECT 1 FROM clocks.notes')).toEqual([]);
  const again = await open('bells', 'house', 'bells');
  expect(await again.query('SELECT * FROM notes')).toEqual([]);
  await again.close();
});

it('a role may have a database of its own, into which no other role comes', async () => {
  const mine = { url: urlOf('drums', 'drums'), schema: 'drums' };
  await asking(postgres.url, 'ALTER ROLE chief CREATEDB');
  await createRole(owner, mine);
  await (await open('drums', 'drums', 'drums')).close();
  await createRole(owner, { url: urlOf('flutes', 'flutes'), schema: 'flutes' });
  await expect(asking(urlOf('flutes', 'drums'), 'SELECT 1')).rejects.toThrow(
    /permission denied for database/,
  );
  await expect(asking(urlOf('drums', 'house'), 'SELECT 1')).rejects.toThrow(/permission denied for database/);
});

it('twice, and over tables of the former owner, changes the password and the owner only', async () => {
  const before = await open('chief', 'house', 'horns');
  await before.query('INSERT INTO notes VALUES (7)');
  await before.close();
  const url = urlOf('horns', 'house');
  await createRole(owner, { url, schema: 'horns' });
  const verifier = 'SELECT rolpassword FROM pg_authid';
  const first = await asking(postgres.url, `${verifier} WHERE rolname = 'horns'`);
  await createRole(owner, { url, schema: 'horns' });
  const second = await asking(postgres.url, `${verifier} WHERE rolname = 'horns'`);
  expect([first, second]).toEqual(
    Array(2).fill([{ rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$4096:/) }]),
  );
  expect(second).not.toEqual(first);
  const after = await open('horns', 'house', 'horns');
  expect(await after.query('SELECT note_id FROM notes')).toEqual([{ note_id: 7 }]);
  await after.query('DROP TABLE notes');
  await after.close();
});

it('the statements of the deployment page make a role by hand that a service can use', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/deployment.md'), 'utf8');
  const [, statements = ''] = /```sql\n([\s\S]*?)```/.exec(page)!;
  await asking(postgres.url, 'CREATE DATABASE carillon');
  await asking(postgres.url.replace(/[^/]*$/, 'carillon'), statements);
  const push = await open('carillon_push', 'carillon', 'push');
  expect(await push.query('SELECT * FROM notes')).toEqual([]);
  await push.close();
});

it('a URL without a role, a password or a database is refused', async () => {
  const of = (text: string) => createRole(owner, { url: text, schema: 'x' });
  await expect(of('postgres://a@127.0.0.1/b')).rejects.toThrow('names a role, its password and a database');
  await expect(of('postgres://a:b@127.0.0.1/')).rejects.toThrow('names a role, its password and a database');
});
