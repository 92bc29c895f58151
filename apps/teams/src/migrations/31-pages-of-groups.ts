import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PagesOfGroups1763769600031 implements MigrationInterface {
  name = 'PagesOfGroups1763769600031';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX pages_of_groups ON pages (group_id, created_at DESC, page_id DESC)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX pages_of_groups`);
  }
}
