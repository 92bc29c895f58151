import { object, number, text } from '../json.js';
import type { Push } from '../phone/phone.js';
import type { WebAccepted } from './judge.js';

/** Reads a message the way the console's worker does. It shows something for every push. */
export function webPush(
  id: string,
  n: number,
  message: unknown,
  { seconds, topic }: Pick<WebAccepted, 'seconds' | 'topic'>,
  now: number,
): Push {
  const notification = object(object(message)?.notification) ?? {};
  const data = object(notification.data) ?? {};
  const actions = Array.isArray(notification.actions) ? notification.actions.map(object) : [];
  const type = text(data.kind);
  return {
    id,
    n,
    provider: 'web',
    // What replaces a notification silently leaves nothing that a person would look at.
    kind: type === 'withdraw' ? 'withdraw' : 'show',
    type,
    contentId: text(notification.tag),
    title: text(notification.title) ?? 'Carillon',
    body: text(notification.body) ?? '',
    category: text(data.category),
    labels: actions.flatMap((action) => text(action?.title) ?? []),
    actionDigest: text(data.actionDigest),
    url: text(data.url),
    appId: text(data.appId),
    collapseId: text(notification.tag),
    escalationStep: number(data.escalationStep),
    expiresAt: text(data.expiresAt),
    slot: topic === undefined ? `message:${id}` : `topic:${topic}`,
    until: seconds === 0 ? 0 : now + seconds * 1000,
  };
}
