import { Bus } from '@carillon/bus';
import { edgePulse } from '@carillon/contracts';
import { Database } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** Heartbeats come every 30 seconds: who was not heard for less has missed one at most. */
const gapSeconds = 20;

/**
 * Since when heartbeats could be heard without a gap: the edge says every few seconds that it is there, and that is noted
 * when the bus carries it and the database takes it. While any of them was away, nobody was silent.
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
      // What cannot be noted makes the gap.
      this.note().catch(() => {});
    });
  }

  onModuleDestroy(): void {
    this.stop();
  }

  /** Now, while nobody listens. */
  async since(): Promise<Instant> {
    const [row] = await this.database.query<{ since: Date }>(
      `SELECT since FROM connector_listening WHERE noted_at > now() - make_interval(secs => $1)`,
      [gapSeconds],
    );
    return row ? row.since.toISOString() : this.clock.now();
  }

  /** By the clock of the database, which nobody moves. */
  private async note(): Promise<void> {
    await this.database.query(
      `INSERT INTO connector_listening AS l (one, since, noted_at) VALUES (true, $1, now())
       ON CONFLICT (one) DO UPDATE SET noted_at = now(),
         since = CASE WHEN l.noted_at > now() - make_interval(secs => $2) THEN l.since ELSE excluded.since END`,
      [this.clock.now(), gapSeconds],
    );
  }
}
