import type { PartitionedTable } from '@carillon/event-store';
import { keepDays, Retention } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';
import { keptDays } from './changes/changes';
import { dropChanges } from './changes/dropped.entity';

const changes: PartitionedTable = { table: 'changes', column: 'at', days: keptDays };

/** Adds and drops the partitions of the read models. */
@Injectable()
export class ReadModelsRetention extends Retention {
  protected readonly tables: readonly PartitionedTable[] = [
    changes,
    { table: 'events', column: 'created_at', days: keepDays() },
  ];

  protected override async beforeDrop(table: PartitionedTable, before: Date): Promise<void> {
    if (table !== changes) return;
    await this.database.transaction((sql) => dropChanges(sql, before));
  }
}
