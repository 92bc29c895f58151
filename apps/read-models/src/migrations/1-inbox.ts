import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Inbox1763683200001 implements MigrationInterface {
  name = 'Inbox1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE inbox_items (
        account_id text NOT NULL,
        item_id text NOT NULL,
        subject_id text NOT NULL,
        origin text NOT NULL,
        project_id text NOT NULL DEFAULT '',
        source_name text NOT NULL,
        source_image_url text,
        title text NOT NULL,
        preview text NOT NULL,
        body text NOT NULL,
        summary text,
        body_format text NOT NULL,
        url text,
        image_url text,
        status text,
        receipts jsonb NOT NULL DEFAULT '[]',
        read_at timestamptz,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, item_id)
      )`);
    await runner.query(`CREATE INDEX ON inbox_items (account_id, created_at DESC, item_id DESC)`);
    await runner.query(
      `CREATE INDEX ON inbox_items (account_id, created_at DESC, item_id DESC) WHERE read_at IS NULL`,
    );
    await runner.query(`CREATE INDEX ON inbox_items (account_id, project_id, created_at DESC, item_id DESC)`);
    await runner.query(`CREATE INDEX ON inbox_items (subject_id)`);
    await runner.query(`
      CREATE TABLE inbox_projects (
        account_id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        unread_count bigint NOT NULL DEFAULT 0,
        total_count bigint NOT NULL DEFAULT 0,
        latest_item_id text,
        latest_title text,
        latest_preview text,
        latest_image_url text,
        latest_at timestamptz,
        PRIMARY KEY (account_id, project_id)
      )`);
    await runner.query(`CREATE TABLE inbox_marks (account_id text PRIMARY KEY, revision bigint NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE inbox_items, inbox_projects, inbox_marks`);
  }
}
