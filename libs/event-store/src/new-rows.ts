import pg from 'pg';
import { startupOptions } from './startup-options';

/** Rows cannot be deleted while a service uses them. */
class RowsInUse extends Error {
  override readonly name = 'RowsInUse';

  constructor(readonly by: readonly string[]) {
    super(`The rows are in use by ${by.join(', ')}: stop everything first`);
  }
}

/**
 * Deletes the rows of the services with these schemas; the next start rebuilds them from the log. Throws `RowsInUse`
 * while one of the services runs.
 */
export async function throwRowsAway(databaseUrl: string, schemas: readonly string[]): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'carillon new rows',
    options: startupOptions(),
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = ANY($1) ORDER BY 1`,
      [schemas.map((schema) => `carillon ${schema}`)],
    );
    if (rows.length > 0) throw new RowsInUse(rows.map(({ name }) => name));
    await client.query('BEGIN');
    for (const schema of schemas)
      for (const name of [schema, `${schema}_rebuild`])
        await client.query(`DROP SCHEMA IF EXISTS ${client.escapeIdentifier(name)} CASCADE`);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
