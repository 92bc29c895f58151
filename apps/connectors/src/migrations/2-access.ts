import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Access1766016000002 implements MigrationInterface {
  name = 'Access1766016000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE app_openings (
        app_id text NOT NULL,
        account_id text NOT NULL,
        opened_at timestamptz NOT NULL,
        PRIMARY KEY (app_id, account_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE app_openings`);
  }
}
