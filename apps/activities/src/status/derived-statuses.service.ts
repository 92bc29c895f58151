import { Database } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Activity } from '../activity/activity';
import { type ActivityRow, derivedStatusOf } from './activity-row';
import { atFirst, type DerivedStatus, withItsEnd } from './derived-status';

/** Reads the statuses of activities from the rows. */
@Injectable()
export class DerivedStatuses {
  constructor(@Inject(Database) private readonly database: Database) {}

  async of(activity: Activity): Promise<DerivedStatus> {
    const [row] = await this.database.query<
      Pick<ActivityRow, 'status' | 'sequence' | 'instances' | 'ended_at'>
    >(
      `SELECT status, sequence, instances, ended_at FROM activities
       WHERE activity_id = $1 AND created_at = $2 LIMIT 1`,
      [activity.activityId, activity.startedAt],
    );
    return row ? withItsEnd(activity, derivedStatusOf(row)) : atFirst(activity);
  }
}
