import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WaitPermits1763683200002 implements MigrationInterface {
  name = 'WaitPermits1763683200002';

  /** Unlogged like the counters: gateways renew their permits, so lost rows come back. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE wait_permits (
        token_id text PRIMARY KEY,
        holders jsonb NOT NULL,
        wanted integer NOT NULL,
        max_permits integer NOT NULL
      ) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE wait_permits`);
  }
}
