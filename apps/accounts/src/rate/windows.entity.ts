import type { AccessThroughGateway, RateGrant, RatesTaken, RateTake } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';

/** Runs a statement that each connection prepares once: planning these costs more than running them. */
export interface Statements {
  query<Row>(text: string, parameters: readonly unknown[]): Promise<Row[]>;
}

interface RateWindowRow {
  readonly key: string;
  readonly window_start: string;
  readonly previous: number;
  readonly count: number;
  readonly granted: number;
  /** In the first row only. */
  readonly elsewhere: readonly string[] | null;
}

/**
 * Sliding window counters: grants of the previous window count by the share of it that the last `windowSeconds` still
 * cover. A key is one row, so that the second statement waits for the lock and sees what the first was granted; a
 * statement locks its keys in order, so that two statements cannot deadlock. A row of a later window was written by a
 * replica whose clock is ahead: its window counts.
 */
const takeAll = (takes: string): string => `
  WITH elsewhere AS (
    SELECT DISTINCT account_id FROM gateway_writes
    WHERE account_id = ANY ($6::text[]) AND gateway <> $7::text AND until > now()),
  taken AS (
  INSERT INTO rate_windows AS r (key, window_ms, most, window_start, previous, count, granted)
  SELECT key, window_ms, most, $5::bigint - $5::bigint % window_ms, 0, least(asked, most), least(asked, most)
  FROM ${takes}
  ORDER BY key
  ON CONFLICT (key) DO UPDATE SET (window_start, previous, count, granted) = (
    SELECT u.start, u.previous, u.used + f.fits, f.fits
    FROM (SELECT
        greatest(r.window_start, excluded.window_start) AS start,
        CASE WHEN r.window_start >= excluded.window_start THEN r.previous
          WHEN r.window_start = excluded.window_start - r.window_ms THEN r.count ELSE 0 END AS previous,
        CASE WHEN r.window_start >= excluded.window_start THEN r.count ELSE 0 END AS used) u,
      LATERAL (SELECT greatest(0, least(excluded.granted, excluded.most - u.used -
        (u.previous * greatest(0, least(r.window_ms, u.start + r.window_ms - $5::bigint)) + r.window_ms - 1)
          / r.window_ms))::int AS fits) f)
  RETURNING key, window_start, previous, count, granted)
  SELECT *, CASE WHEN row_number() OVER () = 1 THEN (SELECT coalesce(array_agg(account_id), '{}') FROM elsewhere) END
    AS elsewhere
  FROM taken`;

const releaseAll = `
  WITH held AS (
    SELECT key FROM rate_windows
    WHERE key = ANY ($1::text[]) AND window_start = $2::bigint - $2::bigint % window_ms
    ORDER BY key FOR UPDATE)
  UPDATE rate_windows r SET count = greatest(0, r.count - 1) FROM held WHERE r.key = held.key`;

// Never waits for a lock, so it cannot be part of a deadlock.
const forgetOld = `
  DELETE FROM rate_windows WHERE key IN (
    SELECT key FROM rate_windows WHERE window_start + 2 * window_ms < $1::bigint LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

/** Counts how often each key was taken recently, for all replicas together (ADR 6). */
export class RateWindows {
  constructor(private readonly statements: Statements) {}

  /** The grants in the order of the takes, in one statement. Takes that are not granted do not count. */
  async take(takes: readonly RateTake[], atMs: number): Promise<RateGrant[]> {
    return (await this.takeFor({ gateway: '', reading: [] }, takes, atMs)).grants;
  }

  /** As `take`. Also finds the accounts that may have written through other gateways, in the same statement. */
  async takeFor(
    { gateway, reading }: Pick<AccessThroughGateway, 'gateway' | 'reading'>,
    takes: readonly RateTake[],
    atMs: number,
  ): Promise<RatesTaken & { elsewhere: readonly string[] }> {
    if (takes.length === 0) return { grants: [], elsewhere: reading };
    const asked = new Map<string, RateTake>();
    for (const take of takes) {
      const key = keyOf(take);
      asked.set(key, { ...take, count: take.count + (asked.get(key)?.count ?? 0) });
    }
    const given = columns(
      { key: 'text', window_ms: 'bigint', most: 'integer', asked: 'integer' },
      asked,
      ([key, { windowSeconds, limit, count }]) => ({
        key,
        window_ms: windowSeconds * 1000,
        most: limit,
        asked: count,
      }),
    );
    const rows = await this.statements.query<RateWindowRow>(takeAll(given.rows), [
      ...given.values,
      atMs,
      reading,
      gateway,
    ]);
    const left = new Map(rows.map((row) => [row.key, { row, granted: row.granted }]));
    const grants = takes.map((take) => {
      const window = left.get(keyOf(take));
      if (!window) throw new Error('A rate window was not counted');
      const granted = Math.min(take.count, window.granted);
      window.granted -= granted;
      return { granted, ...outlook(take, window.row, atMs) };
    });
    return { grants, elsewhere: rows[0]?.elsewhere ?? reading };
  }

  /** Releases one of each that was taken at that time, unless its window has passed. */
  async release(takes: readonly RateTake[], atMs: number): Promise<void> {
    await this.statements.query(releaseAll, [takes.map(keyOf), atMs]);
  }
}

/** Removes expired windows, `limit` at most, and returns how many. */
export const forgetWindows = async (sql: Sql, atMs: number, limit: number): Promise<number> =>
  (await sql.query(forgetOld, [atMs, limit])).length;

const keyOf = ({ key, windowSeconds }: RateTake): string => `${key}/${windowSeconds}`;

/** What is left, and the time until more is: the end of the window, or, when none is left, until the next one fits. */
function outlook(
  { limit, windowSeconds }: Pick<RateTake, 'limit' | 'windowSeconds'>,
  { window_start, previous, count }: Pick<RateWindowRow, 'window_start' | 'previous' | 'count'>,
  atMs: number,
): Pick<RateGrant, 'remaining' | 'resetSeconds'> {
  const windowMs = windowSeconds * 1000;
  const start = Number(window_start);
  const toEnd = Math.max(0, Math.min(windowMs, start + windowMs - atMs));
  const remaining = Math.max(0, limit - count - Math.ceil((previous * toEnd) / windowMs));
  const resetMs = remaining > 0 ? toEnd : untilOneFits(limit, windowMs, previous, count, toEnd);
  return { remaining, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
}

function untilOneFits(
  limit: number,
  windowMs: number,
  previous: number,
  count: number,
  toEnd: number,
): number {
  // The next one fits in this window as the previous one loses weight, else in the next window as this one does.
  if (count < limit) return toEnd - Math.floor(((limit - 1 - count) * windowMs) / previous);
  return toEnd + windowMs - Math.floor(((limit - 1) * windowMs) / count);
}
