import type { RowLease } from './queue-terms';

/**
 * SQL that releases the leases of a queue's table that meet a condition, and returns one row for each. Rows that a
 * transaction has locked are left to the next sweep: waiting for row locks in arbitrary order could deadlock.
 * `also` lists further assignments, such as `doubtful = true`.
 */
export const releaseLeases = (
  table: string,
  key: readonly string[],
  which: string,
  also: readonly string[] = [],
): string =>
  `UPDATE ${table} t SET ${['owner = NULL', 'owned_until = NULL', ...also].join(', ')}
   FROM (SELECT ${key.join(', ')} FROM ${table} WHERE ${which} FOR UPDATE SKIP LOCKED) held
   WHERE ${key.map((column) => `t.${column} = held.${column}`).join(' AND ')} RETURNING 1`;

/**
 * SQL and its parameters that extend the leases of rows by their keys, which are texts. Locked rows are skipped: they
 * are being written, or the next renewal extends them.
 */
export function renewLeases<Column extends string>(
  table: string,
  key: readonly Column[],
  rows: readonly Readonly<Record<Column, string>>[],
  { owner, ownedSeconds }: RowLease,
): [string, unknown[]] {
  const names = key.join(', ');
  const lists = key.map((_, index) => `$${index + 3}::text[]`).join(', ');
  return [
    `UPDATE ${table} t SET owned_until = now() + make_interval(secs => $1)
     FROM (
       SELECT ${names} FROM ${table} JOIN unnest(${lists}) AS n (${names}) USING (${names})
       WHERE owner = $2 FOR UPDATE OF ${table} SKIP LOCKED) mine
     WHERE ${key.map((column) => `t.${column} = mine.${column}`).join(' AND ')}`,
    [ownedSeconds, owner, ...key.map((column) => rows.map((row) => row[column]))],
  ];
}
