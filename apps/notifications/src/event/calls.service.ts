import { Bus } from '@carillon/bus';
import { edgePulse } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import { type Instant, millis } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** Pulses of the edge come every three seconds. */
const gapSeconds = 20;

/**
 * Keeps when the senders of watched services called last, as rows: a call that repeats an earlier one is no event. Also
 * keeps the times in which no call could come: the edge sends a pulse every few seconds, which is noted when bus and
 * database work. No sender is silent in a gap between two of them.
 */
@Injectable()
export class Calls implements OnModuleInit, OnModuleDestroy {
  private stop = (): void => {};

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.stop = this.bus.onSignal(edgePulse, () => {
      // A pulse that cannot be noted counts as a gap.
      this.hear().catch(() => {});
    });
  }

  onModuleDestroy(): void {
    this.stop();
  }

  async note(serviceId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO service_calls AS c (service_id, called_at) VALUES ($1, $2)
       ON CONFLICT (service_id) DO UPDATE SET called_at = greatest(c.called_at, excluded.called_at)`,
      [serviceId, this.clock.now()],
    );
  }

  /** For how long no call could come, from then until now. */
  async deafMs(from: Instant): Promise<number> {
    const now = this.clock.now();
    const [row] = await this.database.query<{ ms: string | null }>(
      `SELECT sum(extract(epoch FROM least(ended_at, $2) - greatest(began_at, $1)) * 1000) AS ms FROM (
         SELECT began_at, ended_at FROM service_gaps
         UNION ALL
         SELECT heard_at, $2 FROM service_listening WHERE noted_at <= now() - make_interval(secs => $3)
       ) gaps WHERE ended_at > $1 AND began_at < $2`,
      [from, now, gapSeconds],
    );
    return Math.min(Number(row?.ms ?? 0), Math.max(0, millis(now) - millis(from)));
  }

  /**
   * Each replica notes each pulse, and the same gap once. Gaps are found by the clock of the database, which tests do
   * not move.
   */
  private async hear(): Promise<void> {
    await this.database.query(
      `WITH gap AS (
         INSERT INTO service_gaps (began_at, ended_at) SELECT heard_at, $1 FROM service_listening
         WHERE noted_at <= now() - make_interval(secs => $2) AND heard_at < $1
         ON CONFLICT (began_at) DO NOTHING)
       INSERT INTO service_listening (one, heard_at, noted_at) VALUES (true, $1, now())
       ON CONFLICT (one) DO UPDATE SET heard_at = excluded.heard_at, noted_at = excluded.noted_at`,
      [this.clock.now(), gapSeconds],
    );
  }
}
