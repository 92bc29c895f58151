import type { PermitsWanted } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Statements } from './windows.entity';

/** How long the permits of a gateway count unless it renews them. */
const leaseMs = 30_000;

const nowMs = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/**
 * A token is one row, so that the second statement waits for the lock and sees what the first was granted. `holders`
 * has for each gateway how many permits it holds and until when. A gateway names the total that it wants, so a repeated
 * call changes nothing.
 */
const holdAll = (wants: string): string => `
  INSERT INTO wait_permits AS p (token_id, holders, wanted, max_permits)
  SELECT token_id, CASE WHEN least(wanted, max_permits) > 0
      THEN jsonb_build_object($1::text, jsonb_build_array(least(wanted, max_permits), ${nowMs} + $5::bigint))
      ELSE '{}'::jsonb END, wanted, max_permits
  FROM ${wants}
  ORDER BY token_id
  ON CONFLICT (token_id) DO UPDATE SET (holders, wanted, max_permits) = (
    SELECT others.holders || CASE WHEN f.fits > 0
        THEN jsonb_build_object($1::text, jsonb_build_array(f.fits, ${nowMs} + $5::bigint))
        ELSE '{}'::jsonb END, excluded.wanted, excluded.max_permits
    FROM (SELECT coalesce(jsonb_object_agg(h.key, h.value), '{}'::jsonb) AS holders,
          coalesce(sum((h.value->>0)::int), 0)::int AS held
        FROM jsonb_each(p.holders) h WHERE h.key <> $1::text AND (h.value->>1)::bigint > ${nowMs}) others,
      LATERAL (SELECT greatest(0, least(excluded.wanted, excluded.max_permits - others.held)) AS fits) f)
  RETURNING token_id, coalesce((holders->$1::text->>0)::int, 0) AS granted`;

// Never waits for a lock, so it cannot be part of a deadlock.
const forgetUnheld = `
  DELETE FROM wait_permits WHERE token_id IN (
    SELECT token_id FROM wait_permits p
    WHERE NOT EXISTS (SELECT 1 FROM jsonb_each(p.holders) h WHERE (h.value->>1)::bigint > ${nowMs})
    LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

/** How many of a token's permits for waits each gateway holds, for all replicas together. */
export class WaitPermits {
  constructor(
    private readonly statements: Statements,
    private readonly lease = leaseMs,
  ) {}

  /** Returns how many of the wanted permits the gateway holds from now on, token by token. Each token is named once. */
  async hold(gateway: string, wants: readonly PermitsWanted[]): Promise<number[]> {
    const given = columns(
      { token_id: 'text', wanted: 'integer', max_permits: 'integer' },
      wants,
      ({ tokenId, wanted, max }) => ({ token_id: tokenId, wanted, max_permits: max }),
      { from: 2 },
    );
    const rows = await this.statements.query<{ token_id: string; granted: number }>(holdAll(given.rows), [
      gateway,
      ...given.values,
      this.lease,
    ]);
    const granted = new Map(rows.map((row) => [row.token_id, row.granted]));
    return wants.map(({ tokenId }) => granted.get(tokenId) ?? 0);
  }
}

/** Removes the rows of tokens without a held permit, `limit` at most, and returns how many. */
export const forgetPermits = async (sql: Sql, limit: number): Promise<number> =>
  (await sql.query(forgetUnheld, [limit])).length;
