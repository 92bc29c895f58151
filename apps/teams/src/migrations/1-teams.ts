import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Teams1763769600001 implements MigrationInterface {
  name = 'Teams1763769600001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE teams (
        team_id text PRIMARY KEY,
        kind text NOT NULL,
        created_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE members (
        team_id text NOT NULL,
        account_id text NOT NULL,
        role text NOT NULL,
        joined_at timestamptz NOT NULL,
        PRIMARY KEY (team_id, account_id)
      )`);
    await runner.query(`CREATE INDEX ON members (account_id)`);
    await runner.query(`
      CREATE TABLE people (
        account_id text PRIMARY KEY,
        name text,
        email text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE teams, members, people`);
  }
}
