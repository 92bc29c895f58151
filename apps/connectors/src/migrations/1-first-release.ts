import type { Migration } from '@carillon/event-store';
import { membershipTables } from '@carillon/membership';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    `CREATE TABLE apps (
      app_id text PRIMARY KEY,
      added_by text NOT NULL,
      name text,
      url text,
      origin text,
      icon_url text,
      project_id text,
      project_name text,
      team_id text,
      membership text NOT NULL,
      moves integer NOT NULL,
      added_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON apps (added_by)`,
    `CREATE INDEX ON apps (team_id, app_id)`,
    `CREATE TABLE app_consents (
      app_id text NOT NULL,
      account_id text NOT NULL,
      share_name boolean NOT NULL,
      share_email boolean NOT NULL,
      membership text NOT NULL,
      given_at timestamptz NOT NULL,
      PRIMARY KEY (app_id, account_id)
    )`,
    ...membershipTables({ teams: 'app_teams', members: 'app_members' }),
    `ALTER TABLE app_teams ADD COLUMN name text`,
    `CREATE TABLE app_openings (
      app_id text NOT NULL,
      account_id text NOT NULL,
      opened_at timestamptz NOT NULL,
      PRIMARY KEY (app_id, account_id)
    )`,
    `CREATE TABLE connectors (
      connector_id text PRIMARY KEY,
      account_id text NOT NULL,
      team_id text,
      name text,
      tunnel_id text,
      hostname text,
      routes jsonb,
      enabled boolean NOT NULL,
      oncall_group_id text,
      status text NOT NULL,
      agent_version text,
      heard_at timestamptz,
      secret_rotated_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON connectors (account_id, created_at DESC, connector_id DESC)`,
    `CREATE INDEX ON connectors (team_id) WHERE team_id IS NOT NULL`,
    `CREATE TABLE connector_seen (
      connector_id text PRIMARY KEY,
      seen_at timestamptz NOT NULL,
      health jsonb NOT NULL
    )`,
    `CREATE TABLE connector_listening (
      one boolean PRIMARY KEY CHECK (one),
      since timestamptz NOT NULL,
      noted_at timestamptz NOT NULL
    )`,
    `CREATE TABLE connector_ties (
      connector_id text PRIMARY KEY,
      account_id text NOT NULL,
      team_id text,
      group_id text,
      group_team_id text
    )`,
    `CREATE INDEX ON connector_ties (team_id, connector_id) WHERE team_id IS NOT NULL`,
    `CREATE INDEX ON connector_ties (group_team_id, connector_id) WHERE group_team_id IS NOT NULL`,
    `CREATE INDEX ON connector_ties (group_id, connector_id) WHERE group_id IS NOT NULL`,
    ...membershipTables({ teams: 'connector_teams', members: 'connector_members' }),
    `CREATE TABLE connector_groups (group_id text PRIMARY KEY, team_id text NOT NULL)`,
    `CREATE INDEX ON connector_groups (team_id)`,
  ],
};
