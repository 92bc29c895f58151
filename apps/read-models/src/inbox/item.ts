import {
  copiesOf,
  type BodyFormat,
  type EventReceived,
  type NotificationSent,
  plainText,
  type PushReceipt,
} from '@carillon/contracts';
import { type Instant, millis } from '@carillon/eventing';
import { cut } from '@carillon/schema';
import { deriveId } from '@carillon/signing';

/** An item of a person's inbox, from any sender. */
export interface Item {
  readonly accountId: string;
  /** The other account that it belongs to, which alone sees what became of its push on each device. */
  readonly senderId: string | null;
  /** The notification or event, as pushes name it. */
  readonly subjectId: string;
  readonly origin: 'notification' | 'event';
  /** '' for none. */
  readonly projectId: string;
  /** The name that it gives its project; null when it gives none. */
  readonly projectName: string | null;
  readonly sourceName: string;
  readonly sourceImageUrl: string | null;
  readonly title: string;
  readonly preview: string;
  readonly body: string;
  readonly summary: string | null;
  readonly bodyFormat: BodyFormat;
  readonly url: string | null;
  readonly imageUrl: string | null;
  /** The web app that a tap opens. */
  readonly appId: string | null;
  readonly deviceIds: readonly string[];
  readonly at: Instant;
}

/** The id of an item in the inbox. */
export const itemId = ({ origin, subjectId }: Pick<Item, 'origin' | 'subjectId'>): string =>
  `${origin}:${subjectId}`;

/** An item for each account that has a copy. */
export function itemsOf(event: NotificationSent | EventReceived): Item[] {
  const item = itemOf(event);
  return copiesOf(event).map((copy) => ({ ...item, ...copy }));
}

/** Text is null when its key was deleted. */
export function itemOf(event: NotificationSent | EventReceived): Item {
  const { accountId, bodyFormat, url, imageUrl, appId, deviceIds } = event;
  const title = event.title ?? '';
  const body = event.body ?? '';
  const all = { accountId, senderId: null, title, body, bodyFormat, url, imageUrl, appId, deviceIds };
  switch (event.type) {
    case 'NotificationSent':
      return {
        ...all,
        subjectId: event.notificationId,
        origin: 'notification',
        projectId: event.projectId ?? '',
        projectName: event.projectName,
        sourceName: event.sourceName ?? '',
        sourceImageUrl: null,
        preview: event.summary ?? previewOf(body, bodyFormat),
        summary: event.summary,
        at: event.sentAt,
      };
    case 'EventReceived':
      return {
        ...all,
        subjectId: event.eventId,
        origin: 'event',
        projectId: event.serviceId,
        projectName: event.serviceTitle,
        sourceName: event.serviceTitle ?? '',
        sourceImageUrl: event.serviceImageUrl,
        preview: previewOf(body, bodyFormat),
        summary: null,
        at: event.receivedAt,
      };
  }
}

/** The preview of a body in lists: its first 200 code points as plain text. */
const previewOf = (body: string, format: BodyFormat): string =>
  cut(format === 'markdown' ? plainText(body) : body, 200);

export const pendingReceipts = ({ deviceIds, at, subjectId }: Item): PushReceipt[] =>
  deviceIds.map((deviceId) => ({
    id: deriveId('rcp', millis(at), subjectId, deviceId),
    deviceId,
    status: 'pending',
    errorCode: null,
    checkedAt: null,
  }));
