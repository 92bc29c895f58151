import {
  type ActivityEnded,
  type ActivityExpired,
  type ActivityFailed,
  type ActivityProps,
  type ActivityStarted,
  copiesOf,
  endOf,
  type EventReceived,
  type FeedKind,
  type InteractionAsked,
  type InteractionEnded,
  type NotificationSent,
  ownersOf,
  type WithRecipients,
} from '@carillon/contracts';
import { type Instant, millis } from '@carillon/eventing';
import { cut } from '@carillon/schema';
import { deriveId } from '@carillon/signing';
import { itemOf } from '../inbox/item';

/** One line of the feed. */
export interface FeedLine {
  readonly id: string;
  readonly accountId: string;
  /** The other account that it belongs to. */
  readonly senderId: string | null;
  readonly kind: FeedKind;
  readonly sourceName: string;
  readonly sourceImageUrl: string | null;
  readonly title: string;
  readonly detail: string | null;
  readonly url: string | null;
  readonly result: string | null;
  readonly at: Instant;
}

/** The line for each account that has a copy of the event. */
export const linesOf = (event: WithRecipients, entry: FeedLine | undefined): FeedLine[] =>
  entry ? copiesOf(event).map((copy) => ({ ...entry, ...copy })) : [];

/** The line of a received notification or event; none when a limit dropped it. */
export function entryOf(event: NotificationSent | EventReceived): FeedLine | undefined {
  if (event.type === 'EventReceived' && event.limitedBy) return undefined;
  const { subjectId, accountId, sourceName, sourceImageUrl, title, preview, url, at } = itemOf(event);
  return {
    id: deriveId('fed', millis(at), subjectId),
    accountId,
    senderId: null,
    kind: 'notification',
    sourceName,
    sourceImageUrl,
    title,
    detail: preview,
    url,
    result: null,
    at,
  };
}

/** A prompt as its line shows it once it has ended. */
export type Prompt = Pick<
  FeedLine,
  'accountId' | 'sourceName' | 'sourceImageUrl' | 'title' | 'detail' | 'url'
> & { readonly promptId: string; readonly readers: readonly string[] };

const detailLimit = 200;

/** Text is null when its key was deleted. */
export const promptOf = (asked: InteractionAsked): Prompt => ({
  promptId: asked.interactionId,
  accountId: asked.accountId,
  readers: ownersOf(asked),
  sourceName: asked.sourceName ?? '',
  sourceImageUrl: asked.sourceImageUrl,
  title: asked.title ?? '',
  detail: cut(asked.prompt ?? '', detailLimit),
  url: asked.url,
});

/** The line of a prompt that has ended, for any reason. */
export function responseOf(event: InteractionEnded, { promptId, readers: _, ...shown }: Prompt): FeedLine {
  const { status, at } = endOf(event);
  const id = deriveId('fed', millis(at), promptId);
  return { ...shown, id, senderId: null, kind: 'response', result: status, at };
}

/** A live activity as its lines show it. */
export type ActivityLine = Pick<FeedLine, 'accountId' | 'sourceName' | 'title' | 'detail' | 'url'> & {
  readonly activityId: string;
  readonly readers: readonly string[];
};

/** Props are null when their key was deleted. */
const looksOf = (props: ActivityProps | null): Pick<FeedLine, 'title' | 'detail' | 'url'> => ({
  title: props?.title ?? '',
  detail: props?.subtitle ?? props?.status ?? (props?.detail ? cut(props.detail, detailLimit) : null),
  url: props?.url ?? null,
});

export const activityOf = (started: ActivityStarted): ActivityLine => ({
  activityId: started.activityId,
  accountId: started.accountId,
  readers: ownersOf(started),
  sourceName: started.sourceName ?? '',
  ...looksOf(started.props),
});

/** The line of a started live activity. An activity of a prompt has none: the prompt gets its own when it ends. */
export const startedOf = (event: ActivityStarted): FeedLine | undefined =>
  event.prompt ? undefined : lineOf(activityOf(event), 'started', event.startedAt);

/** The line for one that is over, as it looked in the end. */
export function overOf(
  event: ActivityEnded | ActivityExpired | ActivityFailed,
  shown: ActivityLine,
): FeedLine {
  switch (event.type) {
    case 'ActivityEnded':
      return lineOf({ ...shown, ...looksOf(event.props) }, event.reason, event.endedAt);
    case 'ActivityExpired':
      return lineOf(shown, 'expired', event.expiredAt);
    case 'ActivityFailed':
      return lineOf(shown, 'failed', event.failedAt);
  }
}

const lineOf = (
  { activityId, readers: _, ...shown }: ActivityLine,
  result: string,
  at: Instant,
): FeedLine => ({
  ...shown,
  id: deriveId('fed', millis(at), activityId, result),
  senderId: null,
  kind: 'live_activity',
  sourceImageUrl: null,
  result,
  at,
});
