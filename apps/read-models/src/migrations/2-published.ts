import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Published1763683200002 implements MigrationInterface {
  name = 'Published1763683200002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE published_streams (
        name text PRIMARY KEY,
        incarnation text NOT NULL,
        position numeric(20) NOT NULL,
        last_sequence bigint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE published_streams`);
  }
}
