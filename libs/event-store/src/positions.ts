import type { Database } from './database';
import type { Sql } from './sql';

/** A move of the checkpoint of one partition of a projection. */
export interface Move {
  readonly name: string;
  readonly partition: number;
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

/** What the statements return of a moved checkpoint, with the version of its set-aside accounts. */
interface MovedRow {
  readonly name: string;
  readonly partition: number;
  readonly version: string | null;
}

type Key = Pick<Move, 'name' | 'partition'>;
const keyOf = ({ name, partition }: Key): string => `${partition} ${name}`;

/** The moved checkpoints. */
export class Moved {
  private readonly versions: ReadonlyMap<string, string | null>;

  constructor(rows: readonly MovedRow[]) {
    this.versions = new Map(rows.map((row) => [keyOf(row), row.version]));
  }

  get size(): number {
    return this.versions.size;
  }

  has(key: Key): boolean {
    return this.versions.has(keyOf(key));
  }

  /** The version of the set-aside accounts; null is none. */
  version(key: Key): string | null {
    return this.versions.get(keyOf(key)) ?? null;
  }
}

/** Moves a checkpoint from its expected position; waits while a transaction has locked it. */
export async function moveOne(
  sql: Pick<Sql, 'query'>,
  { name, partition, from, to, rowsVersion }: Move,
): Promise<Moved> {
  return new Moved(
    await sql.query(
      `UPDATE projection_checkpoints SET position = $4, updated_at = now()
       WHERE name = $1 AND partition = $2 AND position = $3 AND rows_version = $5
       RETURNING name, partition, set_aside_version AS version`,
      [name, partition, String(from), String(to), rowsVersion],
    ),
  );
}

/**
 * Moves checkpoints in one statement, each only from its expected position, and returns the moved ones. Waits while a
 * transaction has locked one of them.
 */
export const moveSeveral = (sql: Pick<Sql, 'query'>, moves: readonly Move[]): Promise<Moved> =>
  moveLocked(sql, moves, '');

/** As `moveSeveral`, but skips a locked checkpoint: that transaction moves it, or rebuilds its rows. */
export const moveFree = (sql: Pick<Sql, 'query'>, moves: readonly Move[]): Promise<Moved> =>
  moveLocked(sql, moves, 'SKIP LOCKED');

async function moveLocked(
  sql: Pick<Sql, 'query'>,
  moves: readonly Move[],
  locked: '' | 'SKIP LOCKED',
): Promise<Moved> {
  // Locked in one order, so that two processes cannot wait for each other.
  const rows = await sql.query<MovedRow>(
    `UPDATE projection_checkpoints c SET position = n.position, updated_at = now()
     FROM (
       SELECT p.name, p.partition, m.position
       FROM unnest($1::text[], $2::integer[], $3::numeric[], $4::numeric[], $5::integer[])
         AS m (name, partition, stored, position, rows_version)
       JOIN projection_checkpoints p ON p.name = m.name AND p.partition = m.partition AND p.position = m.stored
         AND p.rows_version = m.rows_version
       ORDER BY p.name, p.partition FOR UPDATE OF p ${locked}) n
     WHERE c.name = n.name AND c.partition = n.partition
     RETURNING c.name, c.partition, c.set_aside_version AS version`,
    [
      moves.map(({ name }) => name),
      moves.map(({ partition }) => partition),
      moves.map(({ from }) => String(from)),
      moves.map(({ to }) => String(to)),
      moves.map(({ rowsVersion }) => rowsVersion),
    ],
  );
  return new Moved(rows);
}

/** Moves checkpoints as `moveFree` does, and returns the outcome of each: a locked checkpoint is `busy`. */
export async function moveAll(
  database: Database,
  moves: readonly Move[],
): Promise<(move: Move) => 'moved' | 'busy' | 'overtaken'> {
  const done = await moveFree(database, moves);
  if (done.size === moves.length) return () => 'moved';
  const rows = await database.query<Key & { position: string; rows_version: number }>(
    `SELECT name, partition, position, rows_version FROM projection_checkpoints WHERE name = ANY($1)`,
    [moves.map(({ name }) => name)],
  );
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  return (move) => {
    if (done.has(move)) return 'moved';
    const row = found.get(keyOf(move));
    return row && BigInt(row.position) === move.from && row.rows_version === move.rowsVersion
      ? 'busy'
      : 'overtaken';
  };
}
