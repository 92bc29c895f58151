import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows store the team of the device group that a prompt was sent to: former members lose access to the prompt. */
export class Teams1766534400005 implements MigrationInterface {
  name = 'Teams1766534400005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE prompts ADD COLUMN team_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE prompts DROP COLUMN team_id`);
  }
}
