import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReplyConnectors1766016000004 implements MigrationInterface {
  name = 'ReplyConnectors1766016000004';

  /** The connector that the newest attempt went through. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE replies ADD COLUMN connector_id text`);
    await runner.query(
      `CREATE INDEX replies_connector ON replies (connector_id) WHERE connector_id IS NOT NULL AND due_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE replies DROP COLUMN connector_id`);
  }
}
