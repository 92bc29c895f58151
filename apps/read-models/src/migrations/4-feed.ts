import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Feed1763683200004 implements MigrationInterface {
  name = 'Feed1763683200004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE feed_items (
        account_id text NOT NULL,
        created_at timestamptz NOT NULL,
        feed_id text NOT NULL,
        rank bigint NOT NULL,
        kind text NOT NULL,
        kind_rank bigint NOT NULL,
        source_name text NOT NULL,
        source_image_url text,
        title text NOT NULL,
        detail text,
        url text,
        result text,
        PRIMARY KEY (account_id, created_at, feed_id)
      )`);
    await runner.query(`CREATE INDEX ON feed_items (account_id, rank)`);
    await runner.query(`CREATE INDEX ON feed_items (account_id, kind, kind_rank)`);
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
