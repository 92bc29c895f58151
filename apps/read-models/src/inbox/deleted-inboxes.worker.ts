import { ForgottenRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

/** All rows of an inbox. */
export const inboxTables = [
  'inbox_items',
  'inbox_projects',
  'inbox_marks',
  'inbox_reads',
  'inbox_exceptions',
];

/** Deletes the inboxes of deleted accounts, which nobody reads any more. */
@Injectable()
export class DeletedInboxes extends ForgottenRows {
  readonly name = 'deleted_inboxes';
  protected readonly process = 'read-models.deleted_inboxes';
  protected readonly changes = inboxTables.map((table) => ({
    due: `${table} WHERE account_id = $1`,
    change: `DELETE FROM ${table}`,
  }));
}
