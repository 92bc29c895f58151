import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns take the names that the code has for them. */
export class Words1763683200004 implements MigrationInterface {
  name = 'Words1763683200004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions RENAME COLUMN place TO network_hash`);
    await runner.query(`ALTER TABLE wait_permits RENAME COLUMN most TO max_permits`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE wait_permits RENAME COLUMN max_permits TO most`);
    await runner.query(`ALTER TABLE sessions RENAME COLUMN network_hash TO place`);
  }
}
