import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Paged1763769600006 implements MigrationInterface {
  name = 'Paged1763769600006';

  async up(runner: QueryRunner): Promise<void> {
    // Pushes of pages that phones may show now: they are cleared when the page is acknowledged, withdrawn or resolved.
    await runner.query(`
      CREATE TABLE paged (
        push_id text PRIMARY KEY,
        page_id text NOT NULL,
        account_id text NOT NULL,
        device_ids text[] NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON paged (page_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE paged`);
  }
}
