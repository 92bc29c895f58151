import { type InteractionEnded, ownersOf } from '@carillon/contracts';
import { columns, type Sql } from '@carillon/event-store';
import type { Prompt } from './entry';

interface PromptLineRow {
  prompt_id: string;
  account_id: string;
  reader_id: string;
  source_name: string;
  source_image_url: string | null;
  title: string;
  detail: string;
  url: string | null;
}

/** Keeps the line of each prompt until it ends, for each account that will have it. */
export async function keepPrompts(sql: Sql, prompts: readonly Prompt[]): Promise<void> {
  if (prompts.length === 0) return;
  const given = columns(
    {
      prompt_id: 'text',
      account_id: 'text',
      reader_id: 'text',
      source_name: 'text',
      source_image_url: 'text',
      title: 'text',
      detail: 'text',
      url: 'text',
    },
    prompts.flatMap((each) => each.readers.map((readerId) => ({ ...each, readerId }))),
    ({ promptId, accountId, readerId, sourceName, sourceImageUrl, title, detail, url }) => ({
      prompt_id: promptId,
      account_id: accountId,
      reader_id: readerId,
      source_name: sourceName,
      source_image_url: sourceImageUrl,
      title,
      detail,
      url,
    }),
  );
  await sql.query(`INSERT INTO feed_prompts (${given.names}) SELECT * FROM ${given.rows}`, given.values);
}

/** Removes and returns the kept lines of these prompts, for the accounts that have them. */
export async function takePrompts(
  sql: Sql,
  ended: readonly InteractionEnded[],
): Promise<Map<string, Prompt>> {
  if (ended.length === 0) return new Map();
  const given = columns(
    { prompt_id: 'text', reader_id: 'text' },
    ended.flatMap((event) =>
      ownersOf(event).map((readerId) => ({ readerId, promptId: event.interactionId })),
    ),
    ({ promptId, readerId }) => ({ prompt_id: promptId, reader_id: readerId }),
  );
  const rows = await sql.query<PromptLineRow>(
    `DELETE FROM feed_prompts p USING ${given.rows}
     WHERE p.prompt_id = n.prompt_id AND p.reader_id = n.reader_id RETURNING p.*`,
    given.values,
  );
  const readersOf = new Map(rows.map(({ prompt_id }): [string, string[]] => [prompt_id, []]));
  for (const { prompt_id, reader_id } of rows) readersOf.get(prompt_id)?.push(reader_id);
  return new Map(
    rows.map((row) => [
      row.prompt_id,
      {
        promptId: row.prompt_id,
        accountId: row.account_id,
        readers: readersOf.get(row.prompt_id) ?? [],
        sourceName: row.source_name,
        sourceImageUrl: row.source_image_url,
        title: row.title,
        detail: row.detail,
        url: row.url,
      },
    ]),
  );
}
