import type { ActivityEvent, ActivityPushed, Streams } from '@carillon/contracts';
import { ignore, inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import type { Instant, Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { Orders } from '../admission/orders.worker';
import { activityColumns, type ActivityRow, keptOf, standingOf } from './activity-row';
import type { Kept } from './shown';
import { type Standing, standing } from './standing';

/** An activity on its way from one batch of events to its row. */
interface Known {
  readonly accountId: string;
  readonly tokenId: string;
  kept: Kept;
  stands: Standing;
}

type Followed = Streams<'activity' | 'lane'>;
type Ignored = 'ActivityTokenRegistered';

/** How the activities of all accounts stand. */
@Injectable()
export class ActivitiesProjection extends Projection<Followed, Ignored> {
  readonly name = 'activities';
  readonly tables = ['activities'];
  readonly on: On<Followed, Ignored> = {
    activity: {
      ActivityStarted: inBatch,
      ActivityUpdated: inBatch,
      ActivityEnded: inBatch,
      ActivityExpired: inBatch,
    },
    lane: {
      ActivityTokenRegistered: ignore,
      ActivityPushed: inBatch,
    },
  };

  constructor(@Inject(Orders) private readonly orders: Orders) {
    super();
  }

  override async apply(sql: Sql, events: readonly Recorded<ActivityEvent | ActivityPushed>[]): Promise<void> {
    const followed = events.map(({ event }) => event);
    const known = await this.load(sql, followed);
    const touched = new Map<string, Known>();
    for (const event of followed) {
      const found = event.type === 'ActivityStarted' ? begun(event, known) : known.get(event.activityId);
      // What is pushed of an activity that never began is nobody's.
      if (!found) continue;
      known.set(event.activityId, found);
      touched.set(event.activityId, found);
      const failedBefore = found.stands.status === 'failed';
      found.stands = standing(found.stands, event) ?? found.stands;
      if (event.type !== 'ActivityPushed') follow(found, event);
      // It failed on every device: it is over, and its room is free.
      if (!failedBefore && found.stands.status === 'failed' && event.type === 'ActivityPushed')
        await this.orders.failed(sql, event, event.pushedAt);
    }
    if (touched.size > 0) await write(sql, [...touched.values()]);
  }

  private async load(
    sql: Sql,
    events: readonly (ActivityEvent | ActivityPushed)[],
  ): Promise<Map<string, Known>> {
    const ids = [...new Set(events.map(({ activityId }) => activityId))];
    const rows = await sql.query<ActivityRow>(
      `SELECT ${activityColumns} FROM activities WHERE activity_id = ANY($1)`,
      [ids],
    );
    return new Map(
      rows.map((row) => [
        row.activity_id,
        { accountId: row.account_id, tokenId: row.token_id, kept: keptOf(row), stands: standingOf(row) },
      ]),
    );
  }
}

type Started = Extract<ActivityEvent, { type: 'ActivityStarted' }>;

function begun(event: Started, known: ReadonlyMap<string, Known>): Known {
  const { activityId, accountId, tokenId, key, props, prompt, startedAt, expiresAt } = event;
  return (
    known.get(activityId) ?? {
      accountId,
      tokenId,
      kept: { activityId, key, props, prompt, createdAt: startedAt, updatedAt: startedAt, expiresAt },
      stands: standing(null, event)!,
    }
  );
}

function follow(found: Known, event: ActivityEvent): void {
  const updatedAt = timeOf(event);
  found.kept =
    event.type === 'ActivityUpdated' || event.type === 'ActivityEnded'
      ? { ...found.kept, props: event.props, updatedAt }
      : { ...found.kept, updatedAt };
}

function timeOf(event: ActivityEvent): Instant {
  switch (event.type) {
    case 'ActivityStarted':
      return event.startedAt;
    case 'ActivityUpdated':
      return event.updatedAt;
    case 'ActivityEnded':
      return event.endedAt;
    case 'ActivityExpired':
      return event.expiredAt;
  }
}

async function write(sql: Sql, touched: readonly Known[]): Promise<void> {
  await sql.query(
    `INSERT INTO activities AS a (${activityColumns})
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::text[],
       $8::integer[], $9::jsonb[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[])
     ON CONFLICT (activity_id) DO UPDATE SET props = excluded.props, status = excluded.status,
       sequence = excluded.sequence, instances = excluded.instances, updated_at = excluded.updated_at,
       ended_at = excluded.ended_at`,
    [
      touched.map(({ kept }) => kept.activityId),
      touched.map(({ accountId }) => accountId),
      touched.map(({ tokenId }) => tokenId),
      touched.map(({ kept }) => kept.key),
      touched.map(({ kept }) => kept.props && JSON.stringify(kept.props)),
      touched.map(({ kept }) => kept.prompt && JSON.stringify(kept.prompt)),
      touched.map(({ stands }) => stands.status),
      touched.map(({ stands }) => stands.sequence),
      touched.map(({ stands }) => JSON.stringify(stands.instances)),
      touched.map(({ kept }) => kept.createdAt),
      touched.map(({ kept }) => kept.updatedAt),
      touched.map(({ kept }) => kept.expiresAt),
      touched.map(({ stands }) => stands.endedAt),
    ],
  );
}
