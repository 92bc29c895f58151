import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows name the team of the device group that a prompt was sent to: who has left it does not have it any more. */
export class Teams1766534400005 implements MigrationInterface {
  name = 'Teams1766534400005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE prompts ADD COLUMN team_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE prompts DROP COLUMN team_id`);
  }
}
