import type { Log } from './log';
import { divided, type Partitioning, undivided } from './partition';
import type { AnyProjection } from './selection';
import type { Sql } from './sql';

/** The partitions of a projection's checkpoints. */
export const partitioningOf = ({ partitioned }: AnyProjection, { partitions }: Log): Partitioning =>
  partitioned ? divided(partitions, partitioned) : undivided;

/** Writes the checkpoints of a new projection. */
export async function beginCheckpoints(
  sql: Pick<Sql, 'query'>,
  projection: AnyProjection,
  log: Log,
): Promise<void> {
  await sql.query(
    `INSERT INTO projection_checkpoints (name, partition, position, rows_version)
     SELECT $1, partition, 0, $2 FROM generate_series(0, $3 - 1) partition ON CONFLICT DO NOTHING`,
    [projection.name, projection.version, partitioningOf(projection, log).count],
  );
}
