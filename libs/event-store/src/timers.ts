import { instant, type Instant, millis } from '@carillon/eventing';
import { columns } from './columns';
import type { Database } from './database';
import { backlogOf } from './backlog';
import { giveBack } from './give-back';
import type { Sql } from './sql';
import { type Backlog, type Claim, Queue, type Taken, type WorkClock } from './work';

export interface Timer {
  readonly key: string;
  readonly dueAt: Instant;
  /** The command to issue; its decision must absorb repeats. */
  readonly command: unknown;
  /** This one included. */
  readonly attempts: number;
}

interface Job extends Timer {
  readonly owner: number;
}

interface Row {
  key: string;
  due_at: Date;
  command: unknown;
  attempts: number;
}

const takeAtOnce = 50;
const maxBackoffSeconds = 60;

/**
 * Commands to be issued later, as rows that are written in the transaction of what they follow from. Each is issued at
 * least once after it is due, by one of the replicas; its row goes only after that. The queues of one service share a
 * table and never touch each other's rows.
 */
export abstract class Timers extends Queue<Job> {
  constructor(
    protected readonly database: Database,
    protected readonly clock: WorkClock,
  ) {
    super();
  }

  protected abstract issue(timer: Timer): Promise<void>;

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

  async take({ owner, ownedSeconds, room }: Claim): Promise<Taken<Job>> {
    const limit = Math.min(room, takeAtOnce);
    const rows = await this.database.query<Row>(
      `UPDATE timers SET owner = $3, owned_until = now() + make_interval(secs => $4), attempts = attempts + 1
       WHERE queue = $1 AND key IN (
         SELECT key FROM timers
         WHERE queue = $1 AND due_at <= $2 AND owner IS NULL AND (retry_at IS NULL OR retry_at <= now())
         ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED)
       RETURNING key, due_at, command, attempts`,
      [this.name, this.clock.now(), owner, ownedSeconds, limit],
    );
    const jobs = rows
      .map((row) => ({ ...row, dueAt: instant(row.due_at.getTime()), owner }))
      .sort((a, b) => a.due_at.getTime() - b.due_at.getTime())
      .map(({ key, dueAt, command, attempts }) => ({ key, dueAt, command, attempts, owner }));
    return { jobs, more: rows.length === limit };
  }

  async do({ owner, ...timer }: Job): Promise<void> {
    await this.issue(timer);
    // Not when it was set anew meanwhile: then nobody owns it.
    await this.database.query(`DELETE FROM timers WHERE queue = $1 AND key = $2 AND owner = $3`, [
      this.name,
      timer.key,
      owner,
    ]);
  }

  /** Again, with backoff. */
  async postpone({ key, owner, attempts }: Job): Promise<void> {
    await this.database.query(
      `UPDATE timers SET owner = NULL, owned_until = NULL, retry_at = now() + make_interval(secs => $4)
       WHERE queue = $1 AND key = $2 AND owner = $3`,
      [this.name, key, owner, Math.min(2 ** (attempts - 1), maxBackoffSeconds)],
    );
  }

  async release(which: string): Promise<number> {
    const rows = await this.database.query(giveBack('timers', ['queue', 'key'], `queue = $1 AND ${which}`), [
      this.name,
    ]);
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

  about({ key, attempts }: Job): object {
    return { key, attempts };
  }
}
