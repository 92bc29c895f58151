import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns take the names that the code has for them. */
export class Ranks1763683200009 implements MigrationInterface {
  name = 'Ranks1763683200009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE feed_items RENAME COLUMN place TO rank`);
    await runner.query(`ALTER TABLE feed_items RENAME COLUMN kind_rank TO kind_rank`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE feed_items RENAME COLUMN kind_rank TO kind_rank`);
    await runner.query(`ALTER TABLE feed_items RENAME COLUMN rank TO place`);
  }
}
