import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeletedWebhooks1763683200002 implements MigrationInterface {
  name = 'DeletedWebhooks1763683200002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE chosen_webhooks (
        service_id text PRIMARY KEY,
        webhook_id text NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON chosen_webhooks (webhook_id)`);
    await runner.query(`CREATE TABLE deleted_webhooks (webhook_id text PRIMARY KEY)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE chosen_webhooks, deleted_webhooks`);
  }
}
