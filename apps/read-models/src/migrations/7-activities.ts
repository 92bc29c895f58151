import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Activities1763683200007 implements MigrationInterface {
  name = 'Activities1763683200007';

  async up(runner: QueryRunner): Promise<void> {
    // Live activities that are not over, as the feed will show them when they are.
    await runner.query(`
      CREATE TABLE feed_activities (
        activity_id text PRIMARY KEY,
        account_id text NOT NULL,
        source_name text NOT NULL,
        title text NOT NULL,
        detail text,
        url text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE feed_activities`);
  }
}
