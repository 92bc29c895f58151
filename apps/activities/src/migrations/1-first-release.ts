import { type Migration, partitioned } from '@carillon/event-store';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    // An activity may belong to several accounts: it has a row for each. Rows store the starting account when it
    // differs from the row's account: deleting that account deletes the text.
    ...partitioned(
      `CREATE TABLE activities (
      activity_id text,
      account_id text NOT NULL,
      token_id text NOT NULL,
      key text,
      props jsonb,
      prompt jsonb,
      status text NOT NULL,
      sequence integer NOT NULL,
      instances jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      ended_at timestamptz,
      sender_id text,
      PRIMARY KEY (activity_id, account_id, created_at)
    )`,
      'activities',
      'created_at',
    ),
    `CREATE INDEX ON activities (account_id, created_at DESC, activity_id DESC)`,
    `CREATE INDEX ON activities (token_id, created_at DESC, activity_id DESC)`,
    `CREATE INDEX ON activities (token_id, key, created_at DESC) WHERE key IS NOT NULL`,
    `CREATE INDEX activities_sender ON activities (sender_id) WHERE sender_id IS NOT NULL`,
  ],
};
