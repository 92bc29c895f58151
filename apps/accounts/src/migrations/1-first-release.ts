import type { Migration } from '@carillon/event-store';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    `CREATE TABLE accounts (
      account_id text PRIMARY KEY,
      email text,
      name text,
      timezone text,
      operator boolean NOT NULL,
      created_at timestamptz NOT NULL,
      email_verified boolean NOT NULL DEFAULT false,
      suspended boolean NOT NULL DEFAULT false
    )`,
    `CREATE TABLE tokens (
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
      created_at timestamptz NOT NULL,
      client_id text,
      client_host text,
      resource text
    )`,
    `CREATE INDEX ON tokens (account_id, created_at DESC, token_id DESC)`,
    `CREATE TABLE sessions (
      session_id text PRIMARY KEY,
      account_id text NOT NULL,
      kind text NOT NULL,
      access_hash text NOT NULL UNIQUE,
      access_expires_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      network_hash text,
      started_at timestamptz NOT NULL,
      last_used_at timestamptz NOT NULL,
      began numeric(20) NOT NULL,
      own_end timestamptz
    )`,
    `CREATE INDEX ON sessions (account_id, started_at DESC)`,
    `CREATE INDEX sessions_over ON sessions (coalesce(own_end, expires_at))`,
    // A change of the password ends the sessions that began before it, except one.
    `CREATE TABLE ended_sessions (
      account_id text PRIMARY KEY,
      kept_session_id text NOT NULL,
      before numeric(20) NOT NULL,
      ended_at timestamptz NOT NULL
    )`,
    `CREATE TABLE session_refreshes (
      refresh_hash text PRIMARY KEY,
      session_id text NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now()
    )`,
    `CREATE INDEX session_refreshes_made ON session_refreshes (made_at)`,
    // The browsers that an account has signed in from: a sign-in from another one is told by mail.
    `CREATE TABLE known_browsers (
      account_id text NOT NULL,
      browser_hash text NOT NULL,
      seen_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, browser_hash)
    )`,
    `CREATE INDEX known_browsers_seen ON known_browsers (seen_at)`,
    // Unlogged: after a crash all rates start again. The fill factor leaves space for updates within a block (HOT).
    `CREATE UNLOGGED TABLE rate_windows (
      key text PRIMARY KEY,
      window_ms bigint NOT NULL,
      most integer NOT NULL,
      window_start bigint NOT NULL,
      previous integer NOT NULL,
      count integer NOT NULL,
      granted integer NOT NULL
    ) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
    // Which gateways an account may have written through lately (ADR 62).
    `CREATE TABLE gateway_writes (
      account_id text,
      gateway text,
      until timestamptz NOT NULL,
      PRIMARY KEY (account_id, gateway)
    )`,
    // Unlogged like the counters: gateways renew their permits, so lost rows come back.
    `CREATE UNLOGGED TABLE wait_permits (
      token_id text PRIMARY KEY,
      holders jsonb NOT NULL,
      wanted integer NOT NULL,
      max_permits integer NOT NULL
    ) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
    // Written beside the log, once a minute for each token or session: fill factor as for all rows updated within a
    // block.
    `CREATE TABLE last_uses (id text PRIMARY KEY, used_at timestamptz NOT NULL) WITH (fillfactor = 70)`,
    // Codes, tokens, registered clients and consents under way of the authorization server (ADR 80). Not from the log.
    `CREATE TABLE oauth_artifacts (
      id_hash text PRIMARY KEY,
      kind text NOT NULL,
      payload jsonb NOT NULL,
      grant_id text,
      prefix text,
      consumed_at timestamptz,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL
    )`,
    `CREATE INDEX ON oauth_artifacts (grant_id, created_at DESC)`,
    `CREATE INDEX ON oauth_artifacts (expires_at)`,
  ],
};
