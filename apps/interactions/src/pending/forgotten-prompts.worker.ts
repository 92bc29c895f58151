import { ForgottenText, readableText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'forgotten_prompts';

/** The text of the asking account. */
const prompts: TextRows = {
  table: 'prompts',
  authors: ['sender_id', 'account_id'],
  cleared: {
    title: 'NULL',
    prompt: 'NULL',
    choices: `'null'::jsonb`,
    primary_label: 'NULL',
    secondary_label: 'NULL',
    image_url: 'NULL',
    url: 'NULL',
    source_name: 'NULL',
    source_image_url: 'NULL',
    response: 'NULL',
  },
};

export const promptText = readableText(queue, prompts);

/** Clears the text of the prompts that deleted accounts have asked, in the rows of every account. */
@Injectable()
export class ForgottenPrompts extends ForgottenText {
  readonly name = queue;
  protected readonly process = 'interactions.forgotten_prompts';
  protected readonly rows = [prompts];
}
