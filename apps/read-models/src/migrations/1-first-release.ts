import { type Migration, partitioned } from '@carillon/event-store';
import { webAppViewTables } from '@carillon/web-app-views';

export const firstRelease: Migration = {
  name: 'FirstRelease1795564800001',
  phase: 'expand',
  statements: [
    // Copies of accounts other than the sender have no receipts. Items, events and feed items name the sender when it
    // is another account, so that its deletion clears their text; items name the web app that a tap opens.
    `CREATE TABLE inbox_items (
      account_id text NOT NULL,
      item_id text NOT NULL,
      subject_id text NOT NULL,
      origin text NOT NULL,
      project_id text NOT NULL DEFAULT '',
      source_name text NOT NULL,
      source_image_url text,
      title text NOT NULL,
      preview text NOT NULL,
      body text NOT NULL,
      summary text,
      body_format text NOT NULL,
      url text,
      image_url text,
      status text,
      receipts jsonb DEFAULT '[]',
      read_at timestamptz,
      created_at timestamptz NOT NULL,
      app_id text,
      sender_id text,
      PRIMARY KEY (account_id, item_id)
    )`,
    `CREATE INDEX ON inbox_items (account_id, created_at DESC, item_id DESC)`,
    `CREATE INDEX ON inbox_items (account_id, project_id, created_at DESC, item_id DESC)`,
    // Counts read the index alone, also by project.
    `CREATE INDEX ON inbox_items (account_id, created_at DESC, item_id DESC) INCLUDE (project_id)
     WHERE read_at IS NULL`,
    `CREATE INDEX ON inbox_items (account_id, project_id, created_at DESC, item_id DESC) WHERE read_at IS NULL`,
    `CREATE INDEX ON inbox_items (subject_id)`,
    // The oldest items leave first. An expression, so that no list is read from here past the items of other accounts.
    `CREATE INDEX ON inbox_items ((created_at AT TIME ZONE 'UTC'))`,
    `CREATE INDEX inbox_items_sender ON inbox_items (sender_id) WHERE sender_id IS NOT NULL AND body <> ''`,
    // Where the name came from another account, its deletion clears it.
    `CREATE TABLE inbox_projects (
      account_id text NOT NULL,
      project_id text NOT NULL,
      name text NOT NULL,
      named_by text,
      unread_count bigint NOT NULL DEFAULT 0,
      total_count bigint NOT NULL DEFAULT 0,
      latest_item_id text,
      latest_at timestamptz,
      through_at timestamptz NOT NULL DEFAULT '-infinity',
      through_id text NOT NULL DEFAULT '',
      counted_revision bigint NOT NULL DEFAULT -1,
      prompted_at timestamptz,
      PRIMARY KEY (account_id, project_id)
    )`,
    `CREATE INDEX ON inbox_projects (prompted_at) WHERE prompted_at IS NOT NULL`,
    `CREATE INDEX ON inbox_projects (named_by) WHERE named_by IS NOT NULL`,
    // Read marks of many items are rows of their own. Items that were marked one by one have a `read_at`.
    `CREATE TABLE inbox_marks (
      account_id text PRIMARY KEY,
      revision bigint NOT NULL,
      through_at timestamptz NOT NULL DEFAULT '-infinity',
      through_id text NOT NULL DEFAULT '',
      cleared_revision bigint NOT NULL DEFAULT -1
    )`,
    // All that read-all ever marked, for the time at which an item was read; project_id is null for all projects.
    `CREATE TABLE inbox_reads (
      account_id text NOT NULL,
      revision bigint NOT NULL,
      project_id text,
      through_at timestamptz NOT NULL,
      through_id text NOT NULL,
      read_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, revision)
    )`,
    `CREATE INDEX ON inbox_reads (account_id, project_id, through_at, through_id)`,
    `CREATE INDEX ON inbox_reads (through_at)`,
    // Items up to such a mark that have a state of their own.
    `CREATE TABLE inbox_exceptions (
      account_id text NOT NULL,
      item_id text NOT NULL,
      project_id text NOT NULL,
      created_at timestamptz NOT NULL,
      read_at timestamptz,
      PRIMARY KEY (account_id, item_id)
    )`,
    `CREATE INDEX ON inbox_exceptions (account_id, created_at DESC, item_id DESC) WHERE read_at IS NULL`,
    `CREATE INDEX ON inbox_exceptions (account_id, project_id, created_at DESC, item_id DESC) WHERE read_at IS NULL`,
    `CREATE TABLE published_streams (
      name text PRIMARY KEY,
      incarnation text NOT NULL,
      position numeric(20) NOT NULL,
      last_sequence bigint NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT now()
    )`,
    // How far the log was cut, and the time of the event that comes next.
    `CREATE TABLE log_cleanup (
      name text PRIMARY KEY,
      position numeric(20) NOT NULL,
      next_at timestamptz,
      updated_at timestamptz NOT NULL DEFAULT now()
    )`,
    // Several accounts may have a copy of an event.
    ...partitioned(
      `CREATE TABLE events (
        event_id text,
        account_id text NOT NULL,
        service_id text NOT NULL,
        service_title text NOT NULL,
        title text,
        body text NOT NULL,
        image_url text,
        url text,
        status text NOT NULL,
        delivered_count integer NOT NULL DEFAULT 0,
        error text,
        created_at timestamptz NOT NULL,
        family_id text,
        sender_id text,
        PRIMARY KEY (event_id, account_id, created_at)
      )`,
      'events',
      'created_at',
    ),
    `CREATE INDEX ON events (account_id, created_at DESC, event_id DESC)`,
    `CREATE INDEX ON events (account_id, service_id, created_at DESC, event_id DESC)`,
    `CREATE INDEX ON events (account_id, status, created_at DESC, event_id DESC)`,
    `CREATE INDEX ON events (family_id, created_at) WHERE family_id IS NOT NULL`,
    `CREATE INDEX events_sender ON events (sender_id) WHERE sender_id IS NOT NULL`,
    `CREATE TABLE event_retentions (family_id text PRIMARY KEY, days integer NOT NULL)`,
    `CREATE TABLE feed_items (
      account_id text NOT NULL,
      created_at timestamptz NOT NULL,
      feed_id text NOT NULL,
      rank bigint NOT NULL,
      kind text NOT NULL,
      kind_rank bigint NOT NULL,
      source_name text NOT NULL,
      source_image_url text,
      title text NOT NULL,
      detail text,
      url text,
      result text,
      sender_id text,
      late boolean NOT NULL DEFAULT false,
      PRIMARY KEY (account_id, kind, created_at, feed_id)
    )`,
    `CREATE INDEX ON feed_items (account_id, rank)`,
    // Lines that are not in their places yet.
    `CREATE INDEX feed_items_late ON feed_items (account_id, created_at, feed_id) WHERE late`,
    `CREATE INDEX ON feed_items (account_id, kind, kind_rank)`,
    // The oldest lines leave first. An expression, so that no account's oldest line is looked for among those of all.
    `CREATE INDEX ON feed_items ((created_at AT TIME ZONE 'UTC'))`,
    `CREATE INDEX feed_items_sender ON feed_items (sender_id) WHERE sender_id IS NOT NULL`,
    `CREATE TABLE feed_totals (
      account_id text NOT NULL,
      kind text NOT NULL,
      total bigint NOT NULL,
      latest_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, kind)
    )`,
    // Prompts that have not ended, as the feed of each reader will show them when they do.
    `CREATE TABLE feed_prompts (
      prompt_id text NOT NULL,
      account_id text NOT NULL,
      reader_id text NOT NULL,
      source_name text NOT NULL,
      source_image_url text,
      title text NOT NULL,
      detail text NOT NULL,
      url text,
      PRIMARY KEY (prompt_id, reader_id)
    )`,
    // Live activities that are not over, as the feed of each reader will show them when they are.
    `CREATE TABLE feed_activities (
      activity_id text NOT NULL,
      account_id text NOT NULL,
      reader_id text NOT NULL,
      source_name text NOT NULL,
      title text NOT NULL,
      detail text,
      url text,
      PRIMARY KEY (activity_id, reader_id)
    )`,
    ...partitioned(
      `CREATE TABLE changes (
        account_id text NOT NULL,
        position bigint NOT NULL,
        kind text NOT NULL,
        subject_id text,
        project_id text,
        at timestamptz NOT NULL,
        PRIMARY KEY (account_id, position, at)
      )`,
      'changes',
      'at',
    ),
    `CREATE TABLE changes_dropped (one boolean PRIMARY KEY, position bigint NOT NULL)`,
    ...webAppViewTables,
  ],
};
