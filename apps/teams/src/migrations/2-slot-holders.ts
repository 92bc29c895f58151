import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SlotHolders1763769600002 implements MigrationInterface {
  name = 'SlotHolders1763769600002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE slot_holders (
        team_id text NOT NULL,
        account_id text NOT NULL,
        PRIMARY KEY (team_id, account_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE slot_holders`);
  }
}
