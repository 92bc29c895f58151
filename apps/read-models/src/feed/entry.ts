import {
  cut,
  endOf,
  type EventReceived,
  type FeedKind,
  type InteractionAsked,
  type InteractionEnded,
  type NotificationSent,
} from '@carillon/contracts';
import { type Instant, millis } from '@carillon/eventing';
import { deriveId } from '@carillon/signing';
import { itemOf } from '../inbox/item';

/** One line of the feed. */
export interface Entry {
  readonly id: string;
  readonly accountId: string;
  readonly kind: FeedKind;
  readonly sourceName: string;
  readonly sourceImageUrl: string | null;
  readonly title: string;
  readonly detail: string | null;
  readonly url: string | null;
  readonly result: string | null;
  readonly at: Instant;
}

/** A line for what reached the account; none for what a limit dropped. */
export function entryOf(event: NotificationSent | EventReceived): Entry | undefined {
  if (event.type === 'EventReceived' && event.limitedBy) return undefined;
  const { subjectId, accountId, sourceName, sourceImageUrl, title, preview, url, at } = itemOf(event);
  return {
    id: deriveId('fed', millis(at), subjectId),
    accountId,
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
  Entry,
  'accountId' | 'sourceName' | 'sourceImageUrl' | 'title' | 'detail' | 'url'
> & { readonly promptId: string };

const detailLimit = 200;

/** Text that is null has lost its key. */
export const promptOf = (asked: InteractionAsked): Prompt => ({
  promptId: asked.interactionId,
  accountId: asked.accountId,
  sourceName: asked.sourceName ?? '',
  sourceImageUrl: asked.sourceImageUrl,
  title: asked.title ?? '',
  detail: cut(asked.prompt ?? '', detailLimit),
  url: asked.url,
});

/** The line for a prompt that has ended, whoever or whatever ended it. */
export function responseOf(event: InteractionEnded, { promptId, ...shown }: Prompt): Entry {
  const { status, at } = endOf(event);
  return { ...shown, id: deriveId('fed', millis(at), promptId), kind: 'response', result: status, at };
}
