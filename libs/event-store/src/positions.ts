import type { Database } from './database';
import type { Sql } from './sql';

/** A move of the checkpoint of one projection. */
export interface Move {
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Moves checkpoints in one statement, each only from its expected position, and returns the names of the moved ones.
 * Skips a checkpoint that a transaction has locked: that transaction moves it, or rebuilds its rows.
 */
export async function moveFree(
  sql: Pick<Sql, 'query'>,
  moves: readonly Move[],
): Promise<ReadonlySet<string>> {
  const moved = await sql.query<{ name: string }>(
    `UPDATE projection_checkpoints c SET position = n.position, updated_at = now()
     FROM (
       SELECT p.name, m.position
       FROM unnest($1::text[], $2::numeric[], $3::numeric[]) AS m (name, stored, position)
       JOIN projection_checkpoints p ON p.name = m.name AND p.position = m.stored
       FOR UPDATE OF p SKIP LOCKED) n
     WHERE c.name = n.name RETURNING c.name`,
    [moves.map(({ name }) => name), moves.map(({ from }) => String(from)), moves.map(({ to }) => String(to))],
  );
  return new Set(moved.map(({ name }) => name));
}

/** Moves checkpoints as `moveFree` does, and returns the outcome of each: a locked checkpoint is `busy`. */
export async function moveAll(
  database: Database,
  moves: readonly Move[],
): Promise<(move: Move) => 'moved' | 'busy' | 'overtaken'> {
  const done = await moveFree(database, moves);
  if (done.size === moves.length) return () => 'moved';
  const rows = await database.query<{ name: string; position: string }>(
    `SELECT name, position FROM projection_checkpoints WHERE name = ANY($1)`,
    [moves.map(({ name }) => name)],
  );
  const stored = new Map(rows.map(({ name, position }) => [name, BigInt(position)]));
  return ({ name, from }) => (done.has(name) ? 'moved' : stored.get(name) === from ? 'busy' : 'overtaken');
}
