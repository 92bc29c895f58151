import { columns, type Sql } from '@carillon/event-store';
import type { Prompt } from './entry';

interface PromptLineRow {
  prompt_id: string;
  account_id: string;
  source_name: string;
  source_image_url: string | null;
  title: string;
  detail: string;
  url: string | null;
}

/** Keeps the line of each prompt until it ends. */
export async function keepPrompts(sql: Sql, prompts: readonly Prompt[]): Promise<void> {
  if (prompts.length === 0) return;
  const given = columns(
    {
      prompt_id: 'text',
      account_id: 'text',
      source_name: 'text',
      source_image_url: 'text',
      title: 'text',
      detail: 'text',
      url: 'text',
    },
    prompts,
    ({ promptId, accountId, sourceName, sourceImageUrl, title, detail, url }) => ({
      prompt_id: promptId,
      account_id: accountId,
      source_name: sourceName,
      source_image_url: sourceImageUrl,
      title,
      detail,
      url,
    }),
  );
  await sql.query(`INSERT INTO feed_prompts (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Removes and returns the kept lines of these prompts. */
export async function takePrompts(
  sql: Sql,
  ended: readonly { readonly interactionId: string }[],
): Promise<Map<string, Prompt>> {
  if (ended.length === 0) return new Map();
  const rows = await sql.query<PromptLineRow>(
    `DELETE FROM feed_prompts WHERE prompt_id = ANY($1) RETURNING *`,
    [ended.map(({ interactionId }) => interactionId)],
  );
  return new Map(
    rows.map((row) => [
      row.prompt_id,
      {
        promptId: row.prompt_id,
        accountId: row.account_id,
        sourceName: row.source_name,
        sourceImageUrl: row.source_image_url,
        title: row.title,
        detail: row.detail,
        url: row.url,
      },
    ]),
  );
}
