import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['inbox_items', 'events', 'feed_items'];

/** Rows name the sender when it is another account, so that its deletion clears their text. */
export class Senders1766534400012 implements MigrationInterface {
  name = 'Senders1766534400012';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN sender_id text`);
      await runner.query(`CREATE INDEX ${table}_sender ON ${table} (sender_id) WHERE sender_id IS NOT NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} DROP COLUMN sender_id`);
  }
}
