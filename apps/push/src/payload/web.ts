import { bytesInJson, fitted, type Push } from './payload';

/** The maximum size of a message in bytes, before it is encrypted. */
export const webMessageLimit = 3_000;
/** Browsers show two buttons at most; a reply may have many choices. */
const maxActions = 4;
/** As long as any device's id, which the message of each device names. */
const someDevice = `dev_${'0'.repeat(26)}`;

/** A push to a browser, in the form of Declarative Web Push. `docs/web-push.md` describes it. */
export interface WebMessage {
  readonly urgency: 'high' | 'normal';
  /** The message to one device, as JSON. */
  json(deviceId: string): string;
}

interface WebNotification {
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const messageOf = (
  urgency: WebMessage['urgency'],
  { data, ...notification }: WebNotification,
): WebMessage => ({
  urgency,
  json: (deviceId) => jsonOf({ ...notification, data: { ...data, deviceId } }),
});

const jsonOf = (notification: WebNotification): string => JSON.stringify({ web_push: 8030, notification });

const pages = { notification: 'notifications', prompt: 'prompts', page: 'pages' } as const;

/** `consoleUrl` is the address of the console, with a slash at its end. */
export function webAlert(push: Push, consoleUrl: string): WebMessage {
  const navigate = `${consoleUrl}${pages[push.type]}/${push.id}`;
  const { question, group } = push;
  const actions = question?.actions
    .map((action) => (typeof action === 'string' ? { id: action, label: action } : action))
    .slice(0, maxActions)
    .map(({ id, label }) => ({ action: id, title: label, navigate }));
  const notification = fitted(
    push,
    ({ title, text, url }) => ({
      title,
      body: text,
      navigate,
      tag: push.id,
      timestamp: Date.parse(push.sentAt),
      ...(push.type !== 'notification' && { requireInteraction: true }),
      ...(actions && actions.length > 0 && { actions }),
      data: {
        kind: push.type,
        [`${push.type}Id`]: push.id,
        ...(question && { category: question.category }),
        ...(question && question.actionDigest !== null && { actionDigest: question.actionDigest }),
        ...(group && { groupId: group.id, groupName: group.name, escalationStep: group.step }),
        ...(push.appId !== null && { appId: push.appId }),
        ...(url !== null && { url }),
        expiresAt: push.expiresAt,
      },
    }),
    (built) => Buffer.byteLength(jsonOf({ ...built, data: { ...built.data, deviceId: someDevice } })),
    bytesInJson,
    webMessageLimit,
  );
  return messageOf(push.type === 'notification' ? 'normal' : 'high', notification);
}

/** Replaces a notification without a sound. A browser must show something for each push, so nothing is removed. */
export const webReplacement = (id: string, title: string, consoleUrl: string): WebMessage =>
  messageOf('normal', {
    title,
    body: '',
    navigate: consoleUrl,
    tag: id,
    silent: true,
    data: { kind: 'withdraw', id },
  });
