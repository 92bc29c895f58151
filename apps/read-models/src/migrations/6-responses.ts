import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Responses1763683200006 implements MigrationInterface {
  name = 'Responses1763683200006';

  async up(runner: QueryRunner): Promise<void> {
    // Prompts that have not ended, as the feed will show them when they do.
    await runner.query(`
      CREATE TABLE feed_prompts (
        prompt_id text PRIMARY KEY,
        account_id text NOT NULL,
        source_name text NOT NULL,
        source_image_url text,
        title text NOT NULL,
        detail text NOT NULL,
        url text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE feed_prompts`);
  }
}
