import {
  addPartitions,
  deleteRest,
  dropPartitions,
  type PartitionedTable,
  whenAvailable,
} from '@carillon/event-store';
import { instant, type Instant, isAfter, millis } from '@carillon/eventing';
import { keepDays } from '@carillon/settings';
import { Injectable } from '@nestjs/common';
import { startWaits } from './parts';
import { type DeleteBatch, PeriodicCleanup } from './periodic-cleanup';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Rows from before this are past their time; nothing is while they are kept for ever, for 0 days. */
export const keptSince = (now: Instant, days: number): Instant =>
  instant(days === 0 ? 0 : millis(now) - days * dayMs);

/** Whether something that was created then is still kept. Once it is not, it is read as missing. */
export const isKept = (createdAt: Instant, now: Instant, days: number): boolean =>
  isAfter(createdAt, keptSince(now, days));

/** For how many days a list has what it has for `days` at most. */
export const listedDays = (days: number): number => Math.min(days, keepDays() || days);

/** What ends within the days that are kept has begun this long before at most, by any clock. */
const begunDays = 8;

/** The days of the log that rows follow from which are kept for so long after an end; 0 for all. */
export const neededDays = (): number => keepDays() && keepDays() + begunDays;

/** Adds the partitions of a service's tables in time, and drops those whose rows are past their time. */
@Injectable()
export abstract class Retention extends PeriodicCleanup {
  protected readonly name = 'partitions';
  protected readonly everyMs = hourMs;
  protected abstract readonly tables: readonly PartitionedTable[];

  /** Before projections write rows. A start waits while Postgres does not answer, or a lock is held. */
  override async onModuleInit(): Promise<void> {
    super.onModuleInit();
    const what = `The partitions of ${this.database.schema}`;
    await whenAvailable(what, () => this.addPartitions(), startWaits.of('postgres'));
  }

  protected async clean(untilNone: (batch: DeleteBatch) => Promise<void>): Promise<void> {
    await this.addPartitions();
    for (const table of this.tables) {
      if (table.days === 0) continue;
      const before = new Date(this.clock.ms() - table.days * dayMs);
      await this.beforeDrop(table, before);
      await dropPartitions(this.database, table.table, before);
      await untilNone((sql, limit) => deleteRest(sql, table, before, limit));
    }
  }

  /** What has to happen before the rows of a table go that are from before a time; a crash repeats it. */
  protected async beforeDrop(_table: PartitionedTable, _before: Date): Promise<void> {}

  private async addPartitions(): Promise<void> {
    for (const table of this.tables) await addPartitions(this.database, table, this.clock.ms());
  }
}
