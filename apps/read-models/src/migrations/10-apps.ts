import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Items name the web app that a tap opens. */
export class Apps1763683200010 implements MigrationInterface {
  name = 'Apps1763683200010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE inbox_items ADD COLUMN app_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE inbox_items DROP COLUMN app_id`);
  }
}
