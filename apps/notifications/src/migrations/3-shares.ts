import { membershipTables } from '@carillon/membership';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Shares1763683200003 implements MigrationInterface {
  name = 'Shares1763683200003';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of membershipTables({ teams: 'families', members: 'family_members' }))
      await runner.query(statement);
    await runner.query(`
      CREATE TABLE service_shares (
        service_id text PRIMARY KEY,
        account_id text NOT NULL,
        family_id text,
        shares integer NOT NULL
      )`);
    await runner.query(`CREATE INDEX ON service_shares (family_id, account_id)`);
    // `service_shares` replaces the column: it also tells which shares have ended.
    await runner.query(`ALTER TABLE services DROP COLUMN family_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE services ADD COLUMN family_id text`);
    await runner.query(`DROP TABLE families, family_members, service_shares`);
  }
}
