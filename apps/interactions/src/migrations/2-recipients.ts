import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Recipients1763769600002 implements MigrationInterface {
  name = 'Recipients1763769600002';

  async up(runner: QueryRunner): Promise<void> {
    // A prompt may belong to several accounts: it has a row for each.
    await runner.query(
      `ALTER TABLE prompts DROP CONSTRAINT prompts_pkey, ADD PRIMARY KEY (interaction_id, account_id)`,
    );
    await runner.query(`DROP INDEX prompts_live_activity_id_idx`);
    await runner.query(`CREATE INDEX ON prompts (live_activity_id) WHERE live_activity_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DELETE FROM prompts p USING prompts o
       WHERE p.interaction_id = o.interaction_id AND p.account_id > o.account_id`,
    );
    await runner.query(`DROP INDEX prompts_live_activity_id_idx`);
    await runner.query(
      `CREATE UNIQUE INDEX ON prompts (live_activity_id) WHERE live_activity_id IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE prompts DROP CONSTRAINT prompts_pkey, ADD PRIMARY KEY (interaction_id)`);
  }
}
