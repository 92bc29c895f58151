import pg from 'pg';

/** The rows of each table, each as one line, in their own order. */
export type TableRows = ReadonlyMap<string, readonly string[]>;

/**
 * Tables that are not derived from the log alone: checkpoints, leases, leased queue rows, counts by the minute, the
 * start of listening, what came to the URLs of services, dropped changes, and how far old streams were deleted.
 */
const notOfTheLog =
  /^(.*checkpoints|migrations|leases|timers|deliveries|lanes|lane_devices|rate_windows|gateway_writes|last_uses|published_streams|connector_listening|service_(listening|gaps|calls|payloads)|changes_dropped|log_cleanup)$/;
/** Rows of these tables are swept now and then: rebuilt tables may still have swept rows. */
const swept = /\.changes$/;
/** Columns that differ after a rebuild: leases, last-seen times, and values sealed again each time. */
const passing = [
  'owner',
  'owned_until',
  'retry_at',
  'last_used_at',
  'last_seen_at',
  'push_token',
  'push_to_start_token',
];

/** All rows of all services. */
export async function rowsOf(databaseUrl: string): Promise<TableRows> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `SELECT nspname AS schema, relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND relkind IN ('r', 'p')
         AND NOT relispartition ORDER BY 1, 2`,
    );
    const found = new Map<string, readonly string[]>();
    for (const { schema, name } of tables.filter((table) => !notOfTheLog.test(table.name))) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)} t ORDER BY 1`,
        [passing],
      );
      found.set(
        `${schema}.${name}`,
        rows.map(({ row }) => row),
      );
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Whether nothing has changed. */
export const isSame = (before: TableRows, after: TableRows): boolean =>
  differingTables(before, after).length === 0;

/** The tables that differ, with the first row that only one side has. */
export function differingTables(before: TableRows, after: TableRows): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => {
    const rows = before.get(table) ?? [];
    const rebuilt = after.get(table) ?? [];
    const [had, has] = [new Set(rows), new Set(rebuilt)];
    const lost = rows.find((row) => !has.has(row));
    const gained = rebuilt.find((row) => !had.has(row));
    if (lost === undefined && swept.test(table)) return [];
    if (lost === undefined && gained === undefined && rows.length === rebuilt.length) return [];
    return [`${table} (${rows.length} and ${rebuilt.length} rows; was ${lost ?? '–'}; is ${gained ?? '–'})`];
  });
}
