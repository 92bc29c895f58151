import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Prompts1763683200002 implements MigrationInterface {
  name = 'Prompts1763683200002';

  async up(runner: QueryRunner): Promise<void> {
    // Prompts that phones may show now, and which phones: what has to be taken away when they end.
    await runner.query(`CREATE TABLE prompts (prompt_id text PRIMARY KEY, device_ids text[] NOT NULL)`);
    // Nobody wants it to ring any more; who has it in hand ends the try that is under way and begins no other.
    await runner.query(`ALTER TABLE deliveries ADD unwanted boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries DROP unwanted`);
    await runner.query(`DROP TABLE prompts`);
  }
}
