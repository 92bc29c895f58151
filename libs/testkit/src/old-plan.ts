import type { Client } from 'pg';

/** A part of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` shows it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface BlockCounts {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** What a run of a statement read. */
export interface Look {
  /** How many rows it gave back. */
  readonly rows: number;
  /** How many blocks of Postgres it needed. */
  readonly blocks: number;
  /** How each part of it read a table: by what, and how many rows. */
  readonly reads: readonly { readonly table: string; readonly by: string; readonly rows: number }[];
}

/**
 * A statement that was prepared and planned once, and keeps its plan however much is written later: what a service does
 * that started with empty tables, until Postgres analyzes them.
 */
export class OldPlan {
  private constructor(private readonly client: Client) {}

  static async of(client: Client, text: string): Promise<OldPlan> {
    await client.query(`SET plan_cache_mode = force_generic_plan`);
    await client.query(`PREPARE old_plan AS ${text}`);
    return new OldPlan(client);
  }

  /** Runs it, and takes back what it wrote. */
  async look(values: readonly unknown[]): Promise<Look> {
    const given = values.length > 0 ? ` (${values.map(literal).join(', ')})` : '';
    await this.client.query('BEGIN');
    try {
      const { rows } = await this.client.query<{ 'QUERY PLAN': { Plan: PlanNode & BlockCounts }[] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE old_plan${given}`,
      );
      const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!;
      return {
        rows: plan['Actual Rows'],
        blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
        reads: readsOf(plan),
      };
    } finally {
      await this.client.query('ROLLBACK');
    }
  }
}

/** How each part of a plan read a table. */
export const readsOf = (plan: PlanNode): Look['reads'] =>
  nodesOf(plan).flatMap((node) => {
    const { 'Node Type': by, 'Relation Name': table, 'Actual Loops': loops } = node;
    if (table === undefined) return [];
    return [{ table, by, rows: (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * loops }];
  });

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const literal = (value: unknown): string =>
  Array.isArray(value) ? `'{${value.join(',')}}'` : `'${String(value)}'`;
