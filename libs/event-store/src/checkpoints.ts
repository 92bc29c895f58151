import type { Log } from './log';
import { divided, type Partitioning, undivided } from './partition';
import type { AnyProjection } from './selection';
import type { Sql } from './sql';

/** The partitions of a projection's checkpoints. */
export const partitioningOf = ({ partitioned }: AnyProjection, { partitions }: Log): Partitioning =>
  partitioned ? divided(partitions, partitioned) : undivided;

/**
 * Writes the checkpoints of a new projection. It is an addition when another one has been complete before: then the
 * service is ready without it.
 */
export async function beginCheckpoints(
  sql: Pick<Sql, 'query'>,
  projection: AnyProjection,
  log: Log,
): Promise<void> {
  await sql.query(
    `INSERT INTO projection_checkpoints (name, partition, position, rows_version, is_addition)
     SELECT $1, partition, 0, $2, EXISTS (SELECT FROM projection_checkpoints WHERE is_complete)
     FROM generate_series(0, $3 - 1) partition ON CONFLICT DO NOTHING`,
    [projection.name, projection.version, partitioningOf(projection, log).count],
  );
}
