import type { MigrationInterface, QueryRunner } from 'typeorm';

class ProjectionCheckpoints1700000000001 implements MigrationInterface {
  readonly name = 'ProjectionCheckpoints1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projection_checkpoints (
        name text PRIMARY KEY,
        position numeric(20) NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE projection_checkpoints`);
  }
}

class Timers1700000000002 implements MigrationInterface {
  readonly name = 'Timers1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE timers (
        key text PRIMARY KEY,
        due_at timestamptz NOT NULL,
        command jsonb NOT NULL,
        lease text,
        lease_until timestamptz,
        attempts integer NOT NULL DEFAULT 0
      )`);
    await runner.query(`CREATE INDEX timers_due ON timers (due_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE timers`);
  }
}

/** Several queues in one table, with leases as in all queues. */
class TimerQueues1700000000003 implements MigrationInterface {
  readonly name = 'TimerQueues1700000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE timers DROP COLUMN lease, DROP COLUMN lease_until, ADD COLUMN owner integer,
        ADD COLUMN owned_until timestamptz, ADD COLUMN retry_at timestamptz, ADD COLUMN queue text`);
    // Before this migration a service had at most one queue.
    await runner.query(`
      UPDATE timers SET queue = CASE current_schema() WHEN 'interactions' THEN 'expiry' WHEN 'activities' THEN 'orders'
        WHEN 'notifications' THEN 'deleted_webhooks' WHEN 'webhooks' THEN 'disabled_notices' ELSE current_schema() END`);
    await runner.query(`ALTER TABLE timers ALTER COLUMN queue SET NOT NULL`);
    await runner.query(`ALTER TABLE timers DROP CONSTRAINT timers_pkey, ADD PRIMARY KEY (queue, key)`);
    await runner.query(`DROP INDEX timers_due`);
    await runner.query(`CREATE INDEX timers_due ON timers (queue, due_at) WHERE owner IS NULL`);
    await runner.query(`CREATE INDEX timers_owned ON timers (owner) WHERE owner IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX timers_owned`);
    await runner.query(`DROP INDEX timers_due`);
    await runner.query(`ALTER TABLE timers DROP CONSTRAINT timers_pkey, ADD PRIMARY KEY (key)`);
    await runner.query(`
      ALTER TABLE timers DROP COLUMN queue, DROP COLUMN retry_at, DROP COLUMN owned_until, DROP COLUMN owner,
        ADD COLUMN lease text, ADD COLUMN lease_until timestamptz`);
    await runner.query(`CREATE INDEX timers_due ON timers (due_at)`);
  }
}

class SetAside1700000000004 implements MigrationInterface {
  readonly name = 'SetAside1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE set_aside (
        projection text,
        account_id text,
        applied numeric(20) NOT NULL,
        position numeric(20) NOT NULL,
        event_type text NOT NULL,
        error text NOT NULL,
        since timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (projection, account_id)
      )`);
    await runner.query(`ALTER TABLE projection_checkpoints ADD COLUMN set_aside_version uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projection_checkpoints DROP COLUMN set_aside_version`);
    await runner.query(`DROP TABLE set_aside`);
  }
}

/** The migrations of every service's schema. `Database.open` runs them before the service's own. */
export const baseMigrations = [
  ProjectionCheckpoints1700000000001,
  Timers1700000000002,
  TimerQueues1700000000003,
  SetAside1700000000004,
];
