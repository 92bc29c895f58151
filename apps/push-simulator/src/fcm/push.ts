import { object, parse, text } from '../json.js';
import { labelsOf } from '../phone/label.js';
import type { Push } from '../phone/phone.js';
import { dataOf, storageSeconds, type FcmMessage } from './message.js';

const numeral = (value: string | undefined) =>
  value !== undefined && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;

/** Reads an FCM message the way the Android app does: it builds everything from the data. */
export function fcmPush(id: string, n: number, message: FcmMessage, now: number): Push {
  const android = message.android ?? {};
  const data = dataOf(message);
  const notification = { ...object(message.notification), ...object(android.notification) };
  const collapseKey = text(android.collapse_key);
  const tag = text(notification.tag) ?? data.tag;
  const seconds = storageSeconds(message);
  const push: Push = {
    id,
    n,
    provider: 'fcm',
    kind: 'silent',
    type: data.type,
    contentId: data.id,
    title: data.title ?? text(notification.title) ?? '',
    body: data.body ?? text(notification.body) ?? '',
    category: data.category,
    labels: labelsOf(parse(data.actions)),
    actionDigest: data.actionDigest,
    url: data.url,
    imageUrl: data.imageUrl,
    appId: data.appId,
    threadId: data.threadId,
    collapseId:
      collapseKey === undefined && tag === undefined ? undefined : `${collapseKey ?? ''}|${tag ?? ''}`,
    seq: numeral(data.seq),
    escalationStep: numeral(data.escalationStep),
    expiresAt: data.expiresAt,
    slot: collapseKey === undefined ? `message:${id}` : `key:${collapseKey}`,
    until: seconds === 0 ? 0 : now + seconds * 1000,
  };
  if (data.type === 'withdraw') {
    push.kind = 'withdraw';
  } else if (data.type === 'activity') {
    push.kind = 'activity';
    push.activity = {
      event: data.event ?? '',
      activityId: data.activityId,
      by: 'device token',
      priority: 5,
      seq: push.seq,
      contentState: parse(data.contentState),
      hasAlert: false,
      staleDate: epochSeconds(data.staleAt),
      dismissalDate: epochSeconds(data.dismissAt),
      expiryDate: epochSeconds(data.expiresAt),
    };
  } else if (push.title || push.body) {
    push.kind = 'show';
  } else {
    push.silence = 'no title and no body: the app shows nothing';
  }
  return push;
}

function epochSeconds(time: string | undefined): number | undefined {
  const parsed = Date.parse(time ?? '');
  return Number.isNaN(parsed) ? undefined : parsed / 1000;
}
