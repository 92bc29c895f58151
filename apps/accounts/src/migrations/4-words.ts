import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns take the names that the code has for them. */
export class Words1763683200004 implements MigrationInterface {
  name = 'Words1763683200004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions RENAME COLUMN place TO network_hash`);
    await runner.query(`ALTER TABLE wait_places RENAME COLUMN most TO max_places`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE wait_places RENAME COLUMN max_places TO most`);
    await runner.query(`ALTER TABLE sessions RENAME COLUMN network_hash TO place`);
  }
}
