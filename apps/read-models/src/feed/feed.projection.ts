import type { FeedKind, InteractionEnded, Streams } from '@carillon/contracts';
import { type EventsOf, ignore, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import { ofType, type Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import {
  activityOf,
  type Entry,
  entryOf,
  overOf,
  type Prompt,
  promptOf,
  responseOf,
  type ShownActivity,
  startedOf,
} from './entry';
import { byAge, numbered, type Ordered, type Place, type Totals } from './places';

interface PromptRow {
  prompt_id: string;
  account_id: string;
  source_name: string;
  source_image_url: string | null;
  title: string;
  detail: string;
  url: string | null;
}

interface ActivityRow {
  activity_id: string;
  account_id: string;
  source_name: string;
  title: string;
  detail: string | null;
  url: string | null;
}

interface YoungerRow {
  account_id: string;
  feed_id: string;
  kind: FeedKind;
  created_at: Date;
}

type Followed = Streams<'notification' | 'event' | 'interaction' | 'activity'>;
type Ignored = 'NotificationWithdrawn' | 'ActivityUpdated';
type FedEvent = Exclude<EventsOf<Followed>, { readonly type: Ignored }>;

/** What happened in each account, merged and numbered, and how much of it there is. */
@Injectable()
export class FeedProjection extends Projection<Followed, Ignored> {
  readonly name = 'feed';
  readonly tables = ['feed_items', 'feed_totals', 'feed_prompts', 'feed_activities'];
  readonly on: On<Followed, Ignored> = {
    notification: {
      NotificationSent: inBatch,
      NotificationWithdrawn: ignore,
    },
    event: {
      EventReceived: inBatch,
    },
    interaction: {
      InteractionAsked: inBatch,
      InteractionAnswered: inBatch,
      InteractionCanceled: inBatch,
      InteractionExpired: inBatch,
    },
    activity: {
      ActivityStarted: inBatch,
      ActivityUpdated: ignore,
      ActivityEnded: inBatch,
      ActivityExpired: inBatch,
    },
  };

  override async apply(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<void> {
    const fresh = new Map<string, Entry[]>();
    for (const entry of await this.entries(sql, events)) {
      const others = fresh.get(entry.accountId);
      if (others) others.push(entry);
      else fresh.set(entry.accountId, [entry]);
    }
    if (fresh.size === 0) return;
    const totals = await this.totals(sql, [...fresh.keys()]);
    const younger = await this.younger(sql, [...fresh.values()].map(oldestOf));
    const numberings = [...fresh].map(([accountId, entries]) => ({
      accountId,
      ...numbered(totals.get(accountId) ?? new Map(), entries, younger.get(accountId) ?? []),
    }));
    const moved = numberings.flatMap((numbering) =>
      numbering.moved.map((line) => ({ ...line, accountId: numbering.accountId })),
    );
    if (moved.length > 0) await this.move(sql, moved);
    await this.file(
      sql,
      numberings.flatMap(({ placed }) => placed),
    );
    await this.count(
      sql,
      numberings.flatMap(({ accountId, totals: after }) =>
        [...after].map(([kind, total]) => ({ accountId, kind, total })),
      ),
    );
  }

  /** A prompt is in the feed when it has ended; what is shown of it then comes from its beginning. */
  private async entries(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<Entry[]> {
    const asked = ofType(events, 'InteractionAsked');
    const ended = ofType(events, 'InteractionAnswered', 'InteractionCanceled', 'InteractionExpired');
    if (asked.length > 0) await this.keep(sql, asked.map(promptOf));
    const prompts = ended.length > 0 ? await this.ending(sql, ended) : new Map<string, Prompt>();
    return [
      ...ofType(events, 'NotificationSent', 'EventReceived').flatMap((event) => entryOf(event) ?? []),
      ...ended.flatMap((event) => {
        const prompt = prompts.get(event.interactionId);
        return prompt ? [responseOf(event, prompt)] : [];
      }),
      ...(await this.ofActivities(sql, events)),
    ];
  }

  /** What is shown of an activity that is over comes from its beginning too. */
  private async ofActivities(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<Entry[]> {
    const started = ofType(events, 'ActivityStarted').filter(({ prompt }) => !prompt);
    const over = ofType(events, 'ActivityEnded', 'ActivityExpired');
    if (started.length > 0) await this.keepActivities(sql, started.map(activityOf));
    const activities =
      over.length > 0 ? await this.takeActivities(sql, over) : new Map<string, ShownActivity>();
    return [
      ...started.flatMap((event) => startedOf(event) ?? []),
      ...over.flatMap((event) => {
        const activity = activities.get(event.activityId);
        return activity ? [overOf(event, activity)] : [];
      }),
    ];
  }

  private async keepActivities(sql: Sql, activities: readonly ShownActivity[]): Promise<void> {
    await sql.query(
      `INSERT INTO feed_activities (activity_id, account_id, source_name, title, detail, url)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
      [
        activities.map((activity) => activity.activityId),
        activities.map((activity) => activity.accountId),
        activities.map((activity) => activity.sourceName),
        activities.map((activity) => activity.title),
        activities.map((activity) => activity.detail),
        activities.map((activity) => activity.url),
      ],
    );
  }

  private async takeActivities(
    sql: Sql,
    over: readonly { readonly activityId: string }[],
  ): Promise<Map<string, ShownActivity>> {
    const rows = await sql.query<ActivityRow>(
      `DELETE FROM feed_activities WHERE activity_id = ANY($1) RETURNING *`,
      [over.map(({ activityId }) => activityId)],
    );
    return new Map(
      rows.map((row) => [
        row.activity_id,
        {
          activityId: row.activity_id,
          accountId: row.account_id,
          sourceName: row.source_name,
          title: row.title,
          detail: row.detail,
          url: row.url,
        },
      ]),
    );
  }

  private async keep(sql: Sql, prompts: readonly Prompt[]): Promise<void> {
    await sql.query(
      `INSERT INTO feed_prompts (prompt_id, account_id, source_name, source_image_url, title, detail, url)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`,
      [
        prompts.map((prompt) => prompt.promptId),
        prompts.map((prompt) => prompt.accountId),
        prompts.map((prompt) => prompt.sourceName),
        prompts.map((prompt) => prompt.sourceImageUrl),
        prompts.map((prompt) => prompt.title),
        prompts.map((prompt) => prompt.detail),
        prompts.map((prompt) => prompt.url),
      ],
    );
  }

  private async ending(sql: Sql, ended: readonly InteractionEnded[]): Promise<Map<string, Prompt>> {
    const rows = await sql.query<PromptRow>(
      `DELETE FROM feed_prompts WHERE prompt_id = ANY($1) RETURNING *`,
      [ended.map(({ interactionId }) => interactionId)],
    );
    return new Map(
      rows.map((row) => [
        row.prompt_id,
        {
          promptId: row.prompt_id,
          accountId: row.account_id,
          sourceName: row.source_name,
          sourceImageUrl: row.source_image_url,
          title: row.title,
          detail: row.detail,
          url: row.url,
        },
      ]),
    );
  }

  private async totals(sql: Sql, accountIds: readonly string[]): Promise<Map<string, Totals>> {
    const rows = await sql.query<{ account_id: string; kind: FeedKind; total: string }>(
      `SELECT account_id, kind, total FROM feed_totals WHERE account_id = ANY($1)`,
      [accountIds],
    );
    const found = new Map<string, Map<FeedKind, number>>();
    for (const { account_id, kind, total } of rows)
      found.set(account_id, (found.get(account_id) ?? new Map()).set(kind, Number(total)));
    return found;
  }

  /** For each account the lines that are younger than this one. */
  private async younger(sql: Sql, oldest: readonly Entry[]): Promise<Map<string, Ordered[]>> {
    const rows = await sql.query<YoungerRow>(
      `SELECT f.account_id, f.feed_id, f.kind, f.created_at
       FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS o (account_id, at, id)
       CROSS JOIN LATERAL (
         SELECT * FROM feed_items f
         WHERE f.account_id = o.account_id AND (f.created_at, f.feed_id) > (o.at, o.id)
         ORDER BY f.created_at, f.feed_id) f`,
      [oldest.map(({ accountId }) => accountId), oldest.map(({ at }) => at), oldest.map(({ id }) => id)],
    );
    const found = new Map<string, Ordered[]>();
    for (const { account_id, feed_id, kind, created_at } of rows) {
      const lines = found.get(account_id) ?? [];
      lines.push({ id: feed_id, kind, at: created_at.toISOString() });
      found.set(account_id, lines);
    }
    return found;
  }

  private async move(
    sql: Sql,
    moved: readonly (Ordered & Place & { readonly accountId: string })[],
  ): Promise<void> {
    await sql.query(
      `UPDATE feed_items f SET place = n.place, kind_place = n.kind_place
       FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::bigint[], $5::bigint[])
         AS n (account_id, at, id, place, kind_place)
       WHERE f.account_id = n.account_id AND f.created_at = n.at AND f.feed_id = n.id`,
      [
        moved.map(({ accountId }) => accountId),
        moved.map(({ at }) => at),
        moved.map(({ id }) => id),
        moved.map(({ place }) => place),
        moved.map(({ kindPlace }) => kindPlace),
      ],
    );
  }

  private async file(sql: Sql, entries: readonly (Entry & Place)[]): Promise<void> {
    await sql.query(
      `INSERT INTO feed_items (account_id, created_at, feed_id, place, kind, kind_place, source_name, source_image_url,
         title, detail, url, result)
       SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::bigint[], $5::text[], $6::bigint[],
         $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[])`,
      [
        entries.map((entry) => entry.accountId),
        entries.map((entry) => entry.at),
        entries.map((entry) => entry.id),
        entries.map((entry) => entry.place),
        entries.map((entry) => entry.kind),
        entries.map((entry) => entry.kindPlace),
        entries.map((entry) => entry.sourceName),
        entries.map((entry) => entry.sourceImageUrl),
        entries.map((entry) => entry.title),
        entries.map((entry) => entry.detail),
        entries.map((entry) => entry.url),
        entries.map((entry) => entry.result),
      ],
    );
  }

  private async count(
    sql: Sql,
    totals: readonly { readonly accountId: string; readonly kind: FeedKind; readonly total: number }[],
  ): Promise<void> {
    await sql.query(
      `INSERT INTO feed_totals (account_id, kind, total)
       SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
       ON CONFLICT (account_id, kind) DO UPDATE SET total = excluded.total`,
      [
        totals.map(({ accountId }) => accountId),
        totals.map(({ kind }) => kind),
        totals.map(({ total }) => total),
      ],
    );
  }
}

const oldestOf = (entries: readonly Entry[]): Entry =>
  entries.reduce((oldest, entry) => (byAge(entry, oldest) < 0 ? entry : oldest));
