import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EmailVerified1763683200005 implements MigrationInterface {
  name = 'EmailVerified1763683200005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN email_verified boolean NOT NULL DEFAULT false`);
    // Until now only the first account is an operator, whose address counts.
    await runner.query(`UPDATE accounts SET email_verified = operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts DROP COLUMN email_verified`);
  }
}
