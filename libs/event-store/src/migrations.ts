import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ProjectionCheckpoints1700000000001 implements MigrationInterface {
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

export class Timers1700000000002 implements MigrationInterface {
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

/** What every service's schema has. `Database.open` runs them before the service's own. */
export const baseMigrations = [ProjectionCheckpoints1700000000001, Timers1700000000002];
