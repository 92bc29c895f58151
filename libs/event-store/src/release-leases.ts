/**
 * SQL that gives back the rows of a table of work that meet a condition, and returns one row for each. Rows that a
 * transaction holds just now are left to the next sweep: to wait for them, in whatever order they come, may be to wait
 * for somebody who waits for us. `also` is what else is set, such as `doubtful = true`.
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
