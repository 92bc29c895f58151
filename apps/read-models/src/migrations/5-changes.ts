import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Changes1763683200005 implements MigrationInterface {
  name = 'Changes1763683200005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE changes (
        account_id text NOT NULL,
        position bigint NOT NULL,
        kind text NOT NULL,
        subject_id text,
        project_id text,
        at timestamptz NOT NULL,
        PRIMARY KEY (account_id, position)
      )`);
    // Rows are inserted in the order of time, so a BRIN index of a few bytes per page finds the old ones.
    await runner.query(`CREATE INDEX ON changes USING brin (at) WITH (pages_per_range = 16)`);
    await runner.query(`CREATE TABLE changes_dropped (one boolean PRIMARY KEY, position bigint NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE changes, changes_dropped`);
  }
}
