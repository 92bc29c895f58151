import type { Migration } from '@carillon/event-store';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    `CREATE TABLE webhooks (
      webhook_id text PRIMARY KEY,
      account_id text NOT NULL,
      name text,
      url text,
      preset text NOT NULL,
      header_names text[] NOT NULL,
      events text[] NOT NULL,
      enabled boolean NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON webhooks (account_id, created_at DESC, webhook_id DESC)`,
    `CREATE TABLE default_webhooks (account_id text PRIMARY KEY, webhook_id text)`,
    // The state of each delivery from the log, and its lease. `due_at` is null when nothing more is due; `cancel` is
    // the reason of a pending cancellation, whose event is not in the delivery's stream yet; `retry_at` is the time of
    // a retry; `connector_id` is the connector that the newest attempt went through. `wanted` is the log position of
    // the event since which the delivery waits, `tried` that of the newest attempt.
    `CREATE TABLE replies (
      delivery_id text PRIMARY KEY,
      webhook_id text NOT NULL,
      account_id text NOT NULL,
      interaction_id text,
      message_id text NOT NULL,
      reply_type text NOT NULL,
      sequence bigint,
      status text NOT NULL,
      attempts integer NOT NULL,
      response_code integer,
      latency_ms integer,
      error text,
      attempt_log jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      delivered_at timestamptz,
      due_at timestamptz,
      cancel text,
      resends integer NOT NULL DEFAULT 0,
      owner integer,
      owned_until timestamptz,
      retry_at timestamptz,
      connector_id text,
      wanted numeric(20) NOT NULL DEFAULT 0,
      tried numeric(20) NOT NULL DEFAULT 0
    )`,
    // The log position of the newest change of an endpoint's URL.
    `CREATE TABLE moved_webhooks (webhook_id text PRIMARY KEY, position numeric(20) NOT NULL)`,
    `CREATE INDEX ON replies (webhook_id, created_at DESC, delivery_id DESC)`,
    `CREATE INDEX replies_due ON replies (webhook_id, due_at) WHERE due_at IS NOT NULL`,
    `CREATE INDEX ON replies (created_at) WHERE due_at IS NULL`,
    `CREATE INDEX replies_owned ON replies (owner) WHERE owner IS NOT NULL`,
    `CREATE INDEX replies_connector ON replies (connector_id)
     WHERE connector_id IS NOT NULL AND due_at IS NOT NULL`,
    `CREATE TABLE failing_webhooks (
      webhook_id text PRIMARY KEY,
      since timestamptz NOT NULL,
      last_failed_at timestamptz NOT NULL
    )`,
  ],
};
