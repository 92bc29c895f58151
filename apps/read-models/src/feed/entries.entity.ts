import {
  type ActivityEnded,
  type ActivityExpired,
  type ActivityFailed,
  type ActivityStarted,
  profileEventTypes,
  type Streams,
} from '@carillon/contracts';
import { type Handled, ignore, ignoring, inBatch, type On, type Sql } from '@carillon/event-store';
import { grouped, type Recorded } from '@carillon/eventing';
import {
  activityOf,
  type FeedLine,
  entryOf,
  linesOf,
  overOf,
  promptOf,
  responseOf,
  startedOf,
} from './entry';
import { keepActivities, takeActivities } from './activity-lines.entity';
import { keepPrompts, takePrompts } from './prompt-lines.entity';

export type Followed = Streams<'notification' | 'event' | 'interaction' | 'activity' | 'account'>;
export const on = {
  notification: {
    NotificationSent: inBatch,
    NotificationWithdrawn: ignore,
  },
  event: {
    EventReceived: inBatch,
  },
  interaction: {
    InteractionAsked: inBatch,
    InteractionAnswered: inBatch,
    InteractionCanceled: inBatch,
    InteractionExpired: inBatch,
  },
  activity: {
    ActivityStarted: inBatch,
    ActivityUpdated: ignore,
    ActivityEnded: inBatch,
    ActivityExpired: inBatch,
    ActivityFailed: inBatch,
  },
  account: {
    ...ignoring(...profileEventTypes),
    AccountForgotten: inBatch,
  },
} satisfies On<Followed>;
export type FedEvent = Handled<Followed, typeof on>;

/**
 * The feed lines of events. A prompt enters the feed when it ends, with the content of its creation.
 */
export async function newEntries(sql: Sql, events: readonly Recorded<FedEvent>[]): Promise<FeedLine[]> {
  const { sent, asked, ended, started, over } = grouped(events, {
    sent: ['NotificationSent', 'EventReceived'],
    asked: ['InteractionAsked'],
    ended: ['InteractionAnswered', 'InteractionCanceled', 'InteractionExpired'],
    started: ['ActivityStarted'],
    over: ['ActivityEnded', 'ActivityExpired', 'ActivityFailed'],
    // Adds no line: the projection enqueues it.
    forgotten: ['AccountForgotten'],
  });
  await keepPrompts(sql, asked.map(promptOf));
  const prompts = await takePrompts(sql, ended);
  return [
    ...sent.flatMap((event) => linesOf(event, entryOf(event))),
    ...ended.flatMap((event) => {
      const prompt = prompts.get(event.interactionId);
      return prompt ? linesOf({ ...event, readers: prompt.readers }, responseOf(event, prompt)) : [];
    }),
    ...(await ofActivities(sql, started, over)),
  ];
}

/** The line of an ended activity also has the content of its start. */
async function ofActivities(
  sql: Sql,
  begun: readonly ActivityStarted[],
  over: readonly (ActivityEnded | ActivityExpired | ActivityFailed)[],
): Promise<FeedLine[]> {
  const started = begun.filter(({ prompt }) => !prompt);
  await keepActivities(sql, started.map(activityOf));
  const activities = await takeActivities(sql, over);
  return [
    ...started.flatMap((event) => linesOf(event, startedOf(event))),
    ...over.flatMap((event) => {
      const activity = activities.get(event.activityId);
      return activity ? linesOf({ ...event, readers: activity.readers }, overOf(event, activity)) : [];
    }),
  ];
}
