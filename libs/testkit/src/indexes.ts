interface Rows {
  query<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]>;
}

/** The columns of each index of a table: `(account_id, created_at DESC, item_id DESC) WHERE (read_at IS NULL)`. */
export async function indexesOf(rows: Rows, table: string): Promise<string[]> {
  const found = await rows.query<{ columns: string }>(
    `SELECT regexp_replace(indexdef, '^.* USING btree ', '') AS columns FROM pg_indexes
     WHERE schemaname = current_schema() AND tablename = $1`,
    [table],
  );
  return found.map(({ columns }) => columns);
}
