import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Escalations1763769600003 implements MigrationInterface {
  name = 'Escalations1763769600003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE escalating_prompts (interaction_id text PRIMARY KEY)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE escalating_prompts`);
  }
}
