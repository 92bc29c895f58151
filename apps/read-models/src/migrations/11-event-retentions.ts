import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EventRetentions1766016000011 implements MigrationInterface {
  name = 'EventRetentions1766016000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE events ADD COLUMN family_id text`);
    await runner.query(`CREATE INDEX ON events (created_at)`);
    await runner.query(`CREATE INDEX ON events (family_id, created_at) WHERE family_id IS NOT NULL`);
    await runner.query(`CREATE TABLE event_retentions (family_id text PRIMARY KEY, days integer NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE event_retentions`);
    await runner.query(`ALTER TABLE events DROP COLUMN family_id`);
  }
}
