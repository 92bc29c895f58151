import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Recipients1763769600008 implements MigrationInterface {
  name = 'Recipients1763769600008';

  async up(runner: QueryRunner): Promise<void> {
    // Several accounts may have a copy of an event. Copies of accounts other than the sender have no receipts.
    await runner.query(
      `ALTER TABLE events DROP CONSTRAINT events_pkey, ADD PRIMARY KEY (event_id, account_id)`,
    );
    await runner.query(`ALTER TABLE inbox_items ALTER COLUMN receipts DROP NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM inbox_items WHERE receipts IS NULL`);
    await runner.query(`ALTER TABLE inbox_items ALTER COLUMN receipts SET NOT NULL`);
    await runner.query(
      `DELETE FROM events e USING events o WHERE e.event_id = o.event_id AND e.account_id > o.account_id`,
    );
    await runner.query(`ALTER TABLE events DROP CONSTRAINT events_pkey, ADD PRIMARY KEY (event_id)`);
  }
}
