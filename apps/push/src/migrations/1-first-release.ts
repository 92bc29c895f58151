import type { Migration } from '@carillon/event-store';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    `CREATE TABLE devices (
      device_id text PRIMARY KEY,
      account_id text NOT NULL,
      platform text NOT NULL,
      device_name text,
      active boolean NOT NULL,
      inactive_reason text,
      push_token text,
      push_token_hash text,
      push_environment text NOT NULL,
      token_since timestamptz NOT NULL,
      token_position numeric(20) NOT NULL DEFAULT 0,
      push_to_start_token text,
      push_to_start_environment text,
      push_to_start_since timestamptz,
      live_activities_capable boolean NOT NULL,
      interactive_live_activities_capable boolean NOT NULL,
      created_at timestamptz NOT NULL,
      last_seen_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON devices (account_id, last_seen_at DESC, device_id DESC)`,
    `CREATE INDEX ON devices (account_id) INCLUDE (device_id) WHERE active`,
    `CREATE INDEX ON devices (push_token_hash)`,
    // owner_id: the id of a device, or that of an account for its devices without hours of their own.
    `CREATE TABLE quiet_hours (owner_id text PRIMARY KEY, account_id text NOT NULL, hours jsonb NOT NULL)`,
    `CREATE INDEX ON quiet_hours (account_id)`,
    // Unfinished deliveries: a row is deleted when its push is reported, so rows are inserted and deleted constantly.
    // unwanted: the push was withdrawn; the lease owner finishes the current attempt and begins no other.
    // recipients: those besides the sending account; null when there are none.
    // partition: that of the event which is pushed, in which its result is recorded, too.
    `CREATE TABLE deliveries (
      subject_id text NOT NULL,
      device_id text NOT NULL,
      delivery_id text NOT NULL,
      account_id text NOT NULL,
      source text NOT NULL,
      position numeric(20) NOT NULL,
      targets smallint NOT NULL,
      expires_at timestamptz NOT NULL,
      state text NOT NULL DEFAULT 'waiting',
      error_code text,
      checked_at timestamptz,
      due_at timestamptz NOT NULL,
      held text,
      failures integer NOT NULL DEFAULT 0,
      throttles integer NOT NULL DEFAULT 0,
      ambiguous boolean NOT NULL DEFAULT false,
      doubtful boolean NOT NULL DEFAULT false,
      owner integer,
      owned_until timestamptz,
      unwanted boolean NOT NULL DEFAULT false,
      recipients jsonb,
      partition smallint NOT NULL DEFAULT 0,
      PRIMARY KEY (subject_id, device_id)
    ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    `CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'waiting' AND owner IS NULL`,
    `CREATE INDEX deliveries_settled ON deliveries (subject_id) WHERE state <> 'waiting'`,
    // Prompts that phones may show now, with the phones: they are cleared when the prompt ends.
    `CREATE TABLE prompts (prompt_id text PRIMARY KEY, device_ids text[] NOT NULL)`,
    // The state of each live activity on each of its devices. Rows are deleted a day after the activity's deadline.
    `CREATE TABLE lanes (
      activity_id text NOT NULL,
      device_id text NOT NULL,
      account_id text NOT NULL,
      correlation_id text NOT NULL,
      lane jsonb NOT NULL,
      expires_at timestamptz NOT NULL,
      due_at timestamptz,
      held text,
      doubtful boolean NOT NULL DEFAULT false,
      owner integer,
      owned_until timestamptz,
      recipients jsonb,
      PRIMARY KEY (activity_id, device_id)
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    `CREATE INDEX lanes_due ON lanes (due_at) WHERE owner IS NULL AND NOT doubtful`,
    `CREATE INDEX lanes_doubtful ON lanes (activity_id) WHERE doubtful`,
    `CREATE INDEX lanes_owned ON lanes (owner) WHERE owner IS NOT NULL`,
    `CREATE INDEX lanes_held ON lanes (held) WHERE held IS NOT NULL`,
    `CREATE INDEX lanes_device ON lanes (device_id)`,
    `CREATE INDEX lanes_expiry ON lanes (expires_at)`,
    // The device data that lanes need, in log order, and when each device may start one more activity.
    `CREATE TABLE lane_devices (
      device_id text PRIMARY KEY,
      platform text NOT NULL,
      live_activities boolean NOT NULL,
      next_turn_at timestamptz NOT NULL DEFAULT '-infinity',
      last_start_at timestamptz NOT NULL DEFAULT '-infinity'
    )`,
    // Results of pushes that the log rejects as too large. An operator has to inspect them.
    `CREATE TABLE dead_letters (
      subject_id text PRIMARY KEY,
      account_id text NOT NULL,
      reason text NOT NULL,
      content jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      recipients text[] NOT NULL DEFAULT '{}',
      partition smallint NOT NULL DEFAULT 0
    )`,
    // Pushes of pages that phones may show now: they are cleared when the page is acknowledged, withdrawn or resolved.
    `CREATE TABLE paged (
      push_id text PRIMARY KEY,
      page_id text NOT NULL,
      account_id text NOT NULL,
      device_ids text[] NOT NULL
    )`,
    `CREATE INDEX ON paged (page_id)`,
  ],
};
