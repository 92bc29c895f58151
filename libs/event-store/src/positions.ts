import type { Database } from './database';

/** Of the checkpoint of one projection. */
export interface Move {
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Moves checkpoints in one statement, each from where it is known to stand. One that a transaction holds at the moment
 * is left as it is (`busy`): it is being moved, or its rows are made anew.
 */
export async function moveAll(
  database: Database,
  moves: readonly Move[],
): Promise<(move: Move) => 'moved' | 'busy' | 'overtaken'> {
  const names = moves.map(({ name }) => name);
  const moved = await database.query<{ name: string }>(
    `UPDATE projection_checkpoints c SET position = n.position, updated_at = now()
     FROM (
       SELECT p.name, m.position
       FROM unnest($1::text[], $2::numeric[], $3::numeric[]) AS m (name, stored, position)
       JOIN projection_checkpoints p ON p.name = m.name AND p.position = m.stored
       FOR UPDATE OF p SKIP LOCKED) n
     WHERE c.name = n.name RETURNING c.name`,
    [names, moves.map(({ from }) => String(from)), moves.map(({ to }) => String(to))],
  );
  const done = new Set(moved.map(({ name }) => name));
  if (done.size === moves.length) return () => 'moved';
  const rows = await database.query<{ name: string; position: string }>(
    `SELECT name, position FROM projection_checkpoints WHERE name = ANY($1)`,
    [names],
  );
  const stored = new Map(rows.map(({ name, position }) => [name, BigInt(position)]));
  return ({ name, from }) => (done.has(name) ? 'moved' : stored.get(name) === from ? 'busy' : 'overtaken');
}
