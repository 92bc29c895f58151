import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Webhooks1763683200001 implements MigrationInterface {
  name = 'Webhooks1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
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
      )`);
    await runner.query(`CREATE INDEX ON webhooks (account_id, created_at DESC, webhook_id DESC)`);
    await runner.query(`
      CREATE TABLE default_webhooks (
        account_id text PRIMARY KEY,
        webhook_id text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE webhooks, default_webhooks`);
  }
}
