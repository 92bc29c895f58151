import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Read marks of many items become rows of their own. Items that were marked one by one keep their `read_at`. */
export class ReadMarks1766620800013 implements MigrationInterface {
  name = 'ReadMarks1766620800013';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['inbox_marks', 'inbox_projects'])
      await runner.query(`
        ALTER TABLE ${table}
          ADD COLUMN through_at timestamptz NOT NULL DEFAULT '-infinity',
          ADD COLUMN through_id text NOT NULL DEFAULT ''`);
    await runner.query(`ALTER TABLE inbox_marks ADD COLUMN cleared_revision bigint NOT NULL DEFAULT -1`);
    await runner.query(`ALTER TABLE inbox_projects ADD COLUMN counted_revision bigint NOT NULL DEFAULT -1`);
    // All that read-all ever marked, for the time at which an item was read; project_id is null for all projects.
    await runner.query(`
      CREATE TABLE inbox_reads (
        account_id text NOT NULL,
        revision bigint NOT NULL,
        project_id text,
        through_at timestamptz NOT NULL,
        through_id text NOT NULL,
        read_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, revision)
      )`);
    await runner.query(`CREATE INDEX ON inbox_reads (account_id, project_id, through_at, through_id)`);
    // Items up to such a mark that have a state of their own.
    await runner.query(`
      CREATE TABLE inbox_exceptions (
        account_id text NOT NULL,
        item_id text NOT NULL,
        project_id text NOT NULL,
        created_at timestamptz NOT NULL,
        read_at timestamptz,
        PRIMARY KEY (account_id, item_id)
      )`);
    await runner.query(
      `CREATE INDEX ON inbox_exceptions (account_id, created_at DESC, item_id DESC) WHERE read_at IS NULL`,
    );
    // Counts read the index alone, also by project.
    await runner.query(`DROP INDEX inbox_items_account_id_created_at_item_id_idx1`);
    await runner.query(
      `CREATE INDEX ON inbox_items (account_id, created_at DESC, item_id DESC) INCLUDE (project_id)
       WHERE read_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX ON inbox_items (account_id, project_id, created_at DESC, item_id DESC)
       WHERE read_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE inbox_reads, inbox_exceptions`);
    await runner.query(
      `ALTER TABLE inbox_marks DROP COLUMN through_at, DROP COLUMN through_id, DROP COLUMN cleared_revision`,
    );
    await runner.query(
      `ALTER TABLE inbox_projects DROP COLUMN through_at, DROP COLUMN through_id, DROP COLUMN counted_revision`,
    );
    await runner.query(`DROP INDEX inbox_items_account_id_project_id_created_at_item_id_idx1`);
    await runner.query(`DROP INDEX inbox_items_account_id_created_at_item_id_project_id_idx`);
    await runner.query(
      `CREATE INDEX ON inbox_items (account_id, created_at DESC, item_id DESC) WHERE read_at IS NULL`,
    );
  }
}
