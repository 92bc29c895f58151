import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeadLetterRecipients1763856000007 implements MigrationInterface {
  name = 'DeadLetterRecipients1763856000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dead_letters ADD recipients text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dead_letters DROP recipients`);
  }
}
