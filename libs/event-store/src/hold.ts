import type { Sql } from './sql';

/**
 * Keeps a projection from writing rows until the end of the transaction: it moves its checkpoint before it writes, and
 * the replay of an account that is set aside moves that account's.
 */
export async function holdProjection(sql: Sql, name: string): Promise<void> {
  await sql.query(`SELECT FROM projection_checkpoints WHERE name = $1 ORDER BY partition FOR UPDATE`, [name]);
  await sql.query(`SELECT FROM set_aside WHERE projection = $1 FOR UPDATE`, [name]);
}
