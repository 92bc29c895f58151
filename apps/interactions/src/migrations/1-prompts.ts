import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Prompts1763683200001 implements MigrationInterface {
  name = 'Prompts1763683200001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE prompts (
        interaction_id text PRIMARY KEY,
        account_id text NOT NULL,
        kind text NOT NULL,
        presentation text NOT NULL,
        status text NOT NULL,
        title text,
        prompt text,
        choices jsonb,
        primary_label text,
        secondary_label text,
        image_url text,
        url text,
        action_digest text NOT NULL,
        source_name text,
        source_image_url text,
        project_id text,
        response text,
        responding_user_id text,
        responding_device_id text,
        live_activity_id text,
        accepted integer NOT NULL,
        accepted_by text[] NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        responded_at timestamptz,
        canceled_at timestamptz
      )`);
    await runner.query(`CREATE INDEX ON prompts (account_id, created_at DESC, interaction_id DESC)`);
    await runner.query(
      `CREATE INDEX ON prompts (account_id, created_at DESC, interaction_id DESC) WHERE status = 'pending'`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX ON prompts (live_activity_id) WHERE live_activity_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE prompts`);
  }
}
