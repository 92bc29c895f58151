import { Database, type Lease, Leases, type Sql } from '@carillon/event-store';
import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from './clock';
import type { Logger } from './logging';
import { LOGGER } from './service.module';

/** The maximum of rows that one transaction deletes. */
const batchSize = 5_000;

/** Deletes `limit` of the rows that are due, or all if there are fewer, and returns how many it deleted. */
export type DeleteBatch = (sql: Sql, limit: number) => Promise<number>;

/**
 * Deletes old rows at an interval, in batches until none is left. A batch has the time limit of background work, and
 * one process cleans up at a time. A later cleanup deletes what a failed one left.
 */
export abstract class PeriodicCleanup implements OnModuleInit, OnModuleDestroy {
  /** Names the lease, and the cleanup in logs. */
  protected abstract readonly name: string;
  protected abstract readonly everyMs: number;
  private timer: NodeJS.Timeout | undefined;
  private stopListening = (): void => {};
  private cleaning: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    @Inject(Database) protected readonly database: Database,
    @Inject(Clock) protected readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Passes each deletion to `untilNone`, which repeats it until no row is left. */
  protected abstract clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.cleanUp(), this.everyMs).unref();
    this.stopListening = this.clock.onAdvance(() => this.cleanUp());
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    this.stopListening();
    await this.cleaning;
  }

  private cleanUp(): Promise<void> {
    this.cleaning = this.cleaning
      .then(() => this.cleanUpAlone())
      .catch((error: unknown) =>
        this.logger.warn(
          { err: error, cleanup: this.name },
          'Failed to delete old rows: the next cleanup tries again',
        ),
      );
    return this.cleaning;
  }

  /** Leaves the rows to another process where that one is deleting them. */
  private async cleanUpAlone(): Promise<void> {
    if (this.isStopped) return;
    const leases = Leases.of(this.database);
    const name = `cleanup ${this.name}`;
    const lease = await leases.take(name);
    if (!lease) return;
    try {
      await this.clean((batch) => this.untilNone(batch, lease));
    } finally {
      await leases.release(name).catch(() => {});
    }
  }

  private async untilNone(batch: DeleteBatch, lease: Lease): Promise<void> {
    while (!this.isStopped) {
      if (lease.isOver) throw new Error('The lease of the cleanup is over');
      const deleted = await this.database.transaction((sql) => batch(sql, batchSize));
      if (deleted < batchSize) return;
    }
  }
}
