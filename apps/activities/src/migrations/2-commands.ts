import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The idempotency keys of changes are now stored in the log. */
export class Commands1763683200002 implements MigrationInterface {
  name = 'Commands1763683200002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE activity_commands`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE activity_commands (
        hash text PRIMARY KEY,
        activity_id text NOT NULL,
        used_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON activity_commands (used_at)`);
  }
}
