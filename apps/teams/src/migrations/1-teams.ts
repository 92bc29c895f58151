import { membershipTables } from '@carillon/membership';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Teams1763769600001 implements MigrationInterface {
  name = 'Teams1763769600001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of membershipTables({ teams: 'teams', members: 'members' }))
      await runner.query(statement);
    await runner.query(`ALTER TABLE teams ADD COLUMN kind text, ADD COLUMN created_at timestamptz`);
    await runner.query(`ALTER TABLE members ADD COLUMN role text, ADD COLUMN joined_at timestamptz`);
    await runner.query(`
      CREATE TABLE people (
        account_id text PRIMARY KEY,
        name text,
        email text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE teams, members, people`);
  }
}
