import { instant, type Instant, millis } from '@carillon/eventing';
import { randomUUID } from 'node:crypto';
import type { Database } from './database';
import type { Logger } from './logger';
import type { Sql } from './sql';

export interface Timer {
  readonly key: string;
  readonly dueAt: Instant;
  /** The command to issue; its decision must absorb repeats. */
  readonly command: unknown;
  /** This one included. */
  readonly attempts: number;
}

/** The time of the business. */
export interface TimerClock {
  ms(): number;
  now(): Instant;
  onAdvance(work: () => Promise<void>): () => void;
}

interface Row {
  key: string;
  due_at: Date;
  command: unknown;
  attempts: number;
}

const leaseSeconds = 30;
const pollMs = 1_000;
const batch = 20;

/**
 * Commands to be issued later, as rows that are written in the transaction of what they follow from. Each is issued at
 * least once after it is due, by one of the replicas; its row goes only after that.
 */
export class Timers {
  private running: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;
  private poll: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;
  private started = false;

  constructor(
    private readonly database: Database,
    private readonly clock: TimerClock,
    private readonly issue: (timer: Timer) => Promise<void>,
    private readonly logger?: Logger,
  ) {}

  /** Sets the timer, or moves it. The same again changes nothing. */
  async schedule(sql: Sql, key: string, at: Instant, command: unknown): Promise<void> {
    if (sql.rebuilding) return;
    await sql.query(
      `INSERT INTO timers AS t (key, due_at, command) VALUES ($1, $2, $3::jsonb)
       ON CONFLICT (key) DO UPDATE
         SET due_at = excluded.due_at, command = excluded.command, lease = NULL, lease_until = NULL, attempts = 0
         WHERE (t.due_at, t.command) IS DISTINCT FROM (excluded.due_at, excluded.command)`,
      [key, at, JSON.stringify(command)],
    );
    sql.afterCommit?.(() => {
      if (millis(at) <= this.clock.ms()) this.kick();
    });
  }

  async cancel(sql: Sql, key: string): Promise<void> {
    if (sql.rebuilding) return;
    await sql.query(`DELETE FROM timers WHERE key = $1`, [key]);
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    this.stopListening = this.clock.onAdvance(() => this.run());
    this.poll = setInterval(() => this.kick(), pollMs);
    this.kick();
  }

  async stop(): Promise<void> {
    this.started = false;
    clearInterval(this.poll);
    this.stopListening?.();
    await this.running;
  }

  /** Issues everything that is due now; resolves when nothing is. */
  run(): Promise<void> {
    // One run at a time; who asks while one is under way gets the one after it, which sees all that is due by now.
    this.queued ??= this.running.then(() => {
      this.queued = undefined;
      return this.issueDue();
    });
    this.running = this.queued.catch(() => {});
    return this.queued;
  }

  private kick(): void {
    if (!this.started) return;
    this.run().catch((error: unknown) => this.logger?.error({ err: error }, 'The timers cannot be read'));
  }

  private async issueDue(): Promise<void> {
    for (;;) {
      const lease = randomUUID();
      const rows = await this.database.query<Row>(
        `UPDATE timers SET lease = $2, lease_until = now() + make_interval(secs => $3), attempts = attempts + 1
         WHERE key IN (
           SELECT key FROM timers WHERE due_at <= $1 AND (lease_until IS NULL OR lease_until < now())
           ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)
         RETURNING key, due_at, command, attempts`,
        [this.clock.now(), lease, leaseSeconds, batch],
      );
      if (rows.length === 0) return;
      await Promise.all(rows.map((row) => this.issueOne(row, lease)));
    }
  }

  private async issueOne({ key, due_at, command, attempts }: Row, lease: string): Promise<void> {
    try {
      await this.issue({ key, dueAt: instant(due_at.getTime()), command, attempts });
    } catch (error) {
      this.logger?.error({ err: error, key, attempts }, 'A timer could not be issued');
      // Again after a pause that grows, sooner than the lease of one whose process has died.
      await this.database.query(
        `UPDATE timers SET lease_until = now() + make_interval(secs => $3) WHERE key = $1 AND lease = $2`,
        [key, lease, Math.min(2 ** (attempts - 1), 60)],
      );
      return;
    }
    // Not when it was set anew meanwhile: that took the lease off.
    await this.database.query(`DELETE FROM timers WHERE key = $1 AND lease = $2`, [key, lease]);
  }
}
