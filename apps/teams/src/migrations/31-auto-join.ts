import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AutoJoin1763769600031 implements MigrationInterface {
  name = 'AutoJoin1763769600031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE verified_domains (team_id text PRIMARY KEY, domain text NOT NULL)`);
    await runner.query(`CREATE INDEX ON verified_domains (domain)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE verified_domains`);
  }
}
