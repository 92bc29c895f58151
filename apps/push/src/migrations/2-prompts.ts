import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Prompts1763683200002 implements MigrationInterface {
  name = 'Prompts1763683200002';

  async up(runner: QueryRunner): Promise<void> {
    // Prompts that phones may show now, with the phones: they are cleared when the prompt ends.
    await runner.query(`CREATE TABLE prompts (prompt_id text PRIMARY KEY, device_ids text[] NOT NULL)`);
    // The push was withdrawn; the lease owner finishes the current attempt and begins no other.
    await runner.query(`ALTER TABLE deliveries ADD unwanted boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries DROP unwanted`);
    await runner.query(`DROP TABLE prompts`);
  }
}
