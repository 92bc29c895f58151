import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Pages1763769600030 implements MigrationInterface {
  name = 'Pages1763769600030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pages (
        page_id text PRIMARY KEY,
        group_id text NOT NULL,
        team_id text NOT NULL,
        status text NOT NULL,
        notified text[] NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL,
        resolved_at timestamptz
      )`);
    await runner.query(`CREATE INDEX ON pages (team_id, created_at DESC, page_id DESC)`);
    await runner.query(`CREATE INDEX ON pages (group_id) WHERE status <> 'resolved'`);
    await runner.query(`CREATE INDEX ON pages USING gin (notified) WHERE status <> 'resolved'`);
    // The pushes of the newest step of each page whose step no device has accepted yet.
    await runner.query(`
      CREATE TABLE page_pushes (push_id text PRIMARY KEY, page_id text NOT NULL, step int NOT NULL)`);
    await runner.query(`CREATE INDEX ON page_pushes (page_id)`);
    // Deleted teams and groups, and accounts that left a team: a page may be created concurrently.
    await runner.query(`
      CREATE TABLE gone_from_teams (team_id text, what text, id text, PRIMARY KEY (team_id, what, id))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE pages, page_pushes, gone_from_teams`);
  }
}
