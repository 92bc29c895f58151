import {
  type ActivityEvent,
  type ActivityPushed,
  copiesOf,
  type Copy,
  ownersOf,
  profileEventTypes,
  type Streams,
} from '@carillon/contracts';
import {
  columns,
  type Handled,
  ignore,
  ignoring,
  inBatch,
  type On,
  Projection,
  type Sql,
} from '@carillon/event-store';
import { grouped, type Instant, type Recorded } from '@carillon/eventing';
import { neededDays } from '@carillon/runtime';
import { createdBetween } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { AdmissionCommands } from '../admission/admission.worker';
import { activityColumns, type ActivityRow, columnTypes, keptOf, derivedStatusOf } from './activity-row';
import { ForgottenActivities } from './forgotten-activities.worker';
import type { ActivityRecord } from './view';
import { type DerivedStatus, nextStatus } from './derived-status';

/** The copy of an activity in a batch of events, before it is written to its row. */
interface BatchedActivity extends Copy {
  readonly tokenId: string;
  kept: ActivityRecord;
  stands: DerivedStatus;
}

type Followed = Streams<'activity' | 'lane' | 'account'>;
const on = {
  activity: {
    ActivityStarted: inBatch,
    ActivityUpdated: inBatch,
    ActivityEnded: inBatch,
    ActivityExpired: inBatch,
    ActivityFailed: inBatch,
  },
  lane: {
    ActivityTokenRegistered: ignore,
    ActivityPushed: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;

/** Projects the activities of all accounts with their status. */
@Injectable()
export class ActivitiesProjection extends Projection<Followed, typeof on> {
  readonly name = 'activities';
  override readonly partitioned = 'accounts';
  readonly tables = ['activities'];
  readonly on = on;
  override readonly neededDays = neededDays();

  constructor(
    @Inject(AdmissionCommands) private readonly commands: AdmissionCommands,
    @Inject(ForgottenActivities) private readonly forgotten: ForgottenActivities,
  ) {
    super();
  }

  /** The account that has started the activity, also for the copies of its recipients. */
  override accountOf({ event }: Recorded<Handled<Followed, typeof on>>): string {
    return event.accountId;
  }

  override async apply(sql: Sql, events: readonly Recorded<Handled<Followed, typeof on>>[]): Promise<void> {
    const { followed } = grouped(events, {
      followed: [
        'ActivityStarted',
        'ActivityUpdated',
        'ActivityEnded',
        'ActivityExpired',
        'ActivityFailed',
        'ActivityPushed',
      ],
      // `forget` needs its cause, too.
      forgotten: ['AccountForgotten'],
    });
    if (followed.length > 0) await this.follow(sql, followed);
    for (const cause of events)
      if (cause.event.type === 'AccountForgotten')
        await this.forgotten.forget(sql, cause.event.accountId, cause);
  }

  private async follow(sql: Sql, followed: readonly (ActivityEvent | ActivityPushed)[]): Promise<void> {
    const known = await this.load(sql, followed);
    const touched = new Map<string, BatchedActivity>();
    for (const event of followed)
      for (const copy of copiesOf(event)) {
        const key = keyOf(event.activityId, copy.accountId);
        const found = known.get(key) ?? (event.type === 'ActivityStarted' ? begun(event, copy) : undefined);
        // Pushes of an activity that never began belong to no row.
        if (!found) continue;
        known.set(key, found);
        touched.set(key, found);
        const failedBefore = found.stands.status === 'failed';
        found.stands = nextStatus(found.stands, event) ?? found.stands;
        if (event.type !== 'ActivityPushed') move(found, event);
        // The activity failed on every device: it is over, and its capacity must be released, once for all copies.
        const hasFailed = !failedBefore && found.stands.status === 'failed';
        if (hasFailed && event.type === 'ActivityPushed' && copy.senderId === null)
          await this.commands.failed(sql, event, event.pushedAt);
      }
    if (touched.size > 0) await write(sql, [...touched.values()]);
  }

  /** Locks the rows of the readers: their text is written back, also when it is being cleared. */
  private async load(
    sql: Sql,
    events: readonly (ActivityEvent | ActivityPushed)[],
  ): Promise<Map<string, BatchedActivity>> {
    const ids = [...new Set(events.map(({ activityId }) => activityId))];
    const readers = [...new Set(events.flatMap(ownersOf))];
    const { from, to } = createdBetween(ids);
    const rows = await sql.query<ActivityRow>(
      `SELECT ${activityColumns} FROM activities
       WHERE activity_id = ANY($1) AND account_id = ANY($4) AND created_at BETWEEN $2 AND $3 FOR UPDATE`,
      [ids, from, to, readers],
    );
    return new Map(
      rows.map((row) => [
        keyOf(row.activity_id, row.account_id),
        {
          accountId: row.account_id,
          senderId: row.sender_id,
          tokenId: row.token_id,
          kept: keptOf(row),
          stands: derivedStatusOf(row),
        },
      ]),
    );
  }
}

type Started = Extract<ActivityEvent, { type: 'ActivityStarted' }>;

const keyOf = (activityId: string, accountId: string): string => `${activityId} ${accountId}`;

function begun(event: Started, copy: Copy): BatchedActivity {
  const { activityId, tokenId, key, props, prompt, startedAt, expiresAt } = event;
  return {
    ...copy,
    tokenId,
    kept: { activityId, key, props, prompt, createdAt: startedAt, updatedAt: startedAt, expiresAt },
    stands: nextStatus(null, event)!,
  };
}

function move(found: BatchedActivity, event: ActivityEvent): void {
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
    case 'ActivityFailed':
      return event.failedAt;
  }
}

async function write(sql: Sql, all: readonly BatchedActivity[]): Promise<void> {
  const given = columns(columnTypes, all, ({ accountId, senderId, tokenId, kept, stands }) => ({
    activity_id: kept.activityId,
    account_id: accountId,
    sender_id: senderId,
    token_id: tokenId,
    key: kept.key,
    props: kept.props && JSON.stringify(kept.props),
    prompt: kept.prompt && JSON.stringify(kept.prompt),
    status: stands.status,
    sequence: stands.sequence,
    instances: JSON.stringify(stands.instances),
    created_at: kept.createdAt,
    updated_at: kept.updatedAt,
    expires_at: kept.expiresAt,
    ended_at: stands.endedAt,
  }));
  await sql.query(
    `INSERT INTO activities AS a (${given.names}) SELECT * FROM ${given.rows}
     ON CONFLICT (activity_id, account_id, created_at) DO UPDATE SET props = excluded.props, status = excluded.status,
       sequence = excluded.sequence, instances = excluded.instances, updated_at = excluded.updated_at,
       ended_at = excluded.ended_at`,
    given.values,
  );
}
