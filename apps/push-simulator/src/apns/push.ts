import { number, object, text } from '../json.js';
import { labelsOf } from '../phone/label.js';
import type { Push } from '../phone/phone.js';
import type { TokenKind } from '../phone/token.js';
import type { PushHeaders } from './request.js';

const thirtyDays = 30 * 86_400_000;

/** Reads an APNs payload the way iOS and the app do. */
export function apnsPush(
  id: string,
  n: number,
  headers: PushHeaders,
  payload: Record<string, unknown>,
  token: TokenKind,
  now: number,
): Push {
  const aps = object(payload.aps) ?? {};
  const own = object(payload.carillon) ?? {};
  const alert = object(aps.alert);
  const push: Push = {
    id,
    n,
    provider: 'apns',
    kind: 'silent',
    type: text(own.type),
    contentId: text(own.id),
    title: text(alert?.title) ?? '',
    body: text(alert?.body) ?? text(aps.alert) ?? '',
    category: text(aps.category),
    labels: labelsOf(own.actions),
    actionDigest: text(own.actionDigest),
    url: text(own.url),
    imageUrl: text(own.imageUrl),
    appId: text(own.appId),
    threadId: text(aps['thread-id']),
    interruptionLevel: text(aps['interruption-level']),
    collapseId: headers.collapseId,
    seq: number(own.seq),
    escalationStep: number(own.escalationStep),
    expiresAt: text(own.expiresAt),
    slot: headers.topic,
    until:
      headers.expiration === undefined
        ? now + thirtyDays
        : headers.expiration === 0
          ? 0
          : headers.expiration * 1000,
  };
  if (headers.pushType === 'liveactivity') {
    const attributes = object(aps.attributes);
    push.kind = 'activity';
    push.activity = {
      event: text(aps.event) ?? '',
      activityId: token.kind === 'update' ? token.activityId : text(attributes?.activityId),
      by: token.kind === 'update' ? 'update token' : 'start token',
      priority: headers.priority,
      timestamp: number(aps.timestamp),
      contentState: aps['content-state'],
      attributesType: text(aps['attributes-type']),
      attributes,
      hasAlert: push.title !== '' || push.body !== '',
      relevance: number(aps['relevance-score']),
      staleDate: number(aps['stale-date']),
      dismissalDate: number(aps['dismissal-date']),
    };
    return push;
  }
  const woken = aps['content-available'] === 1;
  if (push.type === 'withdraw') {
    if (woken) push.kind = 'withdraw';
    else push.silence = 'ignored: without content-available the app is not woken';
  } else if (headers.pushType === 'background') {
    push.silence = 'a background push shows nothing';
  } else if (headers.pushType !== 'alert') {
    push.silence = `push type ${headers.pushType} is accepted and not simulated further`;
  } else if (push.title || push.body) {
    push.kind = 'show';
  } else {
    push.silence = 'no alert in the payload: nothing to show';
  }
  return push;
}
