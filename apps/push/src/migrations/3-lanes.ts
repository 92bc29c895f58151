import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Lanes1763683200003 implements MigrationInterface {
  name = 'Lanes1763683200003';

  async up(runner: QueryRunner): Promise<void> {
    // The state of each live activity on each of its devices. Rows are deleted a day after the activity's deadline.
    await runner.query(`
      CREATE TABLE lanes (
        activity_id text NOT NULL,
        device_id text NOT NULL,
        account_id text NOT NULL,
        correlation_id text NOT NULL,
        lane jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        due_at timestamptz,
        held text,
        doubtful boolean NOT NULL DEFAULT false,
        owner integer,
        owned_until timestamptz,
        PRIMARY KEY (activity_id, device_id)
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`);
    await runner.query(`CREATE INDEX lanes_due ON lanes (due_at) WHERE owner IS NULL AND NOT doubtful`);
    await runner.query(`CREATE INDEX lanes_doubtful ON lanes (activity_id) WHERE doubtful`);
    await runner.query(`CREATE INDEX lanes_owned ON lanes (owner) WHERE owner IS NOT NULL`);
    await runner.query(`CREATE INDEX lanes_held ON lanes (held) WHERE held IS NOT NULL`);
    await runner.query(`CREATE INDEX lanes_device ON lanes (device_id)`);
    await runner.query(`CREATE INDEX lanes_expiry ON lanes (expires_at)`);
    // The device data that lanes need, in log order, and when each device may start one more activity.
    await runner.query(`
      CREATE TABLE lane_devices (
        device_id text PRIMARY KEY,
        platform text NOT NULL,
        live_activities boolean NOT NULL,
        next_turn_at timestamptz NOT NULL DEFAULT '-infinity',
        last_start_at timestamptz NOT NULL DEFAULT '-infinity'
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE lanes, lane_devices`);
  }
}
