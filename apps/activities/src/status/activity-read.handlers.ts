import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  Activities,
  ActivityByIdentifier,
  ListActivities,
  type LiveActivity,
  type ListPage,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, Cursors, keepDays, keptSince, listedDays } from '@carillon/runtime';
import { createdBetween, isId } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { activityOrder } from '../activity/activity-order';
import { Lanes } from '../lane/lanes.client';
import { type ActivityRow, derivedStatusOf, keptOf, plainColumns } from './activity-row';
import { activityText } from './forgotten-activities.worker';
import { activityView } from './view';

/** The status by the clock, `$2`: the timer of a deadline may be late. */
const statusNow = `CASE WHEN status IN ('starting', 'active', 'partial') AND expires_at <= $2
  THEN 'expired' ELSE status END`;

const select = `SELECT ${plainColumns}, ${activityText.columns} FROM activities ${activityText.join}`;

/** Reads activities: a token the ones that it has started, a person all of the account's. */
@Controller()
export class ActivityReadHandlers {
  private readonly cursors = new Cursors('activity', activityOrder);
  private readonly listedDays = listedDays(30);
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Lanes) private readonly lanes: Lanes,
  ) {}

  @Handles(Activities.get)
  async get(
    { identifier }: ActivityByIdentifier,
    context: Context,
  ): Promise<Answer<{ activity: LiveActivity }>> {
    await this.projections.reached('activities', context.after, context.caller.accountId);
    // It may be a copy of an activity whose sender is set aside.
    const row = await this.projections.find(
      'activities',
      async () => (await this.byId(identifier, context)) ?? (await this.byKey(identifier, context)),
    );
    if (!row) throw new Refused('activity.not_found');
    const [activity] = await this.shown([row], context);
    return answer({ activity: activity! });
  }

  @Handles(Activities.list)
  async list(input: ListActivities, context: Context): Promise<Answer<ListPage<LiveActivity>>> {
    const { accountId, tokenId = null } = context.caller;
    await this.projections.reached('activities', context.after, accountId);
    const statuses = input.status ? [...new Set(input.status)].sort() : null;
    const key = input.key ?? null;
    const page = this.cursors.asked([accountId, tokenId, statuses, key], input);
    const after = page.after(8);
    const now = this.clock.now();
    const rows = await this.database.query<ActivityRow>(
      `${select}
       WHERE account_id = $1 AND ($3::text IS NULL OR token_id = $3)
         AND created_at > $4
         AND ($5::text[] IS NULL OR ${statusNow} = ANY($5))
         AND ($6::text IS NULL OR key = $6)
         AND ${after.text}
       ORDER BY ${activityOrder.by} LIMIT $7`,
      [
        accountId,
        now,
        tokenId,
        keptSince(now, this.listedDays),
        statuses,
        key,
        page.limit + 1,
        ...after.values,
      ],
    );
    const items = await this.shown(rows.slice(0, page.limit), context);
    return answer(page.of(rows, items));
  }

  private async byId(id: string, { caller }: Context): Promise<ActivityRow | undefined> {
    if (!isId(id, 'act')) return undefined;
    const { from, to } = createdBetween([id]);
    const since = keptSince(this.clock.now(), this.keptDays);
    const [row] = await this.database.query<ActivityRow>(
      `${select}
       WHERE activity_id = $1 AND account_id = $2 AND ($3::text IS NULL OR token_id = $3)
         AND created_at BETWEEN $4 AND $5 AND created_at > $6`,
      [id, caller.accountId, caller.tokenId ?? null, from, to, since],
    );
    return row;
  }

  /** The running activity with the key, else the latest one with it. */
  private async byKey(key: string, { caller }: Context): Promise<ActivityRow | undefined> {
    if (caller.tokenId === undefined) return undefined;
    const now = this.clock.now();
    const [row] = await this.database.query<ActivityRow>(
      `${select} WHERE token_id = $1 AND key = $3 AND account_id = $4 AND created_at > $5
       ORDER BY (${statusNow} IN ('starting', 'active', 'partial')) DESC, created_at DESC, activity_id DESC
       LIMIT 1`,
      [caller.tokenId, now, key, caller.accountId, keptSince(now, this.keptDays)],
    );
    return row;
  }

  private async shown(rows: readonly ActivityRow[], context: Context): Promise<LiveActivity[]> {
    const readiness = await this.lanes.readiness(
      rows.map((row) => row.activity_id),
      context,
    );
    const now = this.clock.now();
    return rows.map((row) =>
      activityView(keptOf(row), derivedStatusOf(row), readiness[row.activity_id], now),
    );
  }
}
