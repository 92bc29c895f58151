import { ForgottenText, readableText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'forgotten_items';

/** What an account has sent to others. Every item has a body. */
const items = {
  table: 'inbox_items',
  authors: ['sender_id'],
  withText: `body <> ''`,
  cleared: {
    source_name: `''`,
    source_image_url: 'NULL',
    title: `''`,
    preview: `''`,
    body: `''`,
    summary: 'NULL',
    url: 'NULL',
    image_url: 'NULL',
  },
} satisfies TextRows;
/** The names that it has given to projects of others. */
const projects = {
  table: 'inbox_projects',
  authors: ['named_by'],
  cleared: { name: 'project_id', named_by: 'NULL' },
} satisfies TextRows;

export const itemText = readableText(queue, items);
export const projectText = readableText(queue, projects, 'forgotten_name');

/** Clears the text of items that come from deleted accounts, in the inboxes of others. */
@Injectable()
export class ForgottenItems extends ForgottenText {
  readonly name = queue;
  protected readonly process = 'read-models.forgotten_items';
  protected readonly rows = [items, projects];
}
