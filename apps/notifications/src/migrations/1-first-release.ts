import type { Migration } from '@carillon/event-store';
import { membershipTables } from '@carillon/membership';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    `CREATE TABLE services (
      service_id text PRIMARY KEY,
      account_id text NOT NULL,
      title text,
      image_url text,
      url text,
      default_reply_webhook_id text,
      hook_hash text NOT NULL,
      preset text NOT NULL,
      events_per text NOT NULL,
      oncall_group_id text,
      oncall_from text NOT NULL,
      oncall_group_gone boolean NOT NULL,
      has_sender_secret boolean NOT NULL,
      expect_every_seconds integer,
      grace_seconds integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON services (account_id, created_at DESC, service_id DESC)`,
    `CREATE UNIQUE INDEX ON services (hook_hash)`,
    // What fires or is resolved, until the page of its key has followed it.
    `CREATE TABLE service_signals (
      event_id text PRIMARY KEY,
      alert_key text NOT NULL,
      position bigint NOT NULL
    )`,
    `CREATE INDEX ON service_signals (alert_key, position)`,
    `CREATE TABLE service_pages (
      alert_key text PRIMARY KEY,
      service_id text NOT NULL,
      account_id text NOT NULL,
      page_id text NOT NULL,
      paged_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON service_pages (paged_at)`,
    `CREATE INDEX ON service_pages (service_id)`,
    `CREATE INDEX ON service_pages (account_id)`,
    // The last state of each key that its sender repeats, how many came before it, and whether it could not be paged.
    `CREATE TABLE service_states (
      alert_key text PRIMARY KEY,
      once text NOT NULL,
      turn integer NOT NULL,
      unpaged boolean NOT NULL,
      told_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON service_states (told_at)`,
    // The services whose senders are expected to call, which of them are silent, the event that told of it last, and
    // the group that it has paged, or is about to.
    `CREATE TABLE service_watches (
      service_id text PRIMARY KEY,
      account_id text NOT NULL,
      since timestamptz NOT NULL,
      silent_since timestamptz,
      told_event_id text,
      paged_group_id text
    )`,
    `CREATE INDEX ON service_watches (account_id)`,
    `CREATE TABLE service_calls (service_id text PRIMARY KEY, called_at timestamptz NOT NULL)`,
    `CREATE TABLE service_listening (
      one boolean PRIMARY KEY CHECK (one),
      heard_at timestamptz NOT NULL,
      noted_at timestamptz NOT NULL
    )`,
    `CREATE TABLE service_gaps (began_at timestamptz PRIMARY KEY, ended_at timestamptz NOT NULL)`,
    `CREATE INDEX ON service_gaps (ended_at)`,
    `CREATE TABLE service_payloads (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      service_id text NOT NULL,
      account_id text NOT NULL,
      received_at timestamptz NOT NULL,
      sealed text NOT NULL
    )`,
    `CREATE INDEX ON service_payloads (service_id, seq)`,
    `CREATE INDEX ON service_payloads (account_id)`,
    `CREATE INDEX ON service_payloads (received_at)`,
    `CREATE TABLE chosen_webhooks (service_id text PRIMARY KEY, webhook_id text NOT NULL)`,
    `CREATE INDEX ON chosen_webhooks (webhook_id)`,
    `CREATE TABLE deleted_webhooks (webhook_id text PRIMARY KEY, deleted_at timestamptz NOT NULL)`,
    ...membershipTables({ teams: 'families', members: 'family_members' }),
    // A share ends with the membership that its creator had.
    `CREATE TABLE service_shares (
      service_id text PRIMARY KEY,
      account_id text NOT NULL,
      family_id text,
      membership text,
      shares integer NOT NULL
    )`,
    `CREATE INDEX ON service_shares (family_id, account_id)`,
    `CREATE TABLE suspended_accounts (account_id text PRIMARY KEY)`,
  ],
};
