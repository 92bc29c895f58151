import { ForgottenText, readableText, type TextRows } from '@carillon/runtime';
import { Injectable } from '@nestjs/common';

const queue = 'forgotten_activities';

/** The text of the account that has started the activity. */
const activities: TextRows = {
  table: 'activities',
  authors: ['sender_id', 'account_id'],
  cleared: { props: 'NULL', prompt: 'NULL' },
};

export const activityText = readableText(queue, activities);

/** Clears the text of the activities that deleted accounts have started, in the rows of every account. */
@Injectable()
export class ForgottenActivities extends ForgottenText {
  readonly name = queue;
  protected readonly process = 'activities.forgotten_activities';
  protected readonly rows = [activities];
}
