import { ForgottenText, readableText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'forgotten_feed';

const lines: TextRows = {
  table: 'feed_items',
  authors: ['sender_id', 'account_id'],
  cleared: {
    source_name: `''`,
    source_image_url: 'NULL',
    title: `''`,
    url: 'NULL',
    detail: `CASE kind WHEN 'live_activity' THEN NULL ELSE '' END`,
  },
};
const prompts: TextRows = {
  table: 'feed_prompts',
  authors: ['account_id'],
  cleared: { source_name: `''`, source_image_url: 'NULL', title: `''`, detail: `''`, url: 'NULL' },
};
const activities: TextRows = {
  table: 'feed_activities',
  authors: ['account_id'],
  cleared: { source_name: `''`, title: `''`, detail: 'NULL', url: 'NULL' },
};

export const lineText = readableText(queue, lines);

/** Clears the text of lines that come from deleted accounts, in the feeds of all accounts. */
@Injectable()
export class ForgottenLines extends ForgottenText {
  readonly name = queue;
  protected readonly process = 'read-models.forgotten_feed';
  protected readonly rows = [lines, prompts, activities];
}
