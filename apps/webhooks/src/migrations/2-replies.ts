import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Replies1763683200002 implements MigrationInterface {
  name = 'Replies1763683200002';

  async up(runner: QueryRunner): Promise<void> {
    // The state of each delivery from the log, and its lease. `due_at` is null when nothing more is due; `cancel` is
    // the reason of a pending cancellation, whose event is not in the delivery's stream yet.
    await runner.query(`
      CREATE TABLE replies (
        delivery_id text PRIMARY KEY,
        webhook_id text NOT NULL,
        account_id text NOT NULL,
        interaction_id text,
        message_id text NOT NULL,
        reply_type text NOT NULL,
        sequence bigint,
        status text NOT NULL,
        attempts integer NOT NULL,
        response_code integer,
        latency_ms integer,
        error text,
        attempt_log jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        delivered_at timestamptz,
        due_at timestamptz,
        cancel text,
        resends integer NOT NULL DEFAULT 0,
        lease text,
        leased_until timestamptz
      )`);
    await runner.query(`CREATE INDEX ON replies (webhook_id, created_at DESC, delivery_id DESC)`);
    await runner.query(`CREATE INDEX replies_due ON replies (webhook_id, due_at) WHERE due_at IS NOT NULL`);
    await runner.query(`CREATE INDEX ON replies (created_at) WHERE due_at IS NULL`);
    await runner.query(`
      CREATE TABLE failing_webhooks (
        webhook_id text PRIMARY KEY,
        since timestamptz NOT NULL,
        last_failed_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE replies, failing_webhooks`);
  }
}
