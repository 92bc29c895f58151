import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Accounts1763683200001 implements MigrationInterface {
  name = 'Accounts1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE accounts (
        account_id text PRIMARY KEY,
        email text,
        name text,
        timezone text,
        operator boolean NOT NULL,
        created_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE tokens (
        token_id text PRIMARY KEY,
        account_id text NOT NULL,
        kind text NOT NULL,
        name text,
        prefix text NOT NULL,
        secret_hash text NOT NULL UNIQUE,
        scopes jsonb NOT NULL,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON tokens (account_id, created_at DESC, token_id DESC)`);
    await runner.query(`
      CREATE TABLE sessions (
        session_id text PRIMARY KEY,
        account_id text NOT NULL,
        kind text NOT NULL,
        access_hash text NOT NULL UNIQUE,
        access_expires_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        network_hash text,
        started_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        ended_at timestamptz
      )`);
    await runner.query(`CREATE INDEX ON sessions (account_id, started_at DESC)`);
    await runner.query(`
      CREATE TABLE session_refreshes (refresh_hash text PRIMARY KEY, session_id text NOT NULL)`);
    // Unlogged: after a crash all rates start again. The fill factor leaves space for updates within a block (HOT).
    await runner.query(`
      CREATE UNLOGGED TABLE rate_windows (
        key text PRIMARY KEY,
        window_ms bigint NOT NULL,
        most integer NOT NULL,
        window_start bigint NOT NULL,
        previous integer NOT NULL,
        count integer NOT NULL,
        granted integer NOT NULL
      ) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE accounts, tokens, sessions, session_refreshes, rate_windows`);
  }
}
