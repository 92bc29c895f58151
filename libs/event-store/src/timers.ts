import { instant, type Instant, millis } from '@carillon/eventing';
import { columns } from './columns';
import type { Database } from './database';
import { backlogOf } from './backlog';
import { releaseLeases } from './release-leases';
import type { Sql } from './sql';
import { type Backlog, type LeaseClaim, Queue, type LeasedJobs, type QueueClock } from './queue';

export interface Timer {
  readonly key: string;
  readonly dueAt: Instant;
  /** The command to issue; its decision must absorb repeats. */
  readonly command: unknown;
  /** This one included. */
  readonly attempts: number;
}

interface TimerJob extends Timer {
  readonly owner: number;
  /** Which taking of the row this is: who sets the timer anew may have it taken again by the same process. */
  readonly taking: string;
}

interface Row {
  key: string;
  due_at: Date;
  command: unknown;
  attempts: number;
  taking: string;
}

/** The row, while it is as it was taken. `$2` is the key, `$3` the owner, `$4` the taking. */
const stillMine = 'queue = $1 AND key = $2 AND owner = $3 AND owned_until = $4::timestamptz';

const takeAtOnce = 50;
const maxBackoffSeconds = 60;

/**
 * Commands to be issued later, as rows that are written in the transaction of what they follow from. Each is issued at
 * least once after it is due, by one of the replicas; its row goes only after that. The queues of one service share a
 * table and never touch each other's rows.
 */
export abstract class Timers extends Queue<TimerJob> {
  constructor(
    protected readonly database: Database,
    protected readonly clock: QueueClock,
  ) {
    super();
  }

  /** May say when it is to be issued once more. */
  protected abstract issue(timer: Timer): Promise<Instant | void>;

  /** Sets the timer, or moves it. The same again changes nothing. */
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

  /** Takes the timer off. */
  protected async clear(sql: Sql, key: string): Promise<void> {
    await this.clearAll(sql, [key]);
  }

  protected async clearAll(sql: Sql, keys: readonly string[]): Promise<void> {
    if (sql.rebuilding || keys.length === 0) return;
    await sql.query(`DELETE FROM timers WHERE queue = $1 AND key = ANY($2::text[])`, [this.name, keys]);
  }

  async take({ owner, ownedSeconds, available }: LeaseClaim): Promise<LeasedJobs<TimerJob>> {
    const limit = Math.min(available, takeAtOnce);
    const rows = await this.database.query<Row>(
      `UPDATE timers SET owner = $3, owned_until = now() + make_interval(secs => $4), attempts = attempts + 1
       WHERE queue = $1 AND key IN (
         SELECT key FROM timers
         WHERE queue = $1 AND due_at <= $2 AND owner IS NULL AND (retry_at IS NULL OR retry_at <= now())
         ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED)
       RETURNING key, due_at, command, attempts, owned_until::text AS taking`,
      [this.name, this.clock.now(), owner, ownedSeconds, limit],
    );
    const jobs = rows
      .map((row) => ({ ...row, dueAt: instant(row.due_at.getTime()), owner }))
      .sort((a, b) => a.due_at.getTime() - b.due_at.getTime())
      .map(({ due_at: _, ...job }) => job);
    return { jobs, more: rows.length === limit };
  }

  async do({ owner, taking, ...timer }: TimerJob): Promise<void> {
    const again = await this.issue(timer);
    // Not when it was set anew meanwhile: then nobody owns it, or it was taken once more.
    const mine = [this.name, timer.key, owner, taking];
    if (again === undefined)
      return void (await this.database.query(`DELETE FROM timers WHERE ${stillMine}`, mine));
    await this.database.query(
      `UPDATE timers SET due_at = $5, owner = NULL, owned_until = NULL, retry_at = NULL, attempts = 0
       WHERE ${stillMine}`,
      [...mine, again],
    );
    if (millis(again) <= this.clock.ms()) this.kick();
  }

  /** Again, with backoff. */
  async postpone({ key, owner, taking, attempts }: TimerJob): Promise<void> {
    await this.database.query(
      `UPDATE timers SET owner = NULL, owned_until = NULL, retry_at = now() + make_interval(secs => $5)
       WHERE ${stillMine}`,
      [this.name, key, owner, taking, Math.min(2 ** (attempts - 1), maxBackoffSeconds)],
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

  backlog(): Promise<Backlog> {
    const due = 'timers WHERE queue = $1 AND due_at <= $2 AND owner IS NULL';
    return backlogOf(this.database, due, [this.name, this.clock.now()]);
  }

  about({ key, attempts }: TimerJob): object {
    return { key, attempts };
  }
}
