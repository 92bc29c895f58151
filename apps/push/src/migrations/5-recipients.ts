import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Recipients1763769600005 implements MigrationInterface {
  name = 'Recipients1763769600005';

  async up(runner: QueryRunner): Promise<void> {
    // The recipients besides the sending account; null when there are none.
    await runner.query(`ALTER TABLE deliveries ADD COLUMN recipients jsonb`);
    await runner.query(`ALTER TABLE lanes ADD COLUMN recipients jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries DROP COLUMN recipients`);
    await runner.query(`ALTER TABLE lanes DROP COLUMN recipients`);
  }
}
