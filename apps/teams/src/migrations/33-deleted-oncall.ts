import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeletedOncall1763769600033 implements MigrationInterface {
  name = 'DeletedOncall1763769600033';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oncall_groups ADD COLUMN deleted boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oncall_groups DROP COLUMN deleted`);
  }
}
