import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows store the starting account when it differs from the row's account: deleting that account deletes the text. */
export class Senders1766534400004 implements MigrationInterface {
  name = 'Senders1766534400004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE activities ADD COLUMN sender_id text`);
    await runner.query(
      `CREATE INDEX activities_sender ON activities (sender_id) WHERE sender_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE activities DROP COLUMN sender_id`);
  }
}
