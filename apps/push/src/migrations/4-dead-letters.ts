import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeadLetters1763683200004 implements MigrationInterface {
  name = 'DeadLetters1763683200004';

  async up(runner: QueryRunner): Promise<void> {
    // What became of pushes and the log will never take. Somebody has to look at it; nothing reads it.
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
