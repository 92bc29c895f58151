import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Invites1763769600003 implements MigrationInterface {
  name = 'Invites1763769600003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invite_codes (
        code_hash text PRIMARY KEY,
        team_id text NOT NULL,
        invite_id text NOT NULL,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON invite_codes (team_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE invite_codes`);
  }
}
