import { membershipTables } from '@carillon/membership';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of the projection `web_app_views`. */
export class WebAppViews1766016000001 implements MigrationInterface {
  name = 'WebAppViews1766016000001';

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
    for (const statement of membershipTables({ teams: 'web_app_teams', members: 'web_app_members' }))
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE web_app_views, web_app_teams, web_app_members`);
  }
}
