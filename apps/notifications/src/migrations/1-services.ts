import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Services1763683200001 implements MigrationInterface {
  name = 'Services1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE services (
        service_id text PRIMARY KEY,
        account_id text NOT NULL,
        title text,
        image_url text,
        url text,
        family_id text,
        default_reply_webhook_id text,
        hook_hash text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON services (account_id, created_at DESC, service_id DESC)`);
    await runner.query(`CREATE UNIQUE INDEX ON services (hook_hash)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE services`);
  }
}
