import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EmailVerified1763769600020 implements MigrationInterface {
  name = 'EmailVerified1763769600020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE people ADD COLUMN email_verified boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE people DROP COLUMN email_verified`);
  }
}
