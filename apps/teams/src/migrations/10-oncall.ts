import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Oncall1763769600010 implements MigrationInterface {
  name = 'Oncall1763769600010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE oncall_groups (group_id text PRIMARY KEY, team_id text NOT NULL)`);
    await runner.query(`CREATE INDEX ON oncall_groups (team_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE oncall_groups`);
  }
}
