import type { Database, Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';

/** One of the authorization server's own things, such as a code or a token. */
export interface Artifact {
  readonly idHash: string;
  readonly kind: string;
  readonly payload: object;
  readonly grantId: string | null;
  /** How an access token begins. */
  readonly prefix: string | null;
  readonly expiresAt: Instant;
  readonly at: Instant;
}

export interface ArtifactRow {
  payload: Record<string, unknown>;
  grant_id: string | null;
  consumed_at: Date | null;
  expires_at: Date;
}

// Flushed before it is acknowledged: unlike other rows it cannot be made again from the log.
const flushed = `WITH flushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true))`;

export async function saveArtifact(database: Database, artifact: Artifact): Promise<void> {
  const { idHash, kind, payload, grantId, prefix, expiresAt, at } = artifact;
  await database.query(
    `${flushed}
     INSERT INTO oauth_artifacts (id_hash, kind, payload, grant_id, prefix, expires_at, created_at)
     SELECT $1, $2, $3::jsonb, $4, $5, $6::timestamptz, $7::timestamptz FROM flushed
     ON CONFLICT (id_hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`,
    [idHash, kind, JSON.stringify(payload), grantId, prefix, expiresAt, at],
  );
}

export async function findArtifact(
  database: Database,
  kind: string,
  idHash: string,
  at: Instant,
): Promise<ArtifactRow | undefined> {
  const [row] = await database.query<ArtifactRow>(
    `SELECT payload, grant_id, consumed_at, expires_at FROM oauth_artifacts
     WHERE id_hash = $1 AND kind = $2 AND expires_at > $3`,
    [idHash, kind, at],
  );
  return row;
}

/** Marks it as used. False when it was used before; of several attempts at once one succeeds. */
export async function consumeArtifact(database: Database, idHash: string, at: Instant): Promise<boolean> {
  const rows = await database.query(
    `${flushed}
     UPDATE oauth_artifacts SET consumed_at = $2 FROM flushed
     WHERE id_hash = $1 AND consumed_at IS NULL RETURNING 1`,
    [idHash, at],
  );
  return rows.length > 0;
}

/** Changes fields of the payload. */
export async function changeArtifact(database: Database, idHash: string, fields: object): Promise<void> {
  await database.query(`UPDATE oauth_artifacts SET payload = payload || $2::jsonb WHERE id_hash = $1`, [
    idHash,
    JSON.stringify(fields),
  ]);
}

/** Adds what a person has decided. False when somebody has decided before; of several at once one succeeds. */
export async function decideArtifact(
  database: Database,
  idHash: string,
  decided: { readonly decided: object },
  at: Instant,
): Promise<boolean> {
  const rows = await database.query(
    `${flushed}
     UPDATE oauth_artifacts SET payload = payload || $2::jsonb FROM flushed
     WHERE id_hash = $1 AND expires_at > $3 AND consumed_at IS NULL AND payload->'decided' IS NULL RETURNING 1`,
    [idHash, JSON.stringify(decided), at],
  );
  return rows.length > 0;
}

/** Moves the end of it into the future. */
export async function keepArtifact(database: Database, idHash: string, until: Instant): Promise<void> {
  await database.query(`UPDATE oauth_artifacts SET expires_at = $2 WHERE id_hash = $1`, [idHash, until]);
}

export async function removeArtifact(database: Database, idHash: string): Promise<void> {
  await database.query(`DELETE FROM oauth_artifacts WHERE id_hash = $1`, [idHash]);
}

/** Deletes what has expired, `limit` rows at most, and returns how many. */
export const forgetArtifacts = async (sql: Sql, before: Instant, limit: number): Promise<number> =>
  (
    await sql.query(
      `DELETE FROM oauth_artifacts WHERE id_hash IN (
         SELECT id_hash FROM oauth_artifacts WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING 1`,
      [before, limit],
    )
  ).length;
