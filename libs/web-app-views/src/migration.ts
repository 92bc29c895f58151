import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of a service that shows web apps. */
export class WebAppViews1766016000001 implements MigrationInterface {
  name = 'ShownApps1766016000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE web_app_views (
        app_id text PRIMARY KEY,
        added_by text NOT NULL,
        team_id text,
        name text,
        origin text,
        icon_url text
      )`);
    await runner.query(`
      CREATE TABLE web_app_members (
        team_id text NOT NULL,
        account_id text NOT NULL,
        PRIMARY KEY (team_id, account_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE web_app_views, web_app_members`);
  }
}
