import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Rows } from './new-rows';
import { startupOptions } from './startup-options';

/**
 * Creates the role in the URL of a service, its database and its two schemas, as far as they are missing, and gives the
 * role what a service needs: to connect, and to own the tables in these schemas, which it migrates, rebuilds and
 * partitions by itself. Sets its password to that of the URL. `ownerUrl` is of the same server, with a role that may
 * create roles and databases. Returns the name of the role.
 */
export async function createRole(ownerUrl: string, { url, schema }: Rows): Promise<string> {
  const { role, password, database } = partsOf(url);
  const owner = new URL(ownerUrl);
  await connected(owner.href, async (client) => {
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (rows.length === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  });
  owner.pathname = `/${encodeURIComponent(database)}`;
  await connected(owner.href, async (client) => {
    const name = client.escapeIdentifier(role);
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('carillon roles', 0))`);
    const { rows } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    if (rows.length === 0) await client.query(`CREATE ROLE ${name}`);
    await client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${client.escapeLiteral(verifierOf(password))}`);
    // Who is no superuser gives a schema only to a role that he is a member of.
    await client.query(`GRANT ${name} TO CURRENT_USER`);
    await client.query(`REVOKE ALL ON DATABASE ${client.escapeIdentifier(database)} FROM PUBLIC`);
    await client.query(`GRANT CONNECT ON DATABASE ${client.escapeIdentifier(database)} TO ${name}`);
    for (const each of [schema, `${schema}_rebuild`]) await giveSchema(client, each, role);
    await client.query(`REVOKE ${name} FROM CURRENT_USER`);
    await client.query('COMMIT');
  });
  return role;
}

/** Creates a schema of the role, or gives it the one that is there with all tables in it. */
async function giveSchema(client: pg.Client, schema: string, role: string): Promise<void> {
  const [name, owner] = [schema, role].map((each) => client.escapeIdentifier(each));
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`);
  await client.query(`ALTER SCHEMA ${name} OWNER TO ${owner}`);
  const { rows } = await client.query<{ table: string }>(
    `SELECT format('%I.%I', $1::text, relname) AS table FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')
       AND pg_get_userbyid(relowner) <> $2`,
    [schema, role],
  );
  for (const { table } of rows) await client.query(`ALTER TABLE ${table} OWNER TO ${owner}`);
}

function partsOf(url: string): { role: string; password: string; database: string } {
  const { username, password, pathname } = new URL(url);
  const [role, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  if (!role || !secret || !database)
    throw new Error('The URL of a service names a role, its password and a database');
  return { role, password: secret, database };
}

/** The form in which Postgres keeps a password (SCRAM-SHA-256): the password itself comes into no log of the server. */
function verifierOf(password: string): string {
  const iterations = 4_096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyOf = (what: string): Buffer => createHmac('sha256', salted).update(what).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'carillon roles',
    connectionTimeoutMillis: 10_000,
    options: startupOptions(),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}
