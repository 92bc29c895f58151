import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LastUses1763683200006 implements MigrationInterface {
  name = 'LastUses1763683200006';

  async up(runner: QueryRunner): Promise<void> {
    // Written beside the log, once a minute for each token or session: fill factor as for all rows updated within a
    // block.
    await runner.query(`
      CREATE TABLE last_uses (id text PRIMARY KEY, used_at timestamptz NOT NULL) WITH (fillfactor = 70)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE last_uses`);
  }
}
