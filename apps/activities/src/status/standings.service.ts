import { Database } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Activity } from '../activity/activity';
import { type ActivityRow, standingOf } from './activity-row';
import { atFirst, type Standing, withItsEnd } from './standing';

/** How activities stand on their devices, as far as the rows know. */
@Injectable()
export class Standings {
  constructor(@Inject(Database) private readonly database: Database) {}

  async of(activity: Activity): Promise<Standing> {
    const [row] = await this.database.query<
      Pick<ActivityRow, 'status' | 'sequence' | 'instances' | 'ended_at'>
    >(`SELECT status, sequence, instances, ended_at FROM activities WHERE activity_id = $1`, [
      activity.activityId,
    ]);
    return row ? withItsEnd(activity, standingOf(row)) : atFirst(activity);
  }
}
