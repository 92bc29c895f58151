import { instant, type Instant, millis } from '@carillon/eventing';
import { columns } from './columns';
import type { Database } from './database';
import { backlogOf } from './backlog';
import { releaseLeases, renewLeases } from './leased-rows';
import type { Sql } from './sql';
import { TimersPoll } from './timers-poll';
import { Queue, type QueueClock } from './queue';
import type { Backlog, Found, LeaseClaim, LeasedJobs, RowLease } from './queue-terms';

export interface Timer {
  readonly key: string;
  readonly dueAt: Instant;
  /** The command to issue; its decision must be idempotent. */
  readonly command: unknown;
  /** The number of attempts, including this one. */
  readonly attempts: number;
}

interface TimerJob extends Timer {
  readonly owner: number;
  /** Identifies this lease of the row: a timer that is set again may be leased again by the same process. */
  readonly takenAt: string;
}

interface Row {
  key: string;
  due_at: Date;
  command: unknown;
  attempts: number;
  taken_at: string;
}

/** Matches the row while the lease is unchanged. `$2` is the key, `$3` the owner, `$4` the `takenAt`. */
const stillMine = 'queue = $1 AND key = $2 AND owner = $3 AND taken_at = $4::timestamptz';

/**
 * Leases due timers. Rows are named by their places in the table, so that no plan of this is a scan of all of them,
 * also one that was made while the table was empty.
 */
export const leasingTimers = `WITH due AS (
  SELECT ctid AS place FROM timers
  WHERE queue = $1 AND due_at <= $2 AND owner IS NULL AND (retry_at IS NULL OR retry_at <= now())
  ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED)
UPDATE timers t SET owner = $3, owned_until = now() + make_interval(secs => $4), taken_at = clock_timestamp(),
  attempts = attempts + 1
FROM due WHERE t.ctid = due.place
RETURNING key, due_at, command, attempts, taken_at::text`;

const takeAtOnce = 50;
const maxBackoffSeconds = 60;

/**
 * Commands to be issued later, as rows written in the transaction of the event's rows. Each command is issued at least
 * once after it is due, by one of the replicas; its row is deleted only after that. The queues of one service share a
 * table and never touch each other's rows.
 */
export abstract class Timers extends Queue<TimerJob> {
  constructor(
    protected readonly database: Database,
    protected readonly clock: QueueClock,
  ) {
    super();
  }

  /** Issues the command; may return when to issue it again. */
  protected abstract issue(timer: Timer): Promise<Instant | void>;

  /** Sets or moves a timer. Setting the same timer again changes nothing. */
  protected async set(sql: Sql, key: string, at: Instant, command: unknown): Promise<void> {
    await this.setAll(sql, [{ key, at, command }]);
  }

  /** Sets timers of different keys. */
  protected async setAll(
    sql: Sql,
    timers: readonly { readonly key: string; readonly at: Instant; readonly command: unknown }[],
  ): Promise<void> {
    if (sql.rebuilding || timers.length === 0) return;
    const given = columns(
      { key: 'text', due_at: 'timestamptz', command: 'jsonb' },
      timers,
      (timer) => ({
        key: timer.key,
        due_at: timer.at,
        command: JSON.stringify(timer.command),
      }),
      { from: 2 },
    );
    await sql.query(
      `INSERT INTO timers AS t (queue, ${given.names}) SELECT $1, n.* FROM ${given.rows}
       ON CONFLICT (queue, key) DO UPDATE
         SET due_at = excluded.due_at, command = excluded.command, owner = NULL, owned_until = NULL, retry_at = NULL,
           attempts = 0
         WHERE (t.due_at, t.command) IS DISTINCT FROM (excluded.due_at, excluded.command)`,
      [this.name, ...given.values],
    );
    sql.afterCommit?.(() => {
      if (timers.some(({ at }) => millis(at) <= this.clock.ms())) this.kick();
    });
  }

  /** Deletes the timer. */
  protected async clear(sql: Sql, key: string): Promise<void> {
    await this.clearAll(sql, [key]);
  }

  protected async clearAll(sql: Sql, keys: readonly string[]): Promise<void> {
    if (sql.rebuilding || keys.length === 0) return;
    await sql.query(`DELETE FROM timers WHERE queue = $1 AND key = ANY($2::text[])`, [this.name, keys]);
  }

  async take({ owner, ownedSeconds, available }: LeaseClaim): Promise<LeasedJobs<TimerJob>> {
    const limit = Math.min(available, takeAtOnce);
    const rows = await this.database.query<Row>(leasingTimers, [
      this.name,
      this.clock.now(),
      owner,
      ownedSeconds,
      limit,
    ]);
    const jobs = rows
      .sort((a, b) => a.due_at.getTime() - b.due_at.getTime())
      .map(({ due_at: due, taken_at: takenAt, ...row }) => ({
        ...row,
        dueAt: instant(due.getTime()),
        takenAt,
        owner,
      }));
    return { jobs, more: rows.length === limit };
  }

  async renew(jobs: readonly TimerJob[], lease: RowLease): Promise<void> {
    const rows = jobs.map(({ key }) => ({ queue: this.name, key }));
    await this.database.query(...renewLeases('timers', ['queue', 'key'], rows, lease));
  }

  async do({ owner, takenAt, ...timer }: TimerJob): Promise<void> {
    const again = await this.issue(timer);
    // Matches no row if the timer was set again meanwhile: then the row has no owner or a new lease.
    const mine = [this.name, timer.key, owner, takenAt];
    if (again === undefined)
      return void (await this.database.query(`DELETE FROM timers WHERE ${stillMine}`, mine));
    await this.database.query(
      `UPDATE timers SET due_at = $5, owner = NULL, owned_until = NULL, retry_at = NULL, attempts = 0
       WHERE ${stillMine}`,
      [...mine, again],
    );
    if (millis(again) <= this.clock.ms()) this.kick();
  }

  /** Retries with backoff. */
  async postpone({ key, owner, takenAt, attempts }: TimerJob): Promise<void> {
    await this.database.query(
      `UPDATE timers SET owner = NULL, owned_until = NULL, retry_at = now() + make_interval(secs => $5)
       WHERE ${stillMine}`,
      [this.name, key, owner, takenAt, Math.min(2 ** (attempts - 1), maxBackoffSeconds)],
    );
  }

  async release(which: string): Promise<number> {
    const rows = await this.database.query(
      releaseLeases('timers', ['queue', 'key'], `queue = $1 AND ${which}`),
      [this.name],
    );
    return rows.length;
  }

  override async nextDueMs(): Promise<number | undefined> {
    const [row] = await this.database.query<{ due_at: Date | null }>(
      `SELECT min(due_at) AS due_at FROM timers WHERE queue = $1 AND owner IS NULL AND retry_at IS NULL`,
      [this.name],
    );
    return row?.due_at?.getTime();
  }

  override poll(tell: (found?: Found) => void): () => void {
    return TimersPoll.of(this.database).join({ queue: this.name, clock: this.clock, tell });
  }

  backlog(): Promise<Backlog> {
    const due = 'timers WHERE queue = $1 AND due_at <= $2 AND owner IS NULL';
    return backlogOf(this.database, due, [this.name, this.clock.now()]);
  }

  about({ key, attempts }: TimerJob): object {
    return { key, attempts };
  }
}
