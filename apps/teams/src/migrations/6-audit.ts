import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Audit1763769600006 implements MigrationInterface {
  name = 'Audit1763769600006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_members (
        account_id text NOT NULL,
        team_id text NOT NULL,
        PRIMARY KEY (account_id, team_id)
      )`);
    await runner.query(`CREATE TABLE audit_people (account_id text PRIMARY KEY, name text)`);
    await runner.query(`
      CREATE TABLE audit_entries (
        team_id text NOT NULL,
        sequence bigint NOT NULL,
        created_at timestamptz NOT NULL,
        action text NOT NULL,
        actor_user_id text,
        entry json NOT NULL,
        PRIMARY KEY (team_id, sequence)
      )`);
    await runner.query(`CREATE INDEX ON audit_entries (team_id, created_at)`);
    await runner.query(`CREATE INDEX ON audit_entries (team_id, action, sequence)`);
    await runner.query(`CREATE INDEX ON audit_entries (team_id, actor_user_id, sequence)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE audit_members, audit_people, audit_entries`);
  }
}
