import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Groups1763769600004 implements MigrationInterface {
  name = 'Groups1763769600004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE device_groups (group_id text PRIMARY KEY, team_id text NOT NULL)`);
    await runner.query(`CREATE INDEX ON device_groups (team_id)`);
    await runner.query(`
      CREATE TABLE keyed_groups (
        tail text PRIMARY KEY,
        fingerprint text NOT NULL,
        made_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON keyed_groups (made_at)`);
    await runner.query(`
      CREATE TABLE group_devices (
        group_id text NOT NULL,
        device_id text NOT NULL,
        team_id text NOT NULL,
        account_id text NOT NULL,
        removals int NOT NULL,
        PRIMARY KEY (group_id, device_id)
      )`);
    await runner.query(`CREATE INDEX ON group_devices (device_id)`);
    await runner.query(`CREATE INDEX ON group_devices (team_id)`);
    await runner.query(`
      CREATE TABLE devices (
        device_id text PRIMARY KEY,
        name text,
        removals int NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE device_groups, keyed_groups, group_devices, devices`);
  }
}
