import type { Migration } from './migrate';

/** The migrations of every service's schema. `Database.open` runs them before the service's own. */
export const baseMigrations: readonly Migration[] = [
  {
    name: 'Base1795564800000',
    phase: 'expand',
    statements: [
      `CREATE TABLE projection_checkpoints (
        name text,
        partition integer DEFAULT 0,
        position numeric(20) NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        set_aside_version uuid,
        rows_version integer NOT NULL DEFAULT 1,
        is_complete boolean NOT NULL DEFAULT false,
        is_addition boolean NOT NULL DEFAULT false,
        PRIMARY KEY (name, partition)
      )`,
      // Unlogged: after a crash of Postgres all leases are over.
      `CREATE UNLOGGED TABLE leases (
        name text PRIMARY KEY,
        holder uuid NOT NULL,
        until timestamptz NOT NULL
      )`,
      // Several queues in one table, with leases as in all queues.
      `CREATE TABLE timers (
        key text,
        due_at timestamptz NOT NULL,
        command jsonb NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        owner integer,
        owned_until timestamptz,
        taken_at timestamptz,
        retry_at timestamptz,
        queue text,
        PRIMARY KEY (queue, key)
      )`,
      `CREATE INDEX timers_due ON timers (queue, due_at) WHERE owner IS NULL`,
      `CREATE INDEX timers_owned ON timers (owner) WHERE owner IS NOT NULL`,
      `CREATE TABLE set_aside (
        projection text,
        account_id text,
        partition integer DEFAULT 0,
        applied numeric(20) NOT NULL,
        position numeric(20) NOT NULL,
        event_type text NOT NULL,
        error text NOT NULL,
        since timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (projection, account_id, partition)
      )`,
    ],
  },
];
