import { copiesOf, type InteractionAsked } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';

/** Inserts a row for each account that can answer. */
export async function addPrompts(sql: Sql, all: readonly InteractionAsked[]): Promise<void> {
  const asked = all.flatMap((event) => copiesOf(event).map((copy) => ({ ...event, ...copy })));
  const given = columns(
    {
      interaction_id: 'text',
      account_id: 'text',
      sender_id: 'text',
      team_id: 'text',
      kind: 'text',
      presentation: 'text',
      status: 'text',
      title: 'text',
      prompt: 'text',
      choices: 'jsonb',
      primary_label: 'text',
      secondary_label: 'text',
      image_url: 'text',
      url: 'text',
      action_digest: 'text',
      source_name: 'text',
      source_image_url: 'text',
      project_id: 'text',
      live_activity_id: 'text',
      created_at: 'timestamptz',
      expires_at: 'timestamptz',
    },
    asked,
    (event) => ({
      interaction_id: event.interactionId,
      account_id: event.accountId,
      sender_id: event.senderId,
      team_id: event.teamId ?? null,
      kind: event.kind,
      presentation: event.presentation,
      status: 'pending',
      title: event.title,
      prompt: event.prompt,
      choices: JSON.stringify(event.choices),
      primary_label: event.primaryLabel,
      secondary_label: event.secondaryLabel,
      image_url: event.imageUrl,
      url: event.url,
      action_digest: event.actionDigest,
      source_name: event.sourceName,
      source_image_url: event.sourceImageUrl,
      project_id: event.projectId,
      live_activity_id: event.liveActivityId,
      created_at: event.askedAt,
      expires_at: event.expiresAt,
    }),
  );
  await sql.query(
    `INSERT INTO prompts (${given.names}, accepted, accepted_by) SELECT n.*, 0, '{}' FROM ${given.rows}`,
    given.values,
  );
}
