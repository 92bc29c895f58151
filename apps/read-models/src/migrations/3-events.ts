import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Events1763683200003 implements MigrationInterface {
  name = 'Events1763683200003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE events (
        event_id text PRIMARY KEY,
        account_id text NOT NULL,
        service_id text NOT NULL,
        service_title text NOT NULL,
        title text,
        body text NOT NULL,
        image_url text,
        url text,
        status text NOT NULL,
        delivered_count integer NOT NULL DEFAULT 0,
        error text,
        created_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON events (account_id, created_at DESC, event_id DESC)`);
    await runner.query(`CREATE INDEX ON events (account_id, service_id, created_at DESC, event_id DESC)`);
    await runner.query(`CREATE INDEX ON events (account_id, status, created_at DESC, event_id DESC)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE events`);
  }
}
