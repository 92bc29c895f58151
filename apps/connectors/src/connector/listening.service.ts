import { Bus } from '@carillon/bus';
import { edgePulse } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** Heartbeats come every 30 seconds: in a gap shorter than that, a connector misses one at most. */
const gapSeconds = 20;

/**
 * Tracks since when heartbeats could be received without a gap: the edge sends a pulse every few seconds, which is
 * noted when bus and database work. While any of these is down, no connector counts as silent.
 */
@Injectable()
export class Listening implements OnModuleInit, OnModuleDestroy {
  private stop = (): void => {};

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Database) private readonly database: Database,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.stop = this.bus.onSignal(edgePulse, () => {
      // A pulse that cannot be noted counts as a gap.
      this.note().catch(() => {});
    });
  }

  onModuleDestroy(): void {
    this.stop();
  }

  /** The start of gapless listening; the current time while pulses are missing. */
  async since(): Promise<Instant> {
    const [row] = await this.database.query<{ since: Date }>(
      `SELECT since FROM connector_listening WHERE noted_at > now() - make_interval(secs => $1)`,
      [gapSeconds],
    );
    return row ? row.since.toISOString() : this.clock.now();
  }

  /** Uses the clock of the database, which tests do not move. */
  private async note(): Promise<void> {
    await this.database.query(
      `INSERT INTO connector_listening AS l (one, since, noted_at) VALUES (true, $1, now())
       ON CONFLICT (one) DO UPDATE SET noted_at = now(),
         since = CASE WHEN l.noted_at > now() - make_interval(secs => $2) THEN l.since ELSE excluded.since END`,
      [this.clock.now(), gapSeconds],
    );
  }
}
