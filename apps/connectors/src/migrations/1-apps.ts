import { membershipTables } from '@carillon/membership';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Apps1766016000001 implements MigrationInterface {
  name = 'Apps1766016000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE apps (
        app_id text PRIMARY KEY,
        added_by text NOT NULL,
        name text,
        url text,
        origin text,
        icon_url text,
        project_id text,
        project_name text,
        team_id text,
        membership text NOT NULL,
        moves integer NOT NULL,
        added_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON apps (added_by)`);
    await runner.query(`CREATE INDEX ON apps (team_id)`);
    await runner.query(`
      CREATE TABLE app_consents (
        app_id text NOT NULL,
        account_id text NOT NULL,
        share_name boolean NOT NULL,
        share_email boolean NOT NULL,
        membership text NOT NULL,
        given_at timestamptz NOT NULL,
        PRIMARY KEY (app_id, account_id)
      )`);
    for (const statement of membershipTables({ teams: 'app_teams', members: 'app_members' }))
      await runner.query(statement);
    await runner.query(`ALTER TABLE app_teams ADD COLUMN name text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE apps, app_consents, app_teams, app_members`);
  }
}
