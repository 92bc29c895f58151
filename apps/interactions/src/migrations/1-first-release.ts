import { type Migration, partitioned } from '@carillon/event-store';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    // A prompt may belong to several accounts: it has a row for each. Rows store the asking account when it differs
    // from the row's account: deleting that account deletes the text. They store the team of the device group that a
    // prompt was sent to: former members lose access to the prompt.
    ...partitioned(
      `CREATE TABLE prompts (
      interaction_id text,
      account_id text NOT NULL,
      kind text NOT NULL,
      presentation text NOT NULL,
      status text NOT NULL,
      title text,
      prompt text,
      choices jsonb,
      primary_label text,
      secondary_label text,
      image_url text,
      url text,
      action_digest text NOT NULL,
      source_name text,
      source_image_url text,
      project_id text,
      response text,
      responding_user_id text,
      responding_device_id text,
      live_activity_id text,
      accepted integer NOT NULL,
      accepted_by text[] NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      responded_at timestamptz,
      canceled_at timestamptz,
      sender_id text,
      team_id text,
      PRIMARY KEY (interaction_id, account_id, created_at)
    )`,
      'prompts',
      'created_at',
    ),
    `CREATE INDEX ON prompts (account_id, created_at DESC, interaction_id DESC)`,
    `CREATE INDEX ON prompts (account_id, created_at DESC, interaction_id DESC) WHERE status = 'pending'`,
    `CREATE INDEX ON prompts (live_activity_id) WHERE live_activity_id IS NOT NULL`,
    `CREATE INDEX prompts_sender ON prompts (sender_id) WHERE sender_id IS NOT NULL`,
    `CREATE TABLE escalating_prompts (interaction_id text PRIMARY KEY)`,
  ],
};
