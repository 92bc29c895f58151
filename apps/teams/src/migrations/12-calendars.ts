import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Calendars1763769600012 implements MigrationInterface {
  name = 'Calendars1763769600012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oncall_calendars (
        hash text PRIMARY KEY,
        account_id text NOT NULL,
        group_id text
      )`);
    await runner.query(`CREATE INDEX ON oncall_calendars (account_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE oncall_calendars`);
  }
}
