import { ForgottenText, readableText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'forgotten_events';

const events: TextRows = {
  table: 'events',
  authors: ['sender_id', 'account_id'],
  cleared: { service_title: `''`, title: 'NULL', body: `''`, image_url: 'NULL', url: 'NULL' },
};

export const eventText = readableText(queue, events);

/** Clears the text of events that services of deleted accounts received, in the rows of all accounts. */
@Injectable()
export class ForgottenEvents extends ForgottenText {
  readonly name = queue;
  protected readonly process = 'read-models.forgotten_events';
  protected readonly rows = [events];
}
