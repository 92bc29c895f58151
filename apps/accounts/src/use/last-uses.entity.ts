import { columns, type Database } from '@carillon/event-store';
import { compareTexts, type Instant } from '@carillon/eventing';

/**
 * Keeps the newest use of each token and session to the minute. No projection: the log has one use a day, and a rebuild
 * leaves these rows as they are. Ids in order, so that two replicas cannot deadlock (ADR 56).
 */
export async function keepLastUses(database: Database, uses: ReadonlyMap<string, Instant>): Promise<void> {
  const sorted = [...uses].sort(([one], [other]) => compareTexts(one, other));
  const given = columns({ id: 'text', used_at: 'timestamptz' }, sorted, ([id, used_at]) => ({ id, used_at }));
  await database.query(
    `INSERT INTO last_uses AS l (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at WHERE l.used_at < excluded.used_at`,
    given.values,
  );
}
