import type {
  ActivityPushed,
  InteractionAsked,
  InteractionEnded,
  InteractionEvent,
  PushReported,
  Streams,
} from '@carillon/contracts';
import { ignore, inBatch, Projection, type Sql, type On } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { isId } from '@carillon/signing';
import { Injectable } from '@nestjs/common';

type Followed = Streams<'interaction' | 'delivery' | 'lane'>;
type FollowedEvent = InteractionEvent | PushReported | ActivityPushed;
type Ignored = 'PushCleared' | 'ActivityTokenRegistered';

/** The prompts of all accounts, those that wait for an answer and those that do no more. */
@Injectable()
export class PendingProjection extends Projection<Followed, Ignored> {
  readonly name = 'prompts';
  readonly tables = ['prompts'];
  readonly on: On<Followed, Ignored> = {
    interaction: {
      InteractionAsked: inBatch,
      InteractionAnswered: inBatch,
      InteractionCanceled: inBatch,
      InteractionExpired: inBatch,
    },
    delivery: {
      PushReported: inBatch,
      PushCleared: ignore,
    },
    lane: {
      ActivityTokenRegistered: ignore,
      ActivityPushed: inBatch,
    },
  };

  /** Other pushes are none of ours. */
  override concerns({ event }: Recorded<FollowedEvent>): boolean {
    if (event.type === 'PushReported') return isId(event.subjectId, 'int');
    if (event.type === 'ActivityPushed') return event.operation === 'start' && event.outcome === 'accepted';
    return true;
  }

  /** A prompt is asked before anything else becomes of it, and its end does not touch what providers say. */
  override async apply(sql: Sql, events: readonly Recorded<FollowedEvent>[]): Promise<void> {
    const asked: InteractionAsked[] = [];
    const ended: InteractionEnded[] = [];
    const reported = new Map<string, number>();
    const started = new Map<string, string[]>();
    for (const { event } of events)
      switch (event.type) {
        case 'InteractionAsked':
          asked.push(event);
          break;
        case 'InteractionAnswered':
        case 'InteractionCanceled':
        case 'InteractionExpired':
          ended.push(event);
          break;
        case 'PushReported':
          reported.set(event.subjectId, event.accepted);
          break;
        case 'ActivityPushed':
          started.set(event.activityId, [...(started.get(event.activityId) ?? []), event.deviceId]);
          break;
        default:
          event satisfies never;
      }
    if (asked.length > 0) await this.insert(sql, asked);
    if (ended.length > 0) await this.end(sql, ended);
    if (reported.size > 0)
      await sql.query(
        `UPDATE prompts p SET accepted = n.accepted FROM unnest($1::text[], $2::integer[]) AS n (id, accepted)
         WHERE p.interaction_id = n.id`,
        [[...reported.keys()], [...reported.values()]],
      );
    for (const [activityId, deviceIds] of started)
      await sql.query(
        `UPDATE prompts p SET accepted_by = n.by, accepted = cardinality(n.by)
         FROM (SELECT interaction_id AS id, ARRAY(SELECT DISTINCT unnest(accepted_by || $2::text[]) ORDER BY 1) AS by
           FROM prompts WHERE live_activity_id = $1) n
         WHERE p.interaction_id = n.id`,
        [activityId, deviceIds],
      );
  }

  private async insert(sql: Sql, asked: readonly InteractionAsked[]): Promise<void> {
    await sql.query(
      `INSERT INTO prompts (interaction_id, account_id, kind, presentation, status, title, prompt, choices,
         primary_label, secondary_label, image_url, url, action_digest, source_name, source_image_url, project_id,
         live_activity_id, accepted, accepted_by, created_at, expires_at)
       SELECT id, account_id, kind, presentation, 'pending', title, prompt, choices, primary_label, secondary_label,
         image_url, url, digest, source, source_image, project_id, activity_id, 0, '{}', created_at, expires_at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::text[],
         $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
         $17::timestamptz[], $18::timestamptz[])
         AS n (id, account_id, kind, presentation, title, prompt, choices, primary_label, secondary_label, image_url,
           url, digest, source, source_image, project_id, activity_id, created_at, expires_at)`,
      [
        asked.map((event) => event.interactionId),
        asked.map((event) => event.accountId),
        asked.map((event) => event.kind),
        asked.map((event) => event.presentation),
        asked.map((event) => event.title),
        asked.map((event) => event.prompt),
        asked.map((event) => JSON.stringify(event.choices)),
        asked.map((event) => event.primaryLabel),
        asked.map((event) => event.secondaryLabel),
        asked.map((event) => event.imageUrl),
        asked.map((event) => event.url),
        asked.map((event) => event.actionDigest),
        asked.map((event) => event.sourceName),
        asked.map((event) => event.sourceImageUrl),
        asked.map((event) => event.projectId),
        asked.map((event) => event.liveActivityId),
        asked.map((event) => event.askedAt),
        asked.map((event) => event.expiresAt),
      ],
    );
  }

  private async end(sql: Sql, ended: readonly InteractionEnded[]): Promise<void> {
    const rows = ended.map(endingOf);
    await sql.query(
      `UPDATE prompts p SET status = n.status, response = n.response, responding_user_id = n.user_id,
         responding_device_id = n.device_id, responded_at = n.responded_at, canceled_at = n.canceled_at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
         AS n (id, status, response, user_id, device_id, responded_at, canceled_at)
       WHERE p.interaction_id = n.id`,
      [
        rows.map(({ id }) => id),
        rows.map(({ status }) => status),
        rows.map(({ response }) => response),
        rows.map(({ userId }) => userId),
        rows.map(({ deviceId }) => deviceId),
        rows.map(({ respondedAt }) => respondedAt),
        rows.map(({ canceledAt }) => canceledAt),
      ],
    );
  }
}

const nobody = { response: null, userId: null, deviceId: null, respondedAt: null, canceledAt: null };

function endingOf(event: InteractionEnded) {
  const id = event.interactionId;
  switch (event.type) {
    case 'InteractionAnswered':
      return {
        id,
        status: event.status,
        response: event.response,
        userId: event.respondingUserId,
        deviceId: event.respondingDeviceId,
        respondedAt: event.answeredAt,
        canceledAt: null,
      };
    case 'InteractionCanceled':
      return { ...nobody, id, status: 'canceled', canceledAt: event.canceledAt };
    case 'InteractionExpired':
      return { ...nobody, id, status: 'expired' };
  }
}
