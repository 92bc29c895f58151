import type { EventReceived, FeedKind, NotificationSent } from '@carillon/contracts';
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
