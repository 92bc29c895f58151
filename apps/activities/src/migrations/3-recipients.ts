import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Recipients1763769600003 implements MigrationInterface {
  name = 'Recipients1763769600003';

  async up(runner: QueryRunner): Promise<void> {
    // An activity may belong to several accounts: it has a row for each.
    await runner.query(
      `ALTER TABLE activities DROP CONSTRAINT activities_pkey, ADD PRIMARY KEY (activity_id, account_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DELETE FROM activities a USING activities o
       WHERE a.activity_id = o.activity_id AND a.account_id > o.account_id`,
    );
    await runner.query(
      `ALTER TABLE activities DROP CONSTRAINT activities_pkey, ADD PRIMARY KEY (activity_id)`,
    );
  }
}
