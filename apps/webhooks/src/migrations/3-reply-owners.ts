import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReplyOwners1763683200003 implements MigrationInterface {
  name = 'ReplyOwners1763683200003';

  /** Rows get the columns of a lease; `retry_at` is the time of a retry. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE replies DROP COLUMN lease, DROP COLUMN leased_until, ADD COLUMN owner integer,
        ADD COLUMN owned_until timestamptz, ADD COLUMN retry_at timestamptz`);
    await runner.query(`CREATE INDEX replies_owned ON replies (owner) WHERE owner IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX replies_owned`);
    await runner.query(`
      ALTER TABLE replies DROP COLUMN retry_at, DROP COLUMN owned_until, DROP COLUMN owner, ADD COLUMN lease text,
        ADD COLUMN leased_until timestamptz`);
  }
}
