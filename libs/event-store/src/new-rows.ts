import pg from 'pg';
import { startupOptions } from './startup-options';

/** Rows cannot be deleted while a service uses them. */
class RowsInUse extends Error {
  override readonly name = 'RowsInUse';

  constructor(readonly by: readonly string[]) {
    super(`The rows are in use by ${by.join(', ')}: stop everything first`);
  }
}

/** The rows of one service. */
export interface Rows {
  readonly url: string;
  readonly schema: string;
}

/**
 * Deletes the rows of these services; the next start rebuilds them from the log. The schemas stay, which a service's
 * own role may not create. Throws `RowsInUse` while one of the services runs, and has deleted nothing then.
 */
export async function throwRowsAway(all: readonly Rows[]): Promise<void> {
  const clients = all.map(({ url, schema }) => ({
    schema,
    client: new pg.Client({
      connectionString: url,
      application_name: 'carillon new rows',
      options: startupOptions(),
    }),
  }));
  try {
    const inUse: string[] = [];
    for (const { schema, client } of clients) {
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query<{ name: string }>(
        `SELECT DISTINCT application_name AS name FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = $1`,
        [`carillon ${schema}`],
      );
      inUse.push(...rows.map(({ name }) => name));
    }
    if (inUse.length > 0) throw new RowsInUse(inUse.sort());
    for (const { schema, client } of clients) await dropTables(client, [schema, `${schema}_rebuild`]);
  } finally {
    await Promise.all(clients.map(({ client }) => client.end()));
  }
}

async function dropTables(client: pg.Client, schemas: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE nspname = ANY($1) AND relkind IN ('r', 'p') AND NOT relispartition`,
    [schemas],
  );
  if (rows.length > 0) await client.query(`DROP TABLE ${rows.map(({ name }) => name).join(', ')} CASCADE`);
  await client.query('COMMIT');
}
