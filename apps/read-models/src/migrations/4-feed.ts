import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Feed1763683200004 implements MigrationInterface {
  name = 'Feed1763683200004';

  async up(runner: QueryRunner): Promise<void> {
    // Rows are only ever added. A far page walks along an index alone, which needs the table's visibility map fresh.
    await runner.query(`
      CREATE TABLE feed_items (
        feed_id text PRIMARY KEY,
        account_id text NOT NULL,
        kind text NOT NULL,
        source_name text NOT NULL,
        source_image_url text,
        title text NOT NULL,
        detail text,
        url text,
        result text,
        created_at timestamptz NOT NULL
      ) WITH (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 5000)`);
    await runner.query(`CREATE INDEX ON feed_items (account_id, created_at DESC, feed_id DESC)`);
    await runner.query(`CREATE INDEX ON feed_items (account_id, kind, created_at DESC, feed_id DESC)`);
    await runner.query(`
      CREATE TABLE feed_totals (
        account_id text NOT NULL,
        kind text NOT NULL,
        total bigint NOT NULL,
        PRIMARY KEY (account_id, kind)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE feed_items, feed_totals`);
  }
}
