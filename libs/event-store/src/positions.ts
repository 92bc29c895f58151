import type { Database } from './database';
import type { Sql } from './sql';

/** A move of the checkpoint of one projection. */
export interface Move {
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
  /** The version of the rows. */
  readonly rowsVersion: number;
}

/** Another process moved the checkpoint, or rebuilt the rows: a second active replica, or a rebuild. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor({ name, from }: Move) {
    super(`The projection ${name} is not at ${from} any more`);
  }
}

/** The moved projections, each with the version of its set-aside accounts. */
type Moved = ReadonlyMap<string, string | null>;

const movedOf = (rows: readonly { name: string; version: string | null }[]): Moved =>
  new Map(rows.map(({ name, version }) => [name, version]));

/** Moves a checkpoint from its expected position; waits while a transaction has locked it. */
export async function moveOne(
  sql: Pick<Sql, 'query'>,
  { name, from, to, rowsVersion }: Move,
): Promise<Moved> {
  return movedOf(
    await sql.query(
      `UPDATE projection_checkpoints SET position = $3, updated_at = now()
       WHERE name = $1 AND position = $2 AND rows_version = $4 RETURNING name, set_aside_version AS version`,
      [name, String(from), String(to), rowsVersion],
    ),
  );
}

/**
 * Moves checkpoints in one statement, each only from its expected position, and returns the moved ones.
 * Skips a checkpoint that a transaction has locked: that transaction moves it, or rebuilds its rows.
 */
export async function moveFree(sql: Pick<Sql, 'query'>, moves: readonly Move[]): Promise<Moved> {
  const moved = await sql.query<{ name: string; version: string | null }>(
    `UPDATE projection_checkpoints c SET position = n.position, updated_at = now()
     FROM (
       SELECT p.name, m.position
       FROM unnest($1::text[], $2::numeric[], $3::numeric[], $4::integer[]) AS m (name, stored, position, rows_version)
       JOIN projection_checkpoints p ON p.name = m.name AND p.position = m.stored AND p.rows_version = m.rows_version
       FOR UPDATE OF p SKIP LOCKED) n
     WHERE c.name = n.name RETURNING c.name, c.set_aside_version AS version`,
    [
      moves.map(({ name }) => name),
      moves.map(({ from }) => String(from)),
      moves.map(({ to }) => String(to)),
      moves.map(({ rowsVersion }) => rowsVersion),
    ],
  );
  return movedOf(moved);
}

/** Moves checkpoints as `moveFree` does, and returns the outcome of each: a locked checkpoint is `busy`. */
export async function moveAll(
  database: Database,
  moves: readonly Move[],
): Promise<(move: Move) => 'moved' | 'busy' | 'overtaken'> {
  const done = await moveFree(database, moves);
  if (done.size === moves.length) return () => 'moved';
  const rows = await database.query<{ name: string; position: string; rows_version: number }>(
    `SELECT name, position, rows_version FROM projection_checkpoints WHERE name = ANY($1)`,
    [moves.map(({ name }) => name)],
  );
  return ({ name, from, rowsVersion }) => {
    if (done.has(name)) return 'moved';
    const row = rows.find((each) => each.name === name);
    return row && BigInt(row.position) === from && row.rows_version === rowsVersion ? 'busy' : 'overtaken';
  };
}
