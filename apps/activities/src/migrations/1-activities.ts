import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Activities1763683200001 implements MigrationInterface {
  name = 'Activities1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE activities (
        activity_id text PRIMARY KEY,
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
        ended_at timestamptz
      )`);
    await runner.query(`CREATE INDEX ON activities (account_id, created_at DESC, activity_id DESC)`);
    await runner.query(`CREATE INDEX ON activities (token_id, created_at DESC, activity_id DESC)`);
    await runner.query(`CREATE INDEX ON activities (token_id, key, created_at DESC) WHERE key IS NOT NULL`);
    await runner.query(`
      CREATE TABLE activity_commands (
        hash text PRIMARY KEY,
        activity_id text NOT NULL,
        used_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON activity_commands (used_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE activity_commands`);
    await runner.query(`DROP TABLE activities`);
  }
}
