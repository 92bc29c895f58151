import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeadLetters1763683200004 implements MigrationInterface {
  name = 'DeadLetters1763683200004';

  async up(runner: QueryRunner): Promise<void> {
    // Results of pushes that the log rejects as too large. An operator has to inspect them.
    await runner.query(`
      CREATE TABLE dead_letters (
        subject_id text PRIMARY KEY,
        account_id text NOT NULL,
        reason text NOT NULL,
        content jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dead_letters`);
  }
}
