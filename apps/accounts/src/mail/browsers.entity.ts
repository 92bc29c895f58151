import type { SessionStarted } from '@carillon/contracts';
import type { Sql } from '@carillon/event-store';
import { plus } from '@carillon/eventing';

/** As long as a browser keeps its mark, which each sign-in renews. */
const knownMs = 400 * 24 * 60 * 60_000;
/** More than one sign-in adds. */
const atOnce = 100;

export type SeenBrowser = Pick<SessionStarted, 'accountId' | 'startedAt'> & { readonly browserHash: string };

/**
 * Keeps the browser of a sign-in; returns whether the account has not signed in from it before. Browsers are forgotten
 * by the time of events, so that a rebuild makes the same rows.
 */
export async function isFirstSeen(
  sql: Sql,
  { accountId, browserHash, startedAt }: SeenBrowser,
): Promise<boolean> {
  await sql.query(
    `DELETE FROM known_browsers WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM known_browsers WHERE seen_at < $1 ORDER BY seen_at LIMIT $2))`,
    [plus(startedAt, -knownMs), atOnce],
  );
  const seen = await sql.query(
    `UPDATE known_browsers SET seen_at = greatest(seen_at, $3)
     WHERE account_id = $1 AND browser_hash = $2 RETURNING 1`,
    [accountId, browserHash, startedAt],
  );
  if (seen.length > 0) return false;
  await sql.query(`INSERT INTO known_browsers (account_id, browser_hash, seen_at) VALUES ($1, $2, $3)`, [
    accountId,
    browserHash,
    startedAt,
  ]);
  return true;
}

export async function forgetBrowsersOf(sql: Sql, accountId: string): Promise<void> {
  await sql.query(`DELETE FROM known_browsers WHERE account_id = $1`, [accountId]);
}
