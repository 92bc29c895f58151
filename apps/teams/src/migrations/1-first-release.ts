import type { Migration } from '@carillon/event-store';
import { membershipTables } from '@carillon/membership';
import { webAppViewTables } from '@carillon/web-app-views';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    ...membershipTables({ teams: 'teams', members: 'members' }),
    `ALTER TABLE teams ADD COLUMN kind text, ADD COLUMN created_at timestamptz`,
    `ALTER TABLE members ADD COLUMN role text, ADD COLUMN joined_at timestamptz`,
    `CREATE TABLE people (
      account_id text PRIMARY KEY,
      name text,
      email text,
      email_verified boolean NOT NULL DEFAULT false
    )`,
    `CREATE TABLE slot_holders (
      team_id text NOT NULL,
      account_id text NOT NULL,
      PRIMARY KEY (team_id, account_id)
    )`,
    `CREATE TABLE invite_codes (
      code_hash text PRIMARY KEY,
      team_id text NOT NULL,
      invite_id text NOT NULL,
      expires_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON invite_codes (team_id, expires_at)`,
    `CREATE TABLE device_groups (group_id text PRIMARY KEY, team_id text NOT NULL)`,
    `CREATE INDEX ON device_groups (team_id)`,
    `CREATE TABLE keyed_groups (
      tail text PRIMARY KEY,
      fingerprint text NOT NULL,
      made_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON keyed_groups (made_at)`,
    `CREATE TABLE group_devices (
      group_id text NOT NULL,
      device_id text NOT NULL,
      team_id text NOT NULL,
      account_id text NOT NULL,
      removals int NOT NULL,
      PRIMARY KEY (group_id, device_id)
    )`,
    `CREATE INDEX ON group_devices (device_id)`,
    `CREATE INDEX ON group_devices (team_id)`,
    `CREATE TABLE devices (
      device_id text PRIMARY KEY,
      name text,
      removals int NOT NULL
    )`,
    `CREATE TABLE audit_members (
      account_id text NOT NULL,
      team_id text NOT NULL,
      PRIMARY KEY (account_id, team_id)
    )`,
    `CREATE TABLE audit_people (account_id text PRIMARY KEY, name text)`,
    `CREATE TABLE audit_entries (
      team_id text NOT NULL,
      sequence bigint NOT NULL,
      created_at timestamptz NOT NULL,
      action text NOT NULL,
      actor_user_id text,
      entry json NOT NULL,
      PRIMARY KEY (team_id, sequence)
    )`,
    `CREATE INDEX ON audit_entries (team_id, created_at)`,
    `CREATE INDEX ON audit_entries (team_id, action, sequence)`,
    `CREATE INDEX ON audit_entries (actor_user_id, team_id, sequence)`,
    `CREATE TABLE oncall_groups (
      group_id text PRIMARY KEY,
      team_id text NOT NULL,
      deleted boolean NOT NULL DEFAULT false
    )`,
    `CREATE INDEX ON oncall_groups (team_id)`,
    // Who was on call when a group that notifies of hand-offs was last looked at; not known before the first look.
    `CREATE TABLE oncall_duties (
      group_id text PRIMARY KEY,
      team_id text NOT NULL,
      looked_at timestamptz NOT NULL,
      is_known boolean NOT NULL DEFAULT false,
      account_id text
    )`,
    `CREATE INDEX ON oncall_duties (team_id)`,
    `CREATE TABLE oncall_calendars (
      hash text PRIMARY KEY,
      account_id text NOT NULL,
      group_id text
    )`,
    `CREATE INDEX ON oncall_calendars (account_id)`,
    `CREATE TABLE pages (
      page_id text PRIMARY KEY,
      group_id text NOT NULL,
      team_id text NOT NULL,
      status text NOT NULL,
      notified text[] NOT NULL DEFAULT '{}',
      created_at timestamptz NOT NULL,
      resolved_at timestamptz
    )`,
    `CREATE INDEX ON pages (team_id, created_at DESC, page_id DESC)`,
    `CREATE INDEX pages_of_groups ON pages (group_id, created_at DESC, page_id DESC)`,
    `CREATE INDEX ON pages (group_id) WHERE status <> 'resolved'`,
    `CREATE INDEX ON pages (resolved_at) WHERE resolved_at IS NOT NULL`,
    `CREATE INDEX ON pages USING gin (notified) WHERE status <> 'resolved'`,
    // The pushes of the newest step of each page whose step no device has accepted yet.
    `CREATE TABLE page_pushes (push_id text PRIMARY KEY, page_id text NOT NULL, step int NOT NULL)`,
    `CREATE INDEX ON page_pushes (page_id)`,
    // Deleted teams and groups, and accounts that left a team: a page may be created concurrently.
    `CREATE TABLE gone_from_teams (
      team_id text,
      what text,
      id text,
      gone_at timestamptz NOT NULL,
      PRIMARY KEY (team_id, what, id)
    )`,
    `CREATE TABLE verified_domains (team_id text PRIMARY KEY, domain text NOT NULL)`,
    `CREATE INDEX ON verified_domains (domain)`,
    `CREATE TABLE team_apps (
      app_id text PRIMARY KEY,
      team_id text NOT NULL,
      added_by text NOT NULL,
      membership text NOT NULL
    )`,
    `CREATE INDEX ON team_apps (team_id)`,
    ...webAppViewTables,
  ],
};
