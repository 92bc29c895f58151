import { isPassing, type Recorded } from '@carillon/eventing';
import type { Database } from './database';
import type { Log } from './log';
import type { Partitioning } from './partition';
import type { GivenUp } from './dead-letter-box';
import { type AnyProjection, categoryOf, mayWant, selection } from './selection';
import { accountOf, isOfEvent, kindOfError, maxFailures, renew } from './set-aside';
import type { Sql } from './sql';

const pageSize = 1_000;
const batchSize = 100;
const maxListed = 1_000;

interface ReplayRange {
  /** The account's events up to here are applied, or dropped. */
  readonly applied: bigint;
  /** The live projection has left out the account's events up to here. */
  readonly checkpoint: bigint;
}

/** The accounts that projections of one schema have set aside, in one partition or several, for an operator. */
export async function listSetAside(database: Database): Promise<GivenUp[]> {
  const rows = await database.query<{
    projection: string;
    account_id: string;
    position: string;
    event_type: string;
    error: string;
    since: Date;
  }>(
    `SELECT * FROM (
       SELECT DISTINCT ON (projection, account_id) * FROM set_aside ORDER BY projection, account_id, since, partition) s
     ORDER BY since LIMIT ${maxListed}`,
  );
  return rows.map((row) => ({
    queue: row.projection,
    id: `${row.projection}/${row.account_id}`,
    accountId: row.account_id,
    reason: `cannot apply ${row.event_type} at ${row.position}: ${row.error}`,
    attempts: maxFailures,
    since: row.since.toISOString(),
  }));
}

/**
 * Applies the events that a projection left out for one account, in the order of the log, in bounded transactions,
 * while the projection goes on with all other accounts. Several replicas may do so at once.
 */
export class Replay {
  private readonly select;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly projection: AnyProjection,
    private readonly accountId: string,
    private readonly partition: number,
    private readonly partitioning: Partitioning,
  ) {
    this.select = selection(projection);
  }

  /** True when the account is not set aside any more; false when an event still cannot be applied. */
  async run(): Promise<boolean> {
    // After a failure events are applied one by one, which shows the one that fails.
    let max = batchSize;
    for (;;) {
      const range = await this.range();
      if (!range) return true;
      const { events, to } = await this.next(range, max);
      try {
        if (events.length > 0) await this.apply(range.applied, to, events);
        else if (to < range.checkpoint) await this.move(this.database, range.applied, to);
        else if (await this.rejoin(range.applied)) return true;
      } catch (error) {
        const [event] = events;
        if (!event || isPassing(error) || !isOfEvent(error)) throw error;
        if (max === 1) {
          await this.failed(event, error);
          return false;
        }
        max = 1;
      }
    }
  }

  /** Drops the event that cannot be applied, and applies those behind it. */
  async drop(): Promise<void> {
    await this.database.query(
      `UPDATE set_aside SET applied = position
       WHERE projection = $1 AND account_id = $2 AND partition = $3 AND applied < position`,
      this.key,
    );
    await this.run();
  }

  private get key(): [string, string, number] {
    return [this.projection.name, this.accountId, this.partition];
  }

  private async range(): Promise<ReplayRange | undefined> {
    const [row] = await this.database.query<{ applied: string; checkpoint: string }>(
      `SELECT s.applied, c.position AS checkpoint FROM set_aside s
       JOIN projection_checkpoints c ON c.name = s.projection AND c.partition = s.partition
       WHERE s.projection = $1 AND s.account_id = $2 AND s.partition = $3`,
      this.key,
    );
    return row && { applied: BigInt(row.applied), checkpoint: BigInt(row.checkpoint) };
  }

  /** The account's next events, at most `max`, and the position up to which these are all. */
  private async next(
    { applied, checkpoint }: ReplayRange,
    max: number,
  ): Promise<{ readonly events: Recorded[]; readonly to: bigint }> {
    if (applied >= checkpoint) return { events: [], to: checkpoint };
    const page = await this.log.store.readAll(applied === 0n ? undefined : applied, pageSize);
    const followed = page.events.filter(
      (event) =>
        event.position <= checkpoint &&
        this.partitioning.ofEvent(event).includes(this.partition) &&
        mayWant(this.projection, categoryOf(event.stream), event.type),
    );
    const isOfThis = (partition: number): boolean => partition === this.partition;
    const handled = this.select(await this.log.open(followed))
      .filter((recorded) => accountOf(this.projection, recorded) === this.accountId)
      .flatMap((recorded) => this.partitioning.part(recorded, isOfThis) ?? []);
    const events = handled.slice(0, max);
    if (events.length < handled.length) return { events, to: events.at(-1)!.position };
    const { last = checkpoint } = page;
    return { events, to: last < checkpoint ? last : checkpoint };
  }

  /** Without a statement timeout: no request waits, and only rows of the account are locked. */
  private async apply(applied: bigint, to: bigint, events: readonly Recorded[]): Promise<void> {
    const isApplied = await this.database.transaction(
      async (sql) => {
        // The row's lock: another replica may apply the same events.
        if (!(await this.move(sql, applied, to))) return false;
        await this.projection.apply(sql, events);
        return true;
      },
      { unhurried: true },
    );
    if (isApplied) this.projection.committed?.(events);
  }

  private async move(sql: Pick<Sql, 'query'>, applied: bigint, to: bigint): Promise<boolean> {
    const moved = await sql.query(
      `UPDATE set_aside SET applied = $5
       WHERE projection = $1 AND account_id = $2 AND partition = $3 AND applied = $4 RETURNING 1`,
      [...this.key, String(applied), String(to)],
    );
    return moved.length > 0;
  }

  /** Ends the exception while the live projection is stopped. False when it has left out further events meanwhile. */
  private rejoin(applied: bigint): Promise<boolean> {
    const { name } = this.projection;
    return this.database.transaction(async (sql) => {
      const [live] = await sql.query<{ position: string }>(
        `SELECT position FROM projection_checkpoints WHERE name = $1 AND partition = $2 FOR UPDATE`,
        [name, this.partition],
      );
      const checkpoint = BigInt(live?.position ?? 0);
      const { events, to } = await this.next({ applied, checkpoint }, 1);
      if (events.length > 0 || to < checkpoint) return false;
      const ended = await sql.query(
        `DELETE FROM set_aside WHERE projection = $1 AND account_id = $2 AND partition = $3 AND applied = $4 RETURNING 1`,
        [...this.key, String(applied)],
      );
      await renew(sql, name, this.partition);
      return ended.length > 0;
    });
  }

  private async failed(event: Recorded, error: unknown): Promise<void> {
    await this.database.query(
      `UPDATE set_aside SET position = $4, event_type = $5, error = $6
       WHERE projection = $1 AND account_id = $2 AND partition = $3`,
      [...this.key, String(event.position), event.type, kindOfError(error)],
    );
  }
}
