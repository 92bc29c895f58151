import type { FeedKind } from '@carillon/contracts';
import { Database, type Sql } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { type Cause, Clock, CommandQueue } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { byAge, type Ordered, type Rank } from './ranks';
import { readTotals } from './totals.entity';
import { maxMoved, moveLines } from './younger.entity';

interface Command {
  readonly accountId: string;
}

/** How many lines above a late one are sorted with it: others that are late too. */
const above = maxMoved / 4;

interface NumberedRow {
  feed_id: string;
  kind: FeedKind;
  created_at: Date;
  rank: string;
  kind_rank: string;
}

/**
 * Moves lines that came very late to their places in the feed, past less than `maxMoved` younger ones in a transaction.
 * Until then they are shown above these. The oldest one goes first, and takes those that are near with it.
 */
@Injectable()
export class LateLines extends CommandQueue<Command> {
  readonly name = 'late_lines';
  protected readonly process = 'read_models.late_lines';

  constructor(@Inject(Database) database: Database, @Inject(Clock) clock: Clock) {
    super(database, clock);
  }

  /** Enqueues the lines of an account that are marked as late. */
  async sink(sql: Sql, accountId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: accountId, command: { accountId }, from });
  }

  protected async execute({ accountId }: Command): Promise<Instant | void> {
    const isLeft = await this.database.transaction(async (sql) => {
      // Locks them: nothing else numbers lines of the account meanwhile.
      await readTotals(sql, [accountId]);
      const before = await aroundOldestLate(sql, accountId);
      const sorted = byAges(before);
      const moved = sorted.filter((line, index) => line.id !== before[index]?.id);
      await moveLines(
        sql,
        moved.map((line) => ({ ...line, accountId })),
      );
      // The line below the oldest late one is older, so all of these are in their places.
      if (moved.length === 0) await arrive(sql, accountId, before);
      return before.length > 0;
    });
    if (isLeft) return this.clock.now();
  }
}

/** By their numbers; none when no line is late. */
async function aroundOldestLate(sql: Sql, accountId: string): Promise<(Ordered & Rank)[]> {
  const rows = await sql.query<NumberedRow>(
    `SELECT f.feed_id, f.kind, f.created_at, f.rank, f.kind_rank FROM (
       SELECT rank FROM feed_items WHERE account_id = $1 AND late ORDER BY created_at, feed_id LIMIT 1) oldest
     JOIN feed_items f ON f.account_id = $1
       AND f.rank > oldest.rank - $2::bigint AND f.rank <= oldest.rank + $3::bigint
     ORDER BY f.rank`,
    [accountId, maxMoved - above, above],
  );
  return rows.map(({ feed_id, kind, created_at, rank, kind_rank }) => ({
    id: feed_id,
    kind,
    at: created_at.toISOString(),
    rank: Number(rank),
    kindRank: Number(kind_rank),
  }));
}

/** The lines of a range of numbers by age. The numbers stay, in all and among those of a kind. */
function byAges(before: readonly (Ordered & Rank)[]): (Ordered & Rank)[] {
  const next = new Map(before.toReversed().map(({ kind, kindRank }) => [kind, kindRank]));
  return before.toSorted(byAge).map((line, index) => {
    const kindRank = next.get(line.kind) ?? line.kindRank;
    next.set(line.kind, kindRank + 1);
    return { ...line, rank: before[index]?.rank ?? line.rank, kindRank };
  });
}

async function arrive(sql: Sql, accountId: string, lines: readonly Rank[]): Promise<void> {
  await sql.query(
    `UPDATE feed_items SET late = false WHERE account_id = $1 AND late AND rank = ANY($2::bigint[])`,
    [accountId, lines.map(({ rank }) => rank)],
  );
}
