import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TeamApps1763769600040 implements MigrationInterface {
  name = 'TeamApps1763769600040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE team_apps (
        app_id text PRIMARY KEY,
        team_id text NOT NULL,
        added_by text NOT NULL,
        membership text NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON team_apps (team_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE team_apps`);
  }
}
