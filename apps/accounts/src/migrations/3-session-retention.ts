import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SessionRetention1763683200003 implements MigrationInterface {
  name = 'SessionRetention1763683200003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX sessions_over ON sessions (coalesce(ended_at, expires_at))`);
    await runner.query(`ALTER TABLE session_refreshes ADD COLUMN made_at timestamptz NOT NULL DEFAULT now()`);
    await runner.query(`CREATE INDEX session_refreshes_made ON session_refreshes (made_at)`);
    await runner.query(`CREATE INDEX session_refreshes_session ON session_refreshes (session_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE session_refreshes DROP COLUMN made_at`);
    await runner.query(`DROP INDEX sessions_over, session_refreshes_session`);
  }
}
