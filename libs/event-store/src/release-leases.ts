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
