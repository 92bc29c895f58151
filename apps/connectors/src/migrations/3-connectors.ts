import { membershipTables } from '@carillon/membership';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Connectors1766016000003 implements MigrationInterface {
  name = 'Connectors1766016000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE connectors (
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
      )`);
    await runner.query(`CREATE INDEX ON connectors (account_id, created_at DESC, connector_id DESC)`);
    await runner.query(`CREATE INDEX ON connectors (team_id) WHERE team_id IS NOT NULL`);
    await runner.query(`
      CREATE TABLE connector_seen (
        connector_id text PRIMARY KEY,
        seen_at timestamptz NOT NULL,
        health jsonb NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE connector_listening (
        one boolean PRIMARY KEY CHECK (one),
        since timestamptz NOT NULL,
        noted_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE connector_ties (
        connector_id text PRIMARY KEY,
        account_id text NOT NULL,
        team_id text,
        group_id text,
        group_team_id text
      )`);
    await runner.query(`CREATE INDEX ON connector_ties (team_id) WHERE team_id IS NOT NULL`);
    await runner.query(`CREATE INDEX ON connector_ties (group_team_id) WHERE group_team_id IS NOT NULL`);
    for (const statement of membershipTables({ teams: 'connector_teams', members: 'connector_members' }))
      await runner.query(statement);
    await runner.query(`CREATE TABLE connector_groups (group_id text PRIMARY KEY, team_id text NOT NULL)`);
    await runner.query(`CREATE INDEX ON connector_groups (team_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE connectors, connector_seen, connector_listening, connector_ties, connector_teams,
         connector_members, connector_groups`,
    );
  }
}
