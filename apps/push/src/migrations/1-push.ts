import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Push1763683200001 implements MigrationInterface {
  name = 'Push1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE devices (
        device_id text PRIMARY KEY,
        account_id text NOT NULL,
        platform text NOT NULL,
        device_name text,
        active boolean NOT NULL,
        inactive_reason text,
        push_token text,
        push_token_hash text,
        push_environment text NOT NULL,
        token_since timestamptz NOT NULL,
        push_to_start_token text,
        push_to_start_environment text,
        push_to_start_since timestamptz,
        live_activities_capable boolean NOT NULL,
        interactive_live_activities_capable boolean NOT NULL,
        created_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON devices (account_id, last_seen_at DESC, device_id DESC)`);
    await runner.query(`CREATE INDEX ON devices (account_id) INCLUDE (device_id) WHERE active`);
    await runner.query(`CREATE INDEX ON devices (push_token_hash)`);
    // Unfinished deliveries: a row is deleted when its push is reported, so rows are inserted and deleted constantly.
    await runner.query(`
      CREATE TABLE deliveries (
        subject_id text NOT NULL,
        device_id text NOT NULL,
        delivery_id text NOT NULL,
        account_id text NOT NULL,
        source text NOT NULL,
        position numeric(20) NOT NULL,
        targets smallint NOT NULL,
        expires_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'waiting',
        error_code text,
        checked_at timestamptz,
        due_at timestamptz NOT NULL,
        held text,
        failures integer NOT NULL DEFAULT 0,
        throttles integer NOT NULL DEFAULT 0,
        ambiguous boolean NOT NULL DEFAULT false,
        doubtful boolean NOT NULL DEFAULT false,
        owner integer,
        owned_until timestamptz,
        PRIMARY KEY (subject_id, device_id)
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`);
    await runner.query(
      `CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'waiting' AND owner IS NULL`,
    );
    await runner.query(`CREATE INDEX deliveries_settled ON deliveries (subject_id) WHERE state <> 'waiting'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE devices, deliveries`);
  }
}
